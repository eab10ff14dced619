// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine && SQLite
internal import Foundation
internal import LoginAccounts
import LoginProviders
internal import LoginStorePostgreSQL
internal import LoginStoreSQLite
import LoginTestServers
internal import LoginTesting
internal import LoginTokens
internal import Testing

/// `verify-token accounts` on the store of a server: a SQLite file, and a PostgreSQL schema if the environment names
/// one.
@Suite struct AccountsCommandTests {
    enum Engine: String {
        case sqlite = "SQLite"
        case postgresql = "PostgreSQL"

        /// The connection string, set by `scripts/postgresql run`.
        static let connection = ProcessInfo.processInfo.environment["LIMITED_LOGIN_POSTGRESQL"].flatMap {
            $0.isEmpty ? nil : $0
        }

        #if PostgreSQL
        static let all: [Self] = connection == nil ? [.sqlite] : [.sqlite, .postgresql]
        #else
        static let all: [Self] = [.sqlite]
        #endif

        /// Returns the options that name a new store, and the store as a server opens it.
        func makeStore(in folder: borrowing Workspace) throws -> (options: [String], store: any AccountStore) {
            let name = "accounts_\(UUID().uuidString.lowercased().prefix(13))"
            switch self {
            case .sqlite:
                let path = folder.path(name)
                return (["--store", path], try SQLiteAccountStore(path: path))
            case .postgresql:
                #if PostgreSQL
                let connection = try #require(Self.connection)
                let options = ["--store", "postgresql:\(connection)", "--schema", name]
                // A busy machine may be slow.
                let timeouts = PostgreSQLTimeouts(
                    freeConnection: .seconds(30),
                    connecting: .seconds(30),
                    lock: .seconds(30),
                    statement: .seconds(60),
                    idleTransaction: .seconds(60)
                )
                let store = try PostgreSQLAccountStore(connection, schema: name, connections: 2, timeouts: timeouts)
                return (options, store)
                #else
                throw CocoaError(.featureUnsupported)
                #endif
            }
        }
    }

    /// A store with one user, who is signed in on one device.
    final class Server {
        let folder: Workspace
        let options: [String]
        let store: any AccountStore
        let auth: Auth
        let ada: AuthDataResult

        init(_ engine: Engine = .sqlite, policy: AuthPolicy = AuthPolicy(), offersPasswords: Bool = false) async throws
        {
            let folder = try Workspace(issuer: TestIssuer(provider: .google, clock: ManualClock(Date())))
            let issuer = folder.issuer
            let (options, store) = try engine.makeStore(in: folder)
            try await store.migrate()
            let google = SignInProvider.google(clientID: issuer.audience)
                .with { $0.emailTrust = .verifiedClaimOfAnyDomain }
            let auth = Auth(
                store: store,
                providers: try SignInProviders([google], keys: issuer.keys, transport: StubTransport()),
                secrets: AccountSecrets(repeating: 1),
                policy: policy,
                mail: offersPasswords ? CapturedMail() : nil
            )
            ada = try await Self.signIn(auth, issuer)
            self.auth = auth
            self.options = options
            self.store = store
            self.folder = folder
        }

        /// Signs in the same user once more.
        func signIn() async throws -> AuthDataResult { try await Self.signIn(auth, folder.issuer) }

        /// Signs in another user.
        func signIn(as subject: String, email: String) async throws -> AuthDataResult {
            try await Self.signIn(auth, folder.issuer, as: subject, email: email)
        }

        private static func signIn(
            _ auth: Auth,
            _ issuer: TestIssuer,
            as subject: String = "lovelace-1815",
            email: String = "ada@example.com"
        ) async throws -> AuthDataResult {
            let attempt = try await auth.begin(.signIn, with: .google)
            let token = issuer.token(nonce: attempt.nonce) { token in
                token.claims["sub"] = .string(subject)
                token.claims["email"] = .string(email)
                token.claims["email_verified"] = true
            }
            return try await auth.signIn(
                with: .idToken(token, attempt: attempt.token),
                from: RequestOrigin(address: nil, device: "Ada's iPhone")
            ).get()
        }

        var id: String { ada.account.id.rawValue }

        /// Returns the option that names a file of keys, each of which repeats a byte; the servers' repeats `01`.
        func secrets(_ bytes: String...) throws -> String {
            let keys = bytes.map { String(repeating: $0, count: 32) + "\n" }.joined()
            let path = try folder.write(keys, "keys-\(bytes.joined())").path()
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            return "--secrets-file=\(path)"
        }

        func run(_ arguments: String...) throws -> CommandLineRun {
            try CommandLineRun(["accounts"] + arguments + options)
        }
    }

    @Test func `migrate creates a private file, and changes nothing the second time`() throws {
        let folder = try Workspace()
        let path = folder.path("accounts")
        let first = try CommandLineRun(["accounts", "migrate", "--store", path])
        #expect(first.status == 0 && first.output.hasPrefix("done: "))
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let second = try CommandLineRun(["accounts", "migrate", "--store", path])
        #expect(second.status == 0 && second.output == "nothing to do\n")
        #expect(try CommandLineRun(["accounts", "check", "--store", path]).output == "0 problems\n")
    }

    @Test(arguments: Engine.all)
    func `an account is shown, with personal data only on request`(_ engine: Engine) async throws {
        let server = try await Server(engine)
        let run = try server.run("show", server.id)
        #expect(run.status == 0 && run.output.hasPrefix("account \(server.id): in use\n"))
        #expect(run.output.contains("\nlogins: 1\n  google sha256:") && run.output.contains("\nopen sessions: 1\n"))
        #expect(!run.output.contains("lovelace") && !run.output.contains("ada@") && !run.output.contains("iPhone"))
        let shown = try server.run("show", server.id, "--show-claims")
        #expect(shown.output.contains("Ada's iPhone"))
        #expect(shown.output.contains("e-mail       ada@example.com") && shown.output.contains("google lovelace-1815"))
        let json = try server.run("show", server.id, "--format", "json").json()
        #expect(json["id"] as? String == server.id && json["email"] == nil)
        #expect((json["logins"] as? [[String: Any]])?.first?["provider"] as? String == "google")
    }

    @Test(arguments: Engine.all)
    func `an account is found by its login`(_ engine: Engine) async throws {
        let server = try await Server(engine)
        let run = try server.run("show", "--provider", "google", "--uid", "lovelace-1815")
        #expect(run.status == 0 && run.output.hasPrefix("account \(server.id): in use\n"))
        #expect(try server.run("show", "--provider", "google", "--uid", "lovelace-1816").status == 1)
        #expect(try server.run("show", "--provider", "google").status == 64)
        #expect(try server.run("show", server.id, "--provider", "google", "--uid", "lovelace-1815").status == 64)
        #expect(try server.run("show").status == 64)
    }

    @Test(arguments: Engine.all)
    func `lost factors are removed, keys rotated, and expired rows swept`(_ engine: Engine) async throws {
        let server = try await Server(engine, policy: AuthPolicy(storesProfiles: true))
        #expect(try server.run("remove-factors", server.id).output == "0 second factors removed\n")
        try await server.auth.importTOTP("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", for: server.ada.account.id)
        #expect(try server.run("reseal", server.secrets("02")).status == 2)
        let unread = try server.run("check", server.secrets("02"))
        #expect(unread.status == 1 && unread.output.hasSuffix("\n2 problems\n"))
        let resealed = try server.run("reseal", server.secrets("02", "01"))
        #expect(resealed.output == "1 second factors and 1 stored profiles encrypted again\n")
        #expect(try server.run("check", server.secrets("02")).output == "0 problems\n")
        let data = try server.run("personal-data", server.id, server.secrets("02"))
        #expect(data.status == 0 && data.output.contains("\"hasUnreadableClaims\" : false"))
        let open = try server.folder.write(String(repeating: "02", count: 32), "open-keys").path()
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: open)
        #expect(try server.run("reseal", "--secrets-file", open).status == 2)
        #expect(try server.run("remove-factors", server.id).output == "1 second factors removed\n")
        let swept = try server.run("sweep")
        #expect(swept.status == 0 && swept.output.hasSuffix("0 sessions closed\n0 anonymous accounts deleted\n"))
        #expect(try server.run("sweep", "--audit-days", "0").status == 64)
        #expect(try server.run("check").output == "0 problems\n")
    }

    @Test(arguments: Engine.all, ["login_tweak", "login_password", "login_budget"])
    func `a sweep of a store that lacks a table fails, and deletes nothing`(_ engine: Engine, _ table: String)
        async throws
    {
        let server = try await Server(engine)
        try await server.store.transaction { rows in
            let database = try #require(rows as? any SQLStoreTransaction)
            try database.execute("UPDATE login_audit SET at = 0", [])
            try database.execute("DROP TABLE \(table)", [])
        }
        let swept = try server.run("sweep", "--audit-days", "1")
        #expect(swept.status == 2 && swept.errors.contains(table) && swept.output.isEmpty)
        #expect(try await !server.auth.audit(of: server.ada.account.id).isEmpty)
    }

    @Test(arguments: Engine.all)
    func `sessions are listed and closed, and the audit has the actions`(_ engine: Engine) async throws {
        let server = try await Server(engine)
        #expect(try server.run("sessions", server.id).output.hasSuffix("\n1 open sessions\n"))
        #expect(try server.run("close-sessions", server.id).output == "1 sessions closed\n")
        #expect(try server.run("sessions", server.id).output == "0 open sessions\n")
        await #expect(throws: AuthError.self) { try await server.auth.session(server.ada.tokens.sessionToken) }
        let audit = try server.run("audit", server.id)
        #expect(audit.output.contains(" account.created by ") && audit.output.contains(" session.closed by "))
        #expect(!audit.output.contains("lovelace") && !audit.output.contains("ada@"))
    }

    @Test(arguments: Engine.all)
    func `--all closes all sessions of all accounts, and cannot be combined with an account`(_ engine: Engine)
        async throws
    {
        let server = try await Server(engine)
        let again = try await server.signIn()
        #expect(try server.run("close-sessions").errors.contains("or --all"))
        #expect(try server.run("close-sessions", server.id, "--all").status == 64)
        _ = try await server.auth.session(again.tokens.sessionToken)
        #expect(try server.run("close-sessions", "--all").output == "2 sessions closed\n")
        for result in [server.ada, again] {
            await #expect(throws: AuthError.self) { try await server.auth.session(result.tokens.sessionToken) }
        }
        #expect(try server.run("close-sessions", "--all").output == "0 sessions closed\n")
        // A later sign-in is not affected.
        let later = try await server.signIn()
        _ = try await server.auth.session(later.tokens.sessionToken)
        #expect(try server.run("check").output == "0 problems\n")
    }

    @Test(arguments: Engine.all)
    func `an account is disabled, enabled and deleted`(_ engine: Engine) async throws {
        let server = try await Server(engine)
        #expect(try server.run("disable", server.id).output == "disabled\n")
        #expect(try server.run("show", server.id).output.hasPrefix("account \(server.id): disabled\n"))
        #expect(try server.run("enable", server.id).output == "enabled\n")
        #expect(try server.run("show", server.id).output.hasPrefix("account \(server.id): in use\n"))
        #expect(try server.run("delete", server.id).status == 64)
        let secrets = try server.folder.write(String(repeating: "01", count: 32) + "\n", "secrets").path()
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: secrets)
        #expect(try server.run("delete", server.id, "--secrets-file", secrets).output == "deleted\n")
        #expect(try server.run("show", server.id).status == 1)
        #expect(try server.run("check").output == "0 problems\n")
    }

    @Test(arguments: Engine.all, Engine.all)
    func `an export fills an empty store, and sessions remain open`(from: Engine, to: Engine)
        async throws
    {
        let server = try await Server(from)
        let lines = server.folder.path("accounts.jsonl")
        let exported = try server.run("export", lines)
        #expect(exported.status == 0 && exported.output.contains("login_account: 1\n"))
        #expect(try FileManager.default.attributesOfItem(atPath: lines)[.posixPermissions] as? Int == 0o600)
        let again = try server.run("export", lines)
        #expect(again.status == 64 && again.errors.hasSuffix(": a file of this name already exists\n"))

        let (options, other) = try to.makeStore(in: server.folder)
        func run(_ arguments: String...) throws -> CommandLineRun {
            try CommandLineRun(["accounts"] + arguments + options)
        }
        _ = try run("migrate")
        let tried = try run("import", lines, "--dry-run")
        #expect(tried.status == 0 && tried.output.hasSuffix("\nnothing was written\n"))
        let imported = try run("import", lines)
        #expect(imported.output == exported.output)
        #expect(try run("import", lines).status == 2)
        #expect(try run("check").output == "0 problems\n")
        let same = Auth(store: other, providers: .none, secrets: AccountSecrets(repeating: 1))
        #expect(try await same.session(server.ada.tokens.sessionToken).accountID == server.ada.account.id)
    }

    @Test(arguments: Engine.all)
    func `control characters in stored texts do not reach the terminal`(_ engine: Engine) async throws {
        let server = try await Server(engine)
        try await server.store.transaction { rows in
            let rows = try #require(rows as? any SQLStoreTransaction)
            try rows.execute("UPDATE login_audit SET action = $1", [.text("\u{1B}[2J\u{202E}gone")])
        }
        let audit = try server.run("audit", server.id)
        #expect(audit.status == 0 && audit.output.contains(" \\u{1b}[2J\\u{202e}gone by "))
        let check = try server.run("check")
        #expect(!(audit.output + check.output + check.errors).unicodeScalars.contains("\u{1B}"))
    }

    @Test func `a dry run treats a missing store as empty and does not create it`() async throws {
        let server = try await Server()
        let lines = server.folder.path("accounts.jsonl")
        let exported = try server.run("export", lines)
        let other = server.folder.path("other")
        let tried = try CommandLineRun(["accounts", "import", lines, "--dry-run", "--store", other])
        #expect(tried.status == 0 && tried.output == exported.output + "nothing was written\n")
        #expect(!FileManager.default.fileExists(atPath: other))
        _ = try await SQLiteAccountStore(path: other).shutdown()
        #expect(try CommandLineRun(["accounts", "import", lines, "--dry-run", "--store", other]).status == 0)
        // A file that is not an export is reported with its line.
        try server.folder.write("0101\n", "keys")
        let wrong = try CommandLineRun([
            "accounts", "import", server.folder.path("keys"), "--dry-run", "--store", other,
        ])
        #expect(wrong.status == 2 && wrong.errors.contains("line 1 of the export: not an account export"))
    }

    @Test(arguments: Engine.all)
    func `an account is found by its e-mail address, and named by its login`(_ engine: Engine) async throws {
        let server = try await Server(engine)
        #expect(try server.run("find", "--email", " ADA@example.com").output == "\(server.id)\n")
        #expect(try server.run("find", "--email", "eve@example.com").status == 1)
        #expect(try server.run("find", "--email", "ada").status == 2)
        let login = ["--provider", "google", "--uid", "lovelace-1815"]
        func run(_ arguments: String...) throws -> CommandLineRun {
            try CommandLineRun(["accounts"] + arguments + login + server.options)
        }
        #expect(try run("sessions").output.hasSuffix("\n1 open sessions\n"))
        #expect(try run("disable").output == "disabled\n")
        #expect(try run("personal-data", server.secrets("01")).output.contains("\n  \"account\" : {\n"))
        let keys = try server.folder.write(String(repeating: "02", count: 32) + "\n", "other-keys").path()
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: keys)
        #expect(try server.run("enable", server.id).status == 0)
        _ = try await server.signIn()
        let refused = try server.run("delete", server.id, "--secrets-file", keys)
        #expect(refused.status == 2 && refused.errors.contains("another key"))
        #expect(try server.run("show", server.id).status == 0)
    }

    @Test func `a file in use is backed up, and personal data is printed`() async throws {
        let server = try await Server()
        let copy = server.folder.path("copy")
        #expect(try server.run("backup", copy).output == "done\n")
        let again = try server.run("backup", copy)
        #expect(again.status == 64 && again.errors.hasSuffix(": a file of this name already exists\n"))
        #expect(try CommandLineRun(["accounts", "show", server.id, "--store", copy]).status == 0)
        let data = try server.run("personal-data", server.id, server.secrets("01"))
        #expect(data.status == 0 && data.output.contains("ada@example.com"))
        #expect(!data.output.contains(server.ada.tokens.sessionToken))
    }

    @Test(arguments: Engine.all)
    func `personal data includes stored claims, and without their key the command fails`(_ engine: Engine) async throws
    {
        let server = try await Server(engine, policy: AuthPolicy(storesProfiles: true))
        let data = try server.run("personal-data", server.id, server.secrets("02", "01"))
        let login = try #require((data.json()["logins"] as? [[String: Any]])?.first)
        #expect(data.status == 0 && data.errors.isEmpty && login["hasUnreadableClaims"] as? Bool == false)
        #expect((login["claims"] as? [String: Any])?["sub"] as? String == "lovelace-1815")
        let other = try server.run("personal-data", server.id, server.secrets("02"))
        #expect(other.status == 2 && other.errors.contains("1 logins are missing: no key of --secrets-file"))
        let incomplete = try #require((other.json()["logins"] as? [[String: Any]])?.first)
        #expect(incomplete["claims"] == nil && incomplete["hasUnreadableClaims"] as? Bool == true)
        #expect(try server.run("personal-data", server.id).status == 64)
        // An account without stored claims needs no key.
        let bare = try await Server(engine)
        #expect(try bare.run("personal-data", bare.id, bare.secrets("02")).status == 0)
    }

    @Test func `a damaged file is not backed up: the output and the exit status are those of the check`() async throws {
        let folder = try Workspace()
        let (path, copy) = (folder.path("accounts"), folder.path("copy"))
        let store = try SQLiteAccountStore(path: path)
        try await store.migrate()
        await store.shutdown()
        let file = URL(filePath: path)
        // Two pages that nothing uses; the number of pages is in the header.
        var content = try Data(contentsOf: file) + Data(count: 2 * 4096)
        let pages = content.count / 4096
        content.replaceSubrange(28..<32, with: [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: pages >> $0) })
        try content.write(to: file)
        let run = try CommandLineRun(["accounts", "backup", copy, "--store", path])
        #expect(run.status == 1 && run.output.hasSuffix("\n2 problems\n"), "\(run.output)")
        #expect(!FileManager.default.fileExists(atPath: copy))
    }

    @Test func `an empty file is not backed up, and not changed`() throws {
        let folder = try Workspace()
        let (empty, copy) = (try folder.write("", "empty").path(), folder.path("copy"))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: empty)
        let run = try CommandLineRun(["accounts", "backup", copy, "--store", empty])
        #expect(run.status == 2 && run.errors.contains("empty") && run.output.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: copy))
        #expect(try Data(contentsOf: URL(filePath: empty)).isEmpty)
    }

    @Test func `a failed command prints its reason and has its own exit status`() async throws {
        let server = try await Server()
        let unknown = try server.run("show", "00000000-0000-7000-8000-000000000000")
        #expect(unknown.status == 1 && unknown.errors == "verify-token: the account does not exist\n")
        #expect(try server.run("show", "ada").status == 64)
        let unlocated = try CommandLineRun(["accounts", "check"])
        #expect(unlocated.status == 64 && unlocated.errors.contains("check --store <store> [--schema <name>]"))
        #expect(try CommandLineRun(["accounts", "check", "--store", ""]).status == 64)
        for schema in ["", String(repeating: "s", count: 64)] {
            #expect(try server.run("check", "--schema", schema).status == 64)
        }
        let missing = try CommandLineRun(["accounts", "check", "--store", server.folder.path("nowhere")])
        #expect(missing.status == 2 && missing.errors.contains("does not exist"))
        let words = try server.folder.write(
            "this is no database, and longer than a head of one would be at the least",
            "text"
        ).path()
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: words)
        let text = try CommandLineRun(["accounts", "check", "--store", server.folder.path("text")])
        #expect(text.status == 1 && text.output.contains("no database") && text.output.hasSuffix("\n1 problems\n"))
        #expect(try server.run("audit", "00000000-0000-7000-8000-000000000000").status == 1)
        #expect(try server.run("export", "-").status == 64)
        let folder = try CommandLineRun(["accounts", "import", "/tmp", "--store", server.folder.path("new")])
        #expect(folder.status == 2 && folder.errors.contains("directory"), "\(folder.errors)")
        #expect(try server.run("check", "--schema", "public").errors.contains("schemas require PostgreSQL"))
        for store in ["host=localhost dbname=x password=hunter2", "sqlite:accounts", "mysql://ada@x/y", "user = x"] {
            let run = try CommandLineRun(["accounts", "migrate", "--store", store])
            #expect(run.status == 64 && run.errors.contains("--store: use a file, or postgresql:"))
            #expect(!run.errors.contains("hunter2"))
        }
        for store in [
            "postgresql://ada:hunter2@localhost/x", "postgresql:host=localhost password=hunter2",
            "postgresql://ada@localhost/x?pa%73sword=hunter2",
        ] {
            let run = try CommandLineRun(["accounts", "check", "--store", store])
            #expect(run.status == 64 && run.errors.contains("PGPASSFILE") && !run.errors.contains("hunter2"))
        }
    }
}
#endif
