// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation
import LoginAccounts
import LoginProviders
import LoginStorePostgreSQL
import LoginStoreSQLite
import LoginTesting
import LoginTokens

/// A store, and accounts over it with two providers that sign any token.
struct Workplace: Sendable {
    let store: any AccountStore
    /// The connection string of PostgreSQL; nil for SQLite.
    private let connection: String?
    let auth: Auth
    let issuers: [ProviderID: TestIssuer]

    static let alpha = ProviderID("alpha")
    static let beta = ProviderID("beta")

    init(store name: String) async throws {
        store = try await Self.open(name)
        connection = name.wholeMatch(of: /postgresql:\w+ (.+)/).map { String($0.1) }
        try await store.migrate()
        // Small elliptic-curve keys: the store is under test, not the signature.
        var issuers: [ProviderID: TestIssuer] = [:]
        for id in [Self.alpha, Self.beta] {
            issuers[id] = TestIssuer(
                provider: Provider(
                    name: id.rawValue,
                    issuers: ["https://\(id).example"],
                    keySetURL: "https://\(id).example/keys"
                ),
                key: TestKey(.es256)
            )
        }
        self.issuers = issuers
        let providers = issuers.map { id, issuer in
            SignInProvider.openID(id, issuer: issuer.provider.issuers[0], clientID: issuer.audience).with {
                $0.provider = issuer.provider
                $0.algorithms = [.es256]
                $0.emailTrust = .verifiedClaimOfAnyDomain
            }
        }
        auth = Auth(
            store: store,
            providers: try SignInProviders(
                providers,
                keys: KeySnapshot(issuers.values.map(\.keys)),
                transport: StubTransport()
            ),
            // A key for tests, the same in each process.
            secrets: AccountSecrets(repeating: 0x2A)
        )
    }

    var isPostgreSQL: Bool { connection != nil }

    private static func open(_ name: String) async throws -> any AccountStore {
        #if SQLite
        if let path = name.wholeMatch(of: /sqlite:(.+)/)?.1 { return try SQLiteAccountStore(path: String(path)) }
        #endif
        #if PostgreSQL
        if let match = name.wholeMatch(of: /postgresql:(\w+) (.+)/) {
            // A busy machine may be slow, which is not an error of the store.
            let timeouts = PostgreSQLTimeouts(
                freeConnection: .seconds(30),
                connecting: .seconds(30),
                lock: .seconds(30),
                statement: .seconds(60),
                idleTransaction: .seconds(60)
            )
            return try PostgreSQLAccountStore(
                String(match.2),
                schema: String(match.1),
                connections: 16,
                timeouts: timeouts
            )
        }
        #endif
        throw WorkerError(description: "no store of this build: \(name.prefix(while: { $0 != ":" }))")
    }

    /// Returns a credential of a user, for an attempt.
    func credential(_ subject: String, _ provider: ProviderID, for purpose: AttemptPurpose = .signIn) async throws
        -> AuthCredential
    {
        let attempt = try await auth.begin(purpose, with: provider)
        guard let issuer = issuers[provider] else { throw WorkerError(description: "no issuer") }
        let token = issuer.token(nonce: attempt.nonce) { token in
            let now = Date().timeIntervalSince1970.rounded(.down)
            token.claims["sub"] = .string(subject)
            token.claims["iat"] = .number(String(Int(now)))
            token.claims["exp"] = .number(String(Int(now) + 3600))
            token.claims["email"] = .string("\(subject)@example.com")
            token.claims["email_verified"] = true
        }
        return .idToken(token, attempt: attempt.token)
    }
}

extension Workplace {
    /// Returns the resolver of a sign-in to an account that has a second factor.
    func resolver(of credential: AuthCredential) async throws -> MultiFactorResolver {
        guard case .secondFactorRequired(let resolver) = try await auth.signIn(with: credential) else {
            throw WorkerError(description: "no second factor was required")
        }
        return resolver
    }

    /// Runs SQL statements, each with its values, in one transaction.
    ///
    /// - Returns: The rows of the last one.
    @discardableResult
    func run(_ statements: [(String, [StoreValue])]) async throws -> [StoreRow] {
        try await store.transaction { rows in
            guard let database = rows as? any SQLStoreTransaction else { throw WorkerError(description: "no SQL here") }
            var result: [StoreRow] = []
            for (statement, values) in statements { result = try database.execute(statement, values) }
            return result
        }
    }

    /// Returns the size of the tables with their indexes.
    func bytes() async throws -> Int64 {
        let size =
            isPostgreSQL
            ? """
            SELECT CAST(sum(pg_total_relation_size(oid)) AS BIGINT) AS bytes FROM pg_class
            WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND relname LIKE 'login%'
            """ : "SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size"
        guard case .integer(let bytes) = try await run([(size, [])]).first?.values["bytes"] else {
            throw WorkerError(description: "the database does not say how large it is")
        }
        return bytes
    }

    /// Brings PostgreSQL into the state of a server that has run for long, and blocks until then: statistics, no
    /// vacuum due, and few dirty pages.
    func settle() throws {
        guard let connection else { return }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        // VACUUM cannot run in a transaction.
        process.arguments = [
            "psql", "--no-psqlrc", "-q", "-d", connection, "-c", "VACUUM (ANALYZE)", "-c", "CHECKPOINT",
        ]
        process.standardInput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw WorkerError(description: "psql failed") }
    }
}

/// The reason why a worker could not work.
struct WorkerError: Error, CustomStringConvertible {
    let description: String
}
