// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import Foundation
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// `--secret-file`: tokens that are signed with a shared secret.
@Suite struct SecretOptionTests {
    private static let secret = "correct horse battery staple, and sixty-four bytes of other text."

    private let workspace: SharedWorkspace

    init() throws {
        workspace = try SharedWorkspace()
        try workspace.write(Self.secret + "\n", "secret.txt", isPrivate: true)
    }

    @Test(arguments: SharedSecret.Algorithm.allCases)
    func `a token signed with the secret of a file is verified`(algorithm: SharedSecret.Algorithm) throws {
        let option = ["--algorithm", algorithm.rawValue]
        let run = try workspace.verify(token(algorithm), option)
        #expect(run.status == 0 && run.errors == "")
        #expect(try workspace.verify(token(algorithm), option + ["--format", "json"]).keysOrigin() == "secret")
        let changed = token(algorithm) { $0.signing = .hmac(secret: Array(Self.secret.utf8) + [1], algorithm) }
        #expect(try workspace.verify(changed, option + ["--format", "json"]).code() == "signature")
        #expect(!run.output.contains("horse"))
    }

    @Test func `HS256 is the default of a secret, and another algorithm is refused with a hint`() throws {
        #expect(try workspace.verify(token(.hs256)).status == 0)
        let run = try workspace.verify(token(.hs512))
        #expect(run.status == 1 && run.output.contains("--algorithm HS512"))
        let keyed = try workspace.verify(workspace.issuer.token())
        #expect(keyed.status == 1 && keyed.output.contains("token refused: algorithm: "))
    }

    @Test func `without --secret-file a token signed with a secret is refused with a hint`() throws {
        let file = try workspace.write(token(.hs256), "token.jwt")
        let keys = try workspace.write(workspace.issuer.keySet.text, "keys.json")
        let run = try CommandLineRun(["verify", file] + SharedWorkspace.policy + ["--keys", keys])
        #expect(run.status == 1 && run.output.contains("--secret-file"))
    }

    @Test func `the encoding of the secret is named, never guessed`() throws {
        let octets = Array("32 octets, which are not the text".utf8)
        let base64 = Data(octets).base64EncodedString()
        let base64url = base64.replacing("=", with: "").replacing("+", with: "-").replacing("/", with: "_")
        for (text, encoding) in [(base64, "base64"), (base64url, "base64url")] {
            let file = try workspace.write(text + "\n", "encoded.txt", isPrivate: true)
            let decoded = token(.hs256) { $0.signing = .hmac(secret: octets) }
            let written = token(.hs256) { $0.signing = .hmac(secret: Array(text.utf8)) }
            let option = ["--secret-encoding", encoding]
            #expect(try workspace.verify(decoded, option, secret: file).status == 0)
            #expect(try workspace.verify(written, option, secret: file).status == 1)
            #expect(try workspace.verify(written, secret: file).status == 0)
            #expect(try workspace.verify(decoded, secret: file).status == 1)
        }
    }

    @Test func `what is no secret is an error in the file, which the message does not quote`() throws {
        for (text, reason) in [
            ("horse", "at least 32 bytes"), ("", "empty"), (" \(Self.secret)", "space"), ("two\nlines", "one line"),
            (workspace.issuer.keySet.text, "is no secret"), (workspace.issuer.token(), "is no secret"),
            ("-----BEGIN PUBLIC KEY----- horse", "is no secret"),
            ("a-string-secret-at-least-256-bits-long", "published"),
        ] {
            let file = try workspace.write(text, "bad.txt", isPrivate: true)
            let run = try workspace.verify(token(.hs256), secret: file)
            #expect(run.status == 2 && run.output == "" && run.errors.contains(reason), "\(reason)")
            #expect(!run.errors.contains("horse"))
        }
        let file = try workspace.write(Self.secret, "bad.txt", isPrivate: true)
        let run = try workspace.verify(token(.hs256), ["--secret-encoding", "base64"], secret: file)
        #expect(run.status == 2 && run.errors.contains("not canonical base64"))
    }

    @Test func `a secret that others can read is refused, and a missing file is a usage error`() throws {
        let open = try workspace.write(Self.secret, "open.txt")
        let run = try workspace.verify(token(.hs256), secret: open)
        #expect(run.status == 2 && run.errors.contains("0600"))
        #expect(try workspace.verify(token(.hs256), secret: workspace.path("missing.txt")).status == 64)
    }

    @Test func `a published secret is accepted only in tests`() throws {
        let text = "a-string-secret-at-least-256-bits-long"
        let file = try workspace.write(text, "published.txt", isPrivate: true)
        let token = token(.hs256) { $0.signing = .hmac(secret: Array(text.utf8)) }
        #expect(try workspace.verify(token, ["--allow-published-test-keys"], secret: file).status == 0)
    }

    @Test(
        arguments: [
            ["--keys", "keys.json"], ["--keys-cache", "keys"], ["--keys-host", "keys.example"],
            ["--ca-file", "ca.pem"], ["--allow-network", "10.0.0.0/8"], ["--allow-loopback-http"],
            ["--max-keys", "100"], ["--max-keys", "1000"], ["--cleartext-host", "keycloak"],
            ["--discovery-url", "https://keys.example"], ["--discovery-issuer", "https://keys.example"],
            ["--content-type", "text/plain"], ["--follow-redirects"], ["--bearer-file", "token"],
            ["--algorithm", "RS256"], ["--algorithm", "HS256", "--algorithm", "HS384"], ["--algorithm", "none"],
            ["--audience", "client-2"], ["--trusted-audience", "client-2"], ["--authorized-party", "client-2"],
            ["--secret-file", ""], ["--secret-encoding", "hex"], ["--secret-encoding", ""],
        ]
    )
    func `options for keys and for several clients cannot be combined with a secret`(further: [String]) throws {
        let run = try workspace.verify(token(.hs256), further)
        #expect(run.status == 64 && run.output == "")
    }

    @Test(arguments: [
        ["--algorithm", "HS256"], ["--algorithm", "RS256", "--algorithm", "HS512"], ["--secret-encoding", "base64"],
    ])
    func `options for a secret require one`(further: [String]) throws {
        let file = try workspace.write(token(.hs256), "token.jwt")
        let keys = try workspace.write(workspace.issuer.keySet.text, "keys.json")
        let run = try CommandLineRun(["verify", file] + SharedWorkspace.policy + ["--keys", keys] + further)
        #expect(run.status == 64 && run.errors.contains("--secret-file"))
    }

    @Test(arguments: ["facebook", "google", "apple"])
    func `a provider that signs with keys has no secret`(provider: String) throws {
        let file = try workspace.write(token(.hs256), "token.jwt")
        let run = try CommandLineRun([
            "verify", file, "--provider", provider, "--audience", "1", "--nonce-absent", "--secret-file",
            workspace.path("secret.txt"),
        ])
        #expect(run.status == 64 && run.errors.contains("--issuer"))
    }

    // MARK: The other commands

    @Test func `batch verifies tokens that are signed with a secret`() throws {
        let lines = [token(.hs256), workspace.issuer.token(), token(.hs384)].joined(separator: "\n") + "\n"
        let file = try workspace.write(lines, "tokens.txt")
        let run = try CommandLineRun(
            ["batch", file, "--quiet", "--secret-file", workspace.path("secret.txt")] + SharedWorkspace.policy
        )
        #expect(run.status == 1 && run.output == "1\tverified\n2\talgorithm\n3\talgorithm\n")
    }

    @Test func `access verifies an access token that is signed with a secret`() throws {
        func run(_ change: (inout TestToken) -> Void) throws -> CommandLineRun {
            let token = workspace.issuer.accessToken(AccessTokenIssuer(workspace.issuer.provider), change)
            return try CommandLineRun([
                "access", try workspace.write(token, "token.jwt"), "--issuer", "https://issuer.example", "--audience",
                "client-1", "--at", "1760000000", "--secret-file", workspace.path("secret.txt"), "--format", "json",
            ])
        }
        let good = try run { token in
            token.header["alg"] = "HS256"
            token.signing = .hmac(secret: Array(Self.secret.utf8))
        }
        #expect(good.status == 0)
        #expect(try run { _ in }.code() == "algorithm")
    }

    @Test(arguments: ["access", "batch", "jws"])
    func `the number of keys in a set cannot be combined with a secret, as for verify`(command: String) throws {
        let policy = [
            "access": ["--issuer", "https://issuer.example", "--audience", "client-1"], "batch": SharedWorkspace.policy,
        ]
        let file = try workspace.write(token(.hs256), "token.jwt")
        let options = ["--secret-file", workspace.path("secret.txt"), "--max-keys", "200"]
        let run = try CommandLineRun([command, file] + (policy[command] ?? []) + options)
        #expect(run.status == 64 && run.errors.contains("--max-keys cannot be combined with --secret-file"))
    }

    @Test func `jws verifies the signature with a secret`() throws {
        let file = try workspace.write(token(.hs256), "token.jwt")
        let option = ["--secret-file", workspace.path("secret.txt")]
        #expect(try CommandLineRun(["jws", file] + option).output.contains("\"iss\""))
        let other = try CommandLineRun(["jws", file, "--algorithm", "HS384"] + option)
        #expect(other.status == 1 && other.errors.contains("token refused: algorithm: "))
        let short = try workspace.write("too short", "short.txt", isPrivate: true)
        #expect(try CommandLineRun(["jws", file, "--secret-file", short]).status == 2)
    }

    private func token(
        _ algorithm: SharedSecret.Algorithm,
        _ change: (inout TestToken) -> Void = { _ in }
    ) -> String {
        workspace.issuer.token { token in
            token.header = ["alg": .string(algorithm.rawValue), "typ": "JWT"]
            token.signing = .hmac(secret: Array(Self.secret.utf8), algorithm)
            change(&token)
        }
    }
}

extension CommandLineRun {
    /// The origin of the keys in a JSON report.
    fileprivate func keysOrigin() throws -> String? { (try json()["keys"] as? [String: Any])?["from"] as? String }
}

/// A directory with files for one test, which it deletes at the end.
private final class SharedWorkspace: Sendable {
    static let policy = [
        "--issuer", "https://issuer.example", "--audience", "client-1", "--nonce-absent", "--at", "1760000000",
    ]

    let issuer = TestIssuer()
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func path(_ name: String) -> String { folder.appending(path: name).path() }

    @discardableResult
    func write(_ text: String, _ name: String, isPrivate: Bool = false) throws -> String {
        let mode = isPrivate ? 0o600 : 0o644
        _ = FileManager.default.createFile(
            atPath: path(name),
            contents: Data(text.utf8),
            attributes: [.posixPermissions: mode]
        )
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path(name))
        return path(name)
    }

    func verify(_ token: String, _ further: [String] = [], secret: String? = nil) throws -> CommandLineRun {
        let file = try write(token, "token.jwt")
        return try CommandLineRun(
            ["verify", file] + Self.policy + ["--secret-file", secret ?? path("secret.txt")] + further
        )
    }
}
#endif
