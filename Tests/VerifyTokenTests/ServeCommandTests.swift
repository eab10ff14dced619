// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine && Hummingbird && SQLite
internal import Foundation
internal import TestSupport
internal import Testing

/// The service as a process.
@Suite(.timeLimit(.minutes(10))) struct ServeCommandTests {
    /// A service with a new store in a directory of its own.
    private final class Service {
        let directory: URL
        let process = Process()
        private let errors: URL

        init(_ arguments: [String] = []) throws {
            directory = FileManager.default.temporaryDirectory.appendingPathComponent("s\(UUID().uuidString.prefix(8))")
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            errors = directory.appendingPathComponent("log")
            _ = FileManager.default.createFile(atPath: errors.path, contents: nil)
            process.executableURL = CommandLineRun.executable
            process.arguments =
                [
                    "serve", "--listen", "127.0.0.1:0", "--store", path("store/accounts.sqlite"),
                    "--admin-listen", "unix:" + path("admin.sock"), "--set", "keys-directory=" + path("keys"),
                ] + arguments
            process.standardError = try FileHandle(forWritingTo: errors)
            process.standardOutput = FileHandle.nullDevice
        }

        deinit {
            if process.isRunning { process.terminate() }
            try? FileManager.default.removeItem(at: directory)
        }

        func path(_ name: String) -> String { directory.appendingPathComponent(name).path }

        var log: String { (try? String(contentsOf: errors, encoding: .utf8)) ?? "" }

        /// Waits until the log contains a text; fails if the service exits first.
        func wait(for text: String) async throws {
            try await eventually("the log has \(text)") { log.contains(text) || !process.isRunning }
            try #require(log.contains(text), "\(log)")
        }

        func mode(_ name: String) throws -> Int { try number(.posixPermissions, of: name) }

        func number(_ key: FileAttributeKey, of name: String) throws -> Int {
            let attributes = try FileManager.default.attributesOfItem(atPath: path(name))
            return try #require(attributes[key] as? NSNumber).intValue
        }

        /// Terminates the service, and returns its exit status.
        func end() -> Int32 {
            process.terminate()
            process.waitUntilExit()
            return process.terminationStatus
        }
    }

    @Test func `files of the service are private, and the service ends on a signal`() async throws {
        let service = try Service()
        try service.process.run()
        try await service.wait(for: "listening on 127.0.0.1")
        try await service.wait(for: "admin.sock")
        // From the first moment no other user has access; the execute bits mean nothing for a socket.
        #expect(try service.mode("admin.sock") & 0o077 == 0)
        try await eventually("the socket has the mode 600") { (try? service.mode("admin.sock")) == 0o600 }
        #expect(try service.mode("store/accounts.keys") == 0o600)
        #expect(try service.mode("store/accounts.sqlite") == 0o600)
        #expect(try service.mode("store") == 0o700)
        // Without a configuration file, SIGHUP does not end the process.
        kill(service.process.processIdentifier, SIGHUP)
        try await service.wait(for: "SIGHUP")
        service.process.terminate()
        service.process.waitUntilExit()
        #expect(service.process.terminationStatus == 0, "\(service.log)")
    }

    @Test
    func
        `the metadata of providers is fetched before the service listens, and an unreachable provider does not stop it`()
        async throws
    {
        let service = try Service()
        let provider = ["issuer=http://127.0.0.1:1", "client-id=x", "allow-loopback-http=true"].map {
            "provider.a.\($0)"
        }
        service.process.arguments? += (["providers=a"] + provider).flatMap { ["--set", $0] }
        try service.process.run()
        try await service.wait(for: "listening on 127.0.0.1")
        let log = service.log
        let fault = try #require(log.range(of: "provider metadata unavailable"))
        let listening = try #require(log.range(of: "listening on 127.0.0.1"))
        #expect(fault.lowerBound < listening.lowerBound, "\(log)")
        #expect(log.contains("redirect URI to register at the provider") && log.contains("/login/a/callback"), "\(log)")
        #expect(service.end() == 0)
    }

    @Test func `the log level follows changes of the file, and an invalid file changes nothing`() async throws {
        let service = try Service()
        let file = service.path("serve.yaml")
        try Data("log-level: info\n".utf8).write(to: URL(filePath: file))
        service.process.arguments? += ["--config", file]
        try service.process.run()
        try await service.wait(for: "admin.sock")
        #expect(!service.log.contains(" debug "))
        try Data("listn: x\n".utf8).write(to: URL(filePath: file))
        kill(service.process.processIdentifier, SIGHUP)
        try await service.wait(for: "invalid configuration")
        #expect(service.log.contains("listn") && !service.log.contains(" debug "))
        try Data("log-level: debug\n".utf8).write(to: URL(filePath: file))
        kill(service.process.processIdentifier, SIGHUP)
        try await service.wait(for: " debug ")
        service.process.terminate()
        service.process.waitUntilExit()
        #expect(service.process.terminationStatus == 0)
    }

    @Test func `SIGHUP during the start does not end the service`() async throws {
        let service = try Service()
        try service.process.run()
        // SIGHUP is ignored from the first moment; here its handler is not installed yet.
        while !FileManager.default.fileExists(atPath: service.path("store/accounts.keys")) {
            try #require(service.process.isRunning, "\(service.log)")
            try await Task.sleep(for: .milliseconds(1))
        }
        kill(service.process.processIdentifier, SIGHUP)
        try await service.wait(for: "listening on 127.0.0.1")
        #expect(service.end() == 0, "\(service.log)")
    }

    @Test func `a missing file is logged, and an invalid one at the start is reported by the command`() async throws {
        let service = try Service()
        let file = service.path("serve.yaml")
        try Data("listn: x\n".utf8).write(to: URL(filePath: file))
        let wrong = try CommandLineRun(["serve", "--check", "--config", file])
        #expect(wrong.status == 64 && wrong.errors.contains("did you mean listen?"))
        #expect(!wrong.errors.contains("stays in effect"))
        try Data("log-level: info\n".utf8).write(to: URL(filePath: file))
        service.process.arguments? += ["--config", file]
        try service.process.run()
        try await service.wait(for: "admin.sock")
        try FileManager.default.removeItem(atPath: file)
        kill(service.process.processIdentifier, SIGHUP)
        try await service.wait(for: "invalid configuration; the previous one stays in effect")
        #expect(service.log.contains("cannot read"))
        #expect(service.end() == 0)
    }

    /// Returns arguments with which no service can start, each with the key at fault.
    private static func impossible(in directory: URL) -> [([String], String)] {
        let store = directory.appendingPathComponent("new/accounts.sqlite").path
        func with(_ arguments: String...) -> [String] { ["--store", store] + arguments }
        func setting(_ settings: String...) -> [String] { ["--store", store] + settings.flatMap { ["--set", $0] } }
        #if PostgreSQL
        let database = "secrets-file is required"
        #else
        let database = "store: this verify-token was built without"
        #endif
        return [
            (["--store", "/dev/null/accounts.sqlite"], "store: /dev/null is not a directory"),
            (["--store", directory.path], " is a directory"),
            (["--store", "mysql://x/y"], "store: "),
            (["--store", "postgresql:dbname=x"], database),
            (setting("store-schema=x"), "store-schema: "),
            (setting("store-connections=4"), "store-connections can be set only for PostgreSQL"),
            (with("--secrets-file", "/dev/null"), "secrets-file: "),
            (with("--secrets-file", "/none/accounts.keys"), "secrets-file: \"/none/accounts.keys\" does not exist"),
            (with("--admin-listen", "127.0.0.1:0", "--admin-token-file", "/none"), "admin.token-file: "),
            (setting("passwords=true", "mail.command=/none"), "mail.command: "),
            (setting("passwords=true", "mail.command=/usr"), "mail.command: "),
            (setting("tls.certificate-file=/none", "tls.key-file=/none"), "tls.key-file: "),
            (setting("providers=facebook", "provider.facebook.app-ids=x"), "provider.facebook.app-ids: "),
            (
                setting("providers=google", "provider.google.client-id=x", "provider.google.client-secret-file=/none"),
                "provider.google.client-secret-file: "
            ),
            (
                setting("providers=a", "provider.a.client-id=x", "provider.a.issuer=http://idp.example"),
                "(http is allowed only for loopback addresses)"
            ),
            (
                setting("providers=a", "provider.a.client-id=x", "provider.a.issuer=http://127.0.0.1:1"),
                "(http is not enabled); provider.a.allow-loopback-http allows it, for development"
            ),
        ]
    }

    @Test func `a missing prerequisite ends the service with status 64 and names the key`() throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("s\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let mail = ["--set", "passwords=true", "--set", "mail.command=/bin/sh"]
        // `--check` finds what a start would refuse, without starting or creating anything.
        let good = try CommandLineRun(["serve", "--check", "--store", directory.path + "/new/accounts.sqlite"] + mail)
        #expect(
            good.status == 0 && good.output.contains("valid; the store does not exist, and a start would create it")
        )
        for (arguments, key) in Self.impossible(in: directory) {
            let run = try CommandLineRun(["serve", "--check"] + arguments)
            #expect(run.status == 64 && run.output.isEmpty, "\(arguments)")
            #expect(run.errors.contains(key), "\(run.errors)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
        for (arguments, key) in Self.impossible(in: directory) {
            let run = try CommandLineRun(["serve", "--listen", "127.0.0.1:0"] + arguments)
            #expect(run.status == 64 && run.output.isEmpty, "\(arguments)")
            #expect(run.errors.contains(key), "\(run.errors)")
        }
    }

    @Test func `an unavailable store ends the service with status 2, so that it is restarted`() throws {
        let folder = try Workspace()
        let file = try folder.write("not private", "accounts.sqlite").path()
        let keys = try folder.write(String(repeating: "01", count: 32) + "\n", "accounts.keys").path()
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: keys)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
        var stores = [file]
        #if PostgreSQL
        stores.append("postgresql:host=/none dbname=x user=x")
        #endif
        for store in stores {
            let arguments = ["--listen", "127.0.0.1:0", "--store", store, "--secrets-file", keys]
            let run = try CommandLineRun(["serve"] + arguments)
            #expect(run.status == 2 && run.errors.contains("account store: unavailable"), "\(run.errors)")
            #expect(try CommandLineRun(["serve", "--check"] + arguments).status == 0)
        }
        #if PostgreSQL
        let unreadable = try CommandLineRun([
            "serve", "--check", "--store", "postgresql:dbname='x", "--secrets-file", keys,
        ])
        #expect(unreadable.status == 64 && unreadable.errors.contains("store: the connection string"))
        #endif
    }

    @Test func `missing encryption keys of an existing store are not created, and the message says how`() throws {
        let folder = try Workspace()
        let store = folder.path("accounts.sqlite")
        #expect(try CommandLineRun(["accounts", "migrate", "--store", store]).status == 0)
        for arguments in [["serve", "--check"], ["serve", "--listen", "127.0.0.1:0"]] {
            let run = try CommandLineRun(arguments + ["--store", store])
            #expect(run.status == 64 && run.errors.contains("openssl rand -hex 32"), "\(run.errors)")
            #expect(run.errors.contains("secrets-file: ") && run.errors.contains("accounts.keys\" does not exist"))
        }
        #expect(!FileManager.default.fileExists(atPath: folder.path("accounts.keys")))
    }

    @Test func `a private key of another certificate is refused`() async throws {
        try await ThrowAwayCA.run { authority in
            let (own, other) = (try await authority.pair(for: []), try await authority.pair(for: []))
            let folder = try Workspace()
            let certificate = try folder.write(own.certificate, "certificate.pem").path()
            for (key, status) in [(own.privateKey, 0), (other.privateKey, 64)] as [(String, Int32)] {
                let file = try folder.write(key, "key.pem").path()
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
                let run = try CommandLineRun([
                    "serve", "--check", "--store", folder.path("new/accounts.sqlite"),
                    "--set", "tls.certificate-file=\(certificate)", "--set", "tls.key-file=\(file)",
                ])
                #expect(run.status == status, "\(run.errors)")
                #expect(run.errors.contains("matching private key") == (status != 0))
            }
        }
    }

    @Test func `a second service does not take the socket of a running one, and takes that of a killed one`()
        async throws
    {
        let first = try Service()
        try first.process.run()
        try await first.wait(for: "admin.sock")
        let socket = try first.number(.systemFileNumber, of: "admin.sock")
        let arguments = [
            "serve", "--listen", "127.0.0.1:0", "--store", first.path("other/accounts.sqlite"),
            "--admin-listen", "unix:" + first.path("admin.sock"),
        ]
        // Twice, since the first service must still be there after the first attempt.
        for _ in 0..<2 {
            let second = try CommandLineRun(arguments)
            #expect(second.status == 2 && second.errors.contains("admin.listen: another process listens on"))
        }
        #expect(try first.number(.systemFileNumber, of: "admin.sock") == socket)
        // The configuration can be checked while a service runs with it.
        #expect(try CommandLineRun(arguments + ["--check"]).status == 0)
        kill(first.process.processIdentifier, SIGKILL)
        first.process.waitUntilExit()
        #expect(FileManager.default.fileExists(atPath: first.path("admin.sock")))
        let third = try Service()
        third.process.arguments = first.process.arguments
        try third.process.run()
        try await third.wait(for: "admin.sock")
        #expect(third.end() == 0, "\(third.log)")
        #expect(!FileManager.default.fileExists(atPath: first.path("other")))
    }

    @Test func `a file in place of the socket is not removed`() throws {
        let folder = try Workspace()
        let file = try folder.write("mine", "admin.sock").path()
        for arguments in [["serve", "--check"], ["serve", "--listen", "127.0.0.1:0"]] {
            let run = try CommandLineRun(
                arguments + ["--store", folder.path("accounts.sqlite"), "--admin-listen", "unix:" + file]
            )
            #expect(run.status == 64 && run.errors.contains("is not a socket"), "\(run.errors)")
        }
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "mine")
    }

    @Test func `an address in use ends the service with status 2`() async throws {
        let first = try Service()
        try first.process.run()
        try await first.wait(for: "listening on 127.0.0.1:")
        let port = try #require(first.log.firstMatch(of: /listening on 127\.0\.0\.1:(\d+)/)).1
        let second = try CommandLineRun([
            "serve", "--listen", "127.0.0.1:\(port)", "--store", first.path("other/accounts.sqlite"),
        ])
        #expect(second.status == 2)
        #expect(second.errors.contains("cannot serve: listen: 127.0.0.1:\(port): Address already in use"))
    }

    @Test func `the configuration reference in the documentation is the output of the command`() throws {
        let run = try CommandLineRun(["serve", "--print-configuration-reference"])
        #expect(run.status == 0)
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../docs/reference/configuration.md"
        )
        #expect(
            try String(contentsOf: file, encoding: .utf8) == run.output,
            "print it again into docs/reference/configuration.md"
        )
    }

    @Test(arguments: [
        (["--set", "listn=1"], "did you mean listen?"), (["--set", "listen"], "must be KEY=VALUE"),
        (["--set", "listen=127.0.0.1:1", "--listen", "127.0.0.1:2"], "set more than once"),
        (["--listen", "nowhere"], "listen must be host:port"),
        (["--config", "/none.yaml"], "cannot read \"/none.yaml\": no such file"),
        (["--set", "tweaks.log.levl=info"], "did you mean tweaks.log.level?"),
        (["--set", "tweaks.keys.cache.cooldown=0"], "tweaks.keys.cache.cooldown: it must be between 5 and 3600"),
    ])
    func `an invalid configuration ends the command with status 64`(_ arguments: [String], _ fault: String) throws {
        let run = try CommandLineRun(["serve", "--check"] + arguments)
        #expect(run.status == 64)
        #expect(run.errors.contains(fault), "\(run.errors)")
    }

    @Test func `--check validates a configuration without starting the service`() throws {
        let run = try CommandLineRun([
            "serve", "--check", "--listen", "127.0.0.1:1", "--store", "/none/accounts.sqlite",
        ])
        let text = "the configuration is valid; the store does not exist, and a start would create it\n"
        #expect(run.status == 0 && run.output == text)
    }

    @Test func `--check prints the redirect URI of each provider that browsers use`() throws {
        let run = try CommandLineRun(
            ["serve", "--check", "--listen", "127.0.0.1:1", "--store", "/none/accounts.sqlite"]
                + ["--public-url", "https://login.example.com/", "--set", "providers=one,two"]
                + ["one", "two"].flatMap { name in
                    ["client-id=web", "issuer=https://\(name).example"].flatMap { ["--set", "provider.\(name).\($0)"] }
                }
        )
        #expect(run.status == 0, "\(run.errors)")
        #expect(
            run.output.split(separator: "\n").dropFirst() == [
                "redirect URI to register at one: https://login.example.com/login/one/callback",
                "redirect URI to register at two: https://login.example.com/login/two/callback",
            ]
        )
    }
}
#endif
