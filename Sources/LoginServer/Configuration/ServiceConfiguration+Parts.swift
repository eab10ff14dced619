// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Foundation
internal import LoginAccounts
internal import LoginCrypto
internal import LoginKeys
internal import Logging
internal import NIOSSL

extension ServiceConfiguration {
    /// How providers are asked.
    ///
    /// - Throws: ``ConfigurationFault`` where the file of authorities holds none.
    func transport() throws(ConfigurationFault) -> AsyncHTTPClientTransport {
        var transport = AsyncHTTPClientTransport.Configuration(allowedNetworks: allowedNetworks)
        if let authoritiesFile {
            // It is read with each request; here only whether it can be.
            guard let authorities = try? NIOSSLCertificate.fromPEMFile(authoritiesFile), !authorities.isEmpty else {
                throw ConfigurationFault("ca-file: \(ShownArgument(authoritiesFile)) holds no certificates in PEM")
            }
            transport.trustRoots = .file(authoritiesFile)
        }
        return AsyncHTTPClientTransport(transport)
    }

    /// How many transactions run at once in PostgreSQL where nobody says.
    private static let standardConnections = 8

    /// The store, brought to what this version needs; a SQLite file that is not there is made.
    ///
    /// - Returns: The store.
    /// - Throws: ``ConfigurationFault`` where there can be no such store; ``StoreError`` or ``OperationFailure`` where there is none now.
    func openStore() async throws -> any AccountStore {
        let location = try storeLocation()
        if !location.isDatabase { try makeDirectory(directory.path, for: .store) }
        let store = try makeStore(location)
        try await store.migrate()
        return store
    }

    /// A store that keeps nothing, in the place of the one that is configured: that is asked nothing, and not made.
    ///
    /// - Returns: The store.
    /// - Throws: ``ConfigurationFault`` where there can be no such store as is configured.
    func trialStore() async throws -> any AccountStore {
        let location = try storeLocation()
        if location.isDatabase {
            let store = try makeStore(location)
            await store.shutdown()
        }
        return InMemoryAccountStore()
    }

    /// The keys that close what the store keeps.
    ///
    /// They are made beside a SQLite file that is not there yet, and before it: so no file is ever without them. Nothing else makes
    /// them, or a mistyped name would be other keys, and everybody signed out.
    ///
    /// - Parameter makesFile: Whether they are made where that is due; if not, keys that nobody keeps stand for them.
    /// - Returns: The keys.
    /// - Throws: ``ConfigurationFault``; ``OperationFailure`` where there is no room for them.
    func secrets(makesFile: Bool) throws -> AccountSecrets {
        let location = try storeLocation()
        // Asked first: who makes both at the same time makes the keys first.
        let isNew = location.isMissingFile
        let beside = location.isDatabase ? nil : directory.path + "/accounts.keys"
        guard let path = secretsFile ?? beside else {
            throw ConfigurationFault("secrets-file: it must be said, since all servers of one database have the same")
        }
        if !FileManager.default.fileExists(atPath: path) {
            guard isNew, secretsFile == nil else {
                throw ConfigurationFault(
                    "secrets-file: \(ShownArgument(path)) is not there. The keys of the store belong there; where it has none yet, (umask 077; openssl rand -hex 32 > FILE) makes them"
                )
            }
            guard makesFile else { return AccountSecrets([randomBytes(count: 32)]) }
            try makeDirectory(directory.path, for: .store)
            try SecretFile.makeKeys(at: path) { randomBytes(count: $0) }
        }
        do throws(AccountSecretsFileError) {
            return try AccountSecrets(contentsOf: path)
        } catch {
            throw ConfigurationFault("secrets-file: \(error)")
        }
    }

    /// Whether the store is a file that is not there yet.
    var isNewFile: Bool { get throws(ConfigurationFault) { try storeLocation().isMissingFile } }

    /// Says where the accounts are: who has mistyped the path sees that it is another store, and a new one.
    func tell(_ logger: Logger, isNew: Bool) {
        let place: Logger.Metadata = ["store": "\(ShownArgument.withholdingTokens(in: storeName))"]
        if isNew {
            logger.notice("A new store of accounts is made", metadata: place)
        } else {
            logger.info("The store of accounts is open", metadata: place)
        }
        if providers.isEmpty, mailCommand == nil {
            logger.notice("Nobody can sign in: neither providers nor passwords are configured")
        }
    }

    /// The file; of a database only what it is, since what names it may hold what nobody else is to read.
    private var storeName: String { store.hasPrefix("postgresql:") ? "PostgreSQL" : store }

    /// The location of the store, checked.
    private func storeLocation() throws(ConfigurationFault) -> StoreLocation {
        let location: StoreLocation
        do throws(StoreLocation.Fault) {
            location = try StoreLocation(store, schema: storeSchema)
        } catch {
            let key: ConfigurationKey =
                switch error.setting {
                case .store: .store
                case .schema: .storeSchema
                }
            throw ConfigurationFault("\(key.name): \(printable(error.reason))")
        }
        if let lack = location.lack { throw ConfigurationFault("store: \(lack)") }
        guard !location.isDatabase else { return location }
        guard storeConnections == nil else { throw ConfigurationFault("store-connections: only PostgreSQL has them") }
        if let obstacle = Self.obstacle(to: store) { throw ConfigurationFault("store: \(printable(obstacle))") }
        return location
    }

    private func makeStore(_ location: StoreLocation) throws -> any AccountStore {
        do throws(StoreError) {
            return try location.open(makesFile: true, connections: storeConnections ?? Self.standardConnections)
        } catch {
            // A database is asked nothing yet: it is its name that cannot be read.
            guard !location.isDatabase else { throw ConfigurationFault("store: \(printable(error.detail))") }
            throw error
        }
    }

    /// The directory of the SQLite file.
    private var directory: URL { URL(filePath: store).deletingLastPathComponent() }

    /// Makes a directory of the service's own, where there is none.
    ///
    /// - Parameters:
    ///   - path: Where.
    ///   - key: What names it.
    /// - Throws: ``ConfigurationFault`` where there can be none; ``OperationFailure`` where there is no room for it.
    func makeDirectory(_ path: String, for key: ConfigurationKey) throws {
        do {
            try FileManager.default.createDirectory(
                at: URL(filePath: path),
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            guard !isLackOfSpace(error) else {
                throw OperationFailure("\(key.name): its directory cannot be made: no space is left")
            }
            throw ConfigurationFault("\(key.name): \(printable("\(error)"))")
        }
    }

    /// Why there can be no file of this path, whoever makes it; nil where there can.
    private static func obstacle(to path: String) -> String? {
        var parent = path.hasPrefix("/") ? "" : "."
        for part in path.split(separator: "/").dropLast() {
            parent += "/\(part)"
            // What is not there can be made.
            guard let type = fileType(parent) else { return nil }
            guard type == .typeDirectory else { return "\(parent) is no directory" }
        }
        return fileType(path) == .typeDirectory ? "\(path) is a directory" : nil
    }

    /// What is at a path, or where a link there leads; nil for nothing.
    private static func fileType(_ path: String) -> FileAttributeType? {
        let path = URL(filePath: path).resolvingSymlinksInPath().path
        return (try? FileManager.default.attributesOfItem(atPath: path))?[.type] as? FileAttributeType
    }
}
#endif
