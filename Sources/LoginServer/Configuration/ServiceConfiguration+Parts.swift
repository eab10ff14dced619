// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Foundation
internal import LoginAccounts
internal import LoginCrypto
internal import LoginKeys
internal import LoginPages
internal import LoginTokens
internal import Logging
internal import NIOSSL

extension ServiceConfiguration {
    /// Creates the HTTP transport for requests to providers.
    ///
    /// - Throws: ``ConfigurationFault`` if `ca-file` contains no certificate, or the outgoing proxy is invalid.
    func transport() throws(ConfigurationFault) -> AsyncHTTPClientTransport {
        var transport = AsyncHTTPClientTransport.Configuration(
            allowedNetworks: allowedNetworks,
            cleartextHosts: cleartextHosts,
            proxy: try proxy?.outgoingProxy()
        )
        if let authoritiesFile {
            // The transport reads the file again for each request; this check only detects an invalid file early.
            guard let authorities = try? NIOSSLCertificate.fromPEMFile(authoritiesFile), !authorities.isEmpty else {
                throw ConfigurationFault("ca-file: \(ShownArgument(authoritiesFile)) contains no PEM certificates")
            }
            transport.trustRoots = .file(authoritiesFile)
        }
        return AsyncHTTPClientTransport(transport)
    }

    /// Returns the options of the pages, with the logos.
    ///
    /// - Throws: ``ConfigurationFault`` if a logo cannot be read, is too large, or has another format, or if
    ///   `pages.support` is invalid.
    func pagesOptions() throws(ConfigurationFault) -> SignInPagesOptions {
        var options = SignInPagesOptions()
        options.allowsGuests = allowsGuests
        if !pagesLanguages.isEmpty {
            options.languages = pagesLanguages.compactMap { tag in PageText.all.first { $0.frame.language == tag } }
        }
        options.serviceName = pagesName
        options.logo = try Self.logo(pagesLogoFile, key: ConfigurationKey.pagesLogo.name)
        if let pagesSupport {
            guard let support = SupportLink(pagesSupport) else {
                throw ConfigurationFault(
                    "pages.support must be a URL with https or mailto, for example mailto:help@example.com"
                )
            }
            options.support = support
        }
        for provider in providers {
            let key = ConfigurationKey.providerLogo.of(provider.name).name
            options.providerLogos[provider.id] = try Self.logo(provider.logoFile, key: key)
        }
        return options
    }

    /// Reads a logo.
    private static func logo(_ path: String?, key: String) throws(ConfigurationFault) -> PageImage? {
        guard let path else { return nil }
        let bytes: [UInt8]
        do {
            bytes = Array(try openFile(path).readToEnd(limit: PageImage.byteLimit + 1))
        } catch {
            throw ConfigurationFault("\(key): \(error as? FileProblem ?? FileProblem("cannot read", path, error))")
        }
        do throws(PageImageError) {
            return try PageImage(bytes)
        } catch {
            throw ConfigurationFault("\(key): \(error)")
        }
    }

    /// Opens and migrates the store, and creates the SQLite file of a new store.
    ///
    /// - Returns: The store.
    /// - Throws: ``ConfigurationFault`` if the location is invalid; ``StoreError`` or ``OperationFailure`` if the store
    ///   is unavailable, or a SQLite file has lost its tables.
    func openStore() async throws -> any AccountStore {
        let location = try storeLocation()
        let isNew = try isNewFile
        if !location.isDatabase { try makeDirectory(directory.path, for: .store) }
        let store = try makeStore(location)
        do {
            if !location.isDatabase, !isNew {
                // A copy of the file without its `-wal` may lack all tables.
                let hasTables = try await store.read { rows in
                    guard let rows = rows as? any SQLStoreTransaction else { return false }
                    return try StoreMigration.hasRun(rows, dialect: .sqlite)
                }
                guard hasTables else { throw lostStore("has no tables of accounts") }
            }
            try await store.migrate()
            try renameNewKeys()
        } catch {
            await store.shutdown()
            throw error
        }
        return store
    }

    /// Returns an in-memory store, after a check of the configured location that neither opens nor creates the store.
    ///
    /// - Returns: The store.
    /// - Throws: ``ConfigurationFault`` if the location is invalid; ``OperationFailure`` if the SQLite file was lost.
    func trialStore() async throws -> any AccountStore {
        let location = try storeLocation()
        _ = try isNewFile
        if location.isDatabase {
            let store = try makeStore(location)
            await store.shutdown()
        }
        return InMemoryAccountStore()
    }

    /// Reads the encryption keys of the store.
    ///
    /// The keys of a new SQLite store are created beside it, before the store itself, so that no store exists without
    /// its keys. They get their final name when the store has its tables: keys with that name belong to a store that
    /// existed. Keys are never created in any other case: a mistyped path would otherwise produce different keys, and
    /// end every session.
    ///
    /// - Parameter makesFile: Whether to create the key file of a new store; if not, temporary random keys are used.
    /// - Returns: The keys.
    /// - Throws: ``ConfigurationFault`` if the keys are missing or invalid; ``OperationFailure`` if the disk is full,
    ///   or the SQLite file was lost.
    func secrets(makesFile: Bool) throws -> AccountSecrets {
        let isNew = try isNewFile
        guard let path = try secretsFile ?? ownKeys else {
            throw ConfigurationFault("secrets-file is required with PostgreSQL: all instances must use the same keys")
        }
        if !Self.exists(path) {
            guard isNew, secretsFile == nil else {
                throw ConfigurationFault(
                    "secrets-file: \(ShownArgument(path)) does not exist. Restore the keys of the store to this path; for a new store, create them with (umask 077; openssl rand -hex 32 > FILE)"
                )
            }
            guard makesFile else { return try AccountSecrets([randomBytes(count: 32)]) }
            try makeDirectory(directory.path, for: .store)
            try SecretFile.makeKeys(at: path + Self.newKeys) { randomBytes(count: $0) }
            // A concurrent start may have completed the store, and renamed its keys.
            if !Self.exists(path), let secrets = try? AccountSecrets(contentsOf: path + Self.newKeys) { return secrets }
        }
        do throws(AccountSecretsError) {
            return try AccountSecrets(contentsOf: path)
        } catch {
            throw ConfigurationFault("secrets-file: \(error)")
        }
    }

    /// Gives the keys of a new store their final name.
    private func renameNewKeys() throws {
        guard secretsFile == nil, let path = try ownKeys, Self.exists(path + Self.newKeys) else { return }
        // It fails if a concurrent start has done so, whose keys are the same.
        try? FileManager.default.moveItem(atPath: path + Self.newKeys, toPath: path)
        guard Self.exists(path) else { throw OperationFailure("secrets-file: \(printable(path)) cannot be created") }
        try? FileManager.default.removeItem(atPath: path + Self.newKeys)
    }

    /// The suffix of the keys of a store that has no tables yet.
    private static let newKeys = ".new"

    /// The path of the keys beside the SQLite file; nil for PostgreSQL.
    private var ownKeys: String? {
        get throws(ConfigurationFault) {
            try storeLocation().isDatabase ? nil : directory.path + "/" + Defaults.secretsFile
        }
    }

    /// Whether the store is a SQLite file that does not exist yet, or was not completed by an earlier start.
    ///
    /// - Throws: ``ConfigurationFault`` if the location is invalid; ``OperationFailure`` if the file is empty, or
    ///   missing although its keys exist.
    var isNewFile: Bool {
        get throws {
            let location = try storeLocation()
            guard let keys = try ownKeys else { return false }
            let hasKeys = secretsFile == nil && Self.exists(keys)
            let hasNewKeys = secretsFile == nil && !hasKeys && Self.exists(keys + Self.newKeys)
            if location.isMissingFile {
                guard !hasKeys else { throw lostStore("does not exist, although its keys do") }
                return true
            }
            guard !location.isEmptyFile || hasNewKeys else { throw lostStore("is empty") }
            return hasNewKeys
        }
    }

    /// Returns the error about a SQLite file without the accounts that were in it.
    ///
    /// It is no error of the configuration: the file may be restored meanwhile, and a restart finds it. A file that is
    /// missing without its keys, or with keys that `secrets-file` names, is a new store: a first start looks the same.
    private func lostStore(_ state: String) -> OperationFailure {
        let shown = ShownArgument.withholdingTokens(in: printable(store))
        return OperationFailure(
            "store: \(shown) \(state). Restore the accounts from a backup; to begin with a store without accounts, run verify-token accounts migrate --store \(shown)"
        )
    }

    private static func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    /// The policies of accounts.
    var authPolicy: AuthPolicy {
        var policy = AuthPolicy(storesProfiles: storesProfiles)
        if let smsPerHour { policy.factors.sendsPerHour = smsPerHour }
        policy.factors.allowedNumberPrefixes = smsCountries
        return policy
    }

    /// Checks that the programs that send messages can be executed.
    ///
    /// - Throws: ``ConfigurationFault`` if one cannot.
    func checkCommands() throws(ConfigurationFault) {
        let commands: [(ConfigurationKey, [String]?)] = [(.mailCommand, mailCommand), (.smsCommand, smsCommand)]
        for (key, command) in commands {
            guard let program = command?.first else { continue }
            // A directory can be "executed" too.
            let file = try? URL(filePath: program).resourceValues(forKeys: [.isDirectoryKey])
            if file?.isDirectory == false, FileManager.default.isExecutableFile(atPath: program) { continue }
            throw ConfigurationFault("\(key.name): \(ShownArgument(program)) is not a program that can be executed")
        }
    }

    /// Returns the queue of outgoing mail; nil if sign-in with passwords is off.
    func mailQueue(_ logger: Logger) -> MessageQueue<EmailMessage>? {
        guard let mailCommand else { return nil }
        let command = MessageCommand(key: .mailCommand, commandLine: mailCommand)
        let mailer = CommandMailer(command: command, publicURL: publicURL)
        return MessageQueue("mail", logger: logger) { try await mailer.send($0) }
    }

    /// Returns the queues of codes to phones; nil if no program sends them.
    func codeQueues(_ logger: Logger) -> CodeQueues? {
        guard let smsCommand else { return nil }
        let command = MessageCommand(key: .smsCommand, commandLine: smsCommand)
        let sender = CommandSMSSender(command: command, publicURL: publicURL)
        return CodeQueues(logger: logger) { try await sender.send($0) }
    }

    /// Logs the location of the store, which reveals a mistyped path that has created a new store.
    func logStore(to logger: Logger, isNew: Bool) {
        let place: Logger.Metadata = ["store": "\(ShownArgument.withholdingTokens(in: storeName))"]
        if isNew {
            logger.notice("account store created", metadata: place)
        } else {
            logger.info("account store opened", metadata: place)
        }
        if providers.isEmpty, mailCommand == nil, !allowsPhoneSignIn {
            logger.notice("sign-in is impossible: neither providers nor passwords nor sign-in by phone are configured")
        }
    }

    /// Logs settings that are valid, but rarely meant or a risk.
    func logWarnings(to logger: Logger) {
        if !cleartextHosts.isEmpty {
            logger.warning(
                "keys, secrets and codes may be read and changed on the way: http is allowed for cleartext-hosts",
                metadata: ["cleartext-hosts": "\(cleartextHosts.sorted().joined(separator: ", "))"]
            )
        }
        for provider in providers { provider.protection.logWeakenings(to: logger, of: provider.name) }
        // Right for a container whose port is published on this machine only.
        if !listen.isOfThisMachine, let host = (try? EndpointURL(publicURL, allowsLoopbackHTTP: true))?.host,
            ListenAddress.host(host, port: 0).isOfThisMachine
        {
            logger.warning("public-url is an address of this machine, but listen is reachable from others")
        }
    }

    /// The path of the SQLite file, or `PostgreSQL`: a connection string can contain confidential data.
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
        guard storeConnections == nil else {
            throw ConfigurationFault("store-connections can be set only for PostgreSQL")
        }
        if let obstacle = Self.obstacle(to: store) { throw ConfigurationFault("store: \(printable(obstacle))") }
        return location
    }

    private func makeStore(_ location: StoreLocation) throws -> any AccountStore {
        do throws(StoreError) {
            return try location.open(makesFile: true, connections: storeConnections ?? Defaults.storeConnections)
        } catch {
            // No connection is opened here, so an error of a database means an invalid connection string.
            guard !location.isDatabase else { throw ConfigurationFault("store: \(printable(error.detail))") }
            throw error
        }
    }

    /// The directory of the SQLite file.
    private var directory: URL { URL(filePath: store).deletingLastPathComponent() }

    /// Creates a directory with mode 0700, unless it exists.
    ///
    /// - Parameters:
    ///   - path: The path of the directory.
    ///   - key: The configuration key of the path, for error messages.
    /// - Throws: ``ConfigurationFault`` if it cannot be created; ``OperationFailure`` if the disk is full.
    func makeDirectory(_ path: String, for key: ConfigurationKey) throws {
        do {
            try FileManager.default.createDirectory(
                at: URL(filePath: path),
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            guard !isLackOfSpace(error) else {
                throw OperationFailure("\(key.name): the directory cannot be created: the disk is full")
            }
            throw ConfigurationFault("\(key.name): \(printable("\(error)"))")
        }
    }

    /// Returns the reason why no file can exist at a path; nil if there is no obstacle.
    private static func obstacle(to path: String) -> String? {
        var parent = path.hasPrefix("/") ? "" : "."
        for part in path.split(separator: "/").dropLast() {
            parent += "/\(part)"
            // Missing directories can be created.
            guard let type = fileType(parent) else { return nil }
            guard type == .typeDirectory else { return "\(parent) is not a directory" }
        }
        return fileType(path) == .typeDirectory ? "\(path) is a directory" : nil
    }

    /// Returns the type of the file at a path, after resolving symbolic links; nil if none exists.
    private static func fileType(_ path: String) -> FileAttributeType? {
        let path = URL(filePath: path).resolvingSymlinksInPath().path
        return (try? FileManager.default.attributesOfItem(atPath: path))?[.type] as? FileAttributeType
    }
}

extension ServiceConfiguration.ProxySettings {
    /// Returns the proxy, with its credentials.
    ///
    /// - Throws: ``ConfigurationFault`` if the URL or the credentials are invalid, without quoting them.
    func outgoingProxy() throws(ConfigurationFault) -> OutgoingProxy {
        let name = ConfigurationKey.proxy.name
        guard !url.contains("@") else {
            throw ConfigurationFault(
                "\(name) must have no password; write it to the file of \(ConfigurationKey.proxyCredentials.name)"
            )
        }
        var credentials: String?
        if let credentialsFile {
            credentials = try SecretFile.read(credentialsFile, key: ConfigurationKey.proxyCredentials.name)
        }
        do throws(TransportFailure) {
            return try OutgoingProxy(url, credentials: credentials, exceptions: exceptions)
        } catch {
            throw ConfigurationFault("\(name): \(error.detail)")
        }
    }
}
#endif
