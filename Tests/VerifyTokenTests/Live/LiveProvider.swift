// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine && HTTPClient
internal import Foundation
internal import LoginTesting
internal import LoginTokens
internal import Testing

/// A provider on this machine with an issuer's keys and a discovery document, and a folder for the command's files.
struct LiveProvider: Sendable {
    let server: ScriptedServer
    let issuer: TestIssuer
    let folder: URL

    /// How long the provider says that its keys are good for, in seconds.
    static let lifetime = 7200

    private static let document = "/.well-known/openid-configuration"

    /// Runs a provider for as long as the body takes.
    ///
    /// - Parameters:
    ///   - identity: Its certificate; nil for a provider without TLS.
    ///   - body: What is done with it.
    /// - Throws: What the body throws, or why the provider cannot listen.
    static func run(identity: ServerIdentity? = nil, _ body: (LiveProvider) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "verify-token-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await ScriptedServer.run(identity: identity) { server in
            let name = identity.map { _ in "localhost" }
            let issuer = TestIssuer(provider: .openID(issuers: [server.url("", name: name)]))
            let provider = LiveProvider(server: server, issuer: issuer, folder: folder)
            provider.publish([issuer.key])
            provider.announce(keySetURL: server.url("/jwks", name: name))
            try await body(provider)
        }
    }

    /// What its tokens carry for their issuer.
    var name: String { issuer.provider.issuers[0] }

    var discoveryCount: Int { server.requestCount(of: Self.document) }
    var keySetCount: Int { server.requestCount(of: "/jwks") }

    /// Answers with these keys from now on.
    func publish(_ keys: [TestKey]) {
        server.answer("/jwks", with: .keySet(keys, maxAge: Self.lifetime))
    }

    /// Says from now on that the keys are there.
    ///
    /// - Parameters:
    ///   - keySetURL: Where they are.
    ///   - issuer: Whose they are; nil for this provider's.
    ///   - delay: How long it takes to say it.
    func announce(keySetURL: String, issuer: String? = nil, after delay: Duration = .zero) {
        let document: TestJSON = ["issuer": .string(issuer ?? name), "jwks_uri": .string(keySetURL)]
        server.answer(Self.document, with: .pause(delay) + .json(document))
    }

    func path(_ name: String) -> String { folder.appending(path: name).path() }

    /// Writes a token to a file, signed with a key of the issuer's or another.
    func token(key: TestKey? = nil, _ change: (inout TestToken) -> Void = { _ in }) throws -> String {
        let text = issuer.token(nonce: "n-1") { token in
            if let key {
                token.signing = .key(key)
                token.header["kid"] = .string(key.keyID)
            }
            change(&token)
        }
        let file = path("token-\(UUID().uuidString).jwt")
        try Data(text.utf8).write(to: URL(filePath: file))
        return file
    }

    /// What the command is told of a token that is good, the keys aside.
    var expectations: [String] {
        ["--audience", issuer.audience, "--nonce", "n-1", "--at", String(Int(issuer.clock.now.timeIntervalSince1970))]
    }

    /// Verifies a token of this issuer, whose keys are fetched from this machine.
    ///
    /// - Parameters:
    ///   - token: A file with the token; nil for a good one.
    ///   - options: Further options.
    /// - Returns: The run, its report in JSON.
    /// - Throws: What the system says if the command cannot be started.
    func verify(_ token: String? = nil, _ options: String...) async throws -> CommandLineRun {
        let token = try token ?? self.token()
        let arguments = ["verify", token, "--issuer", name, "--allow-loopback-http", "--format", "json"]
        return try await CommandLineRun.beside(arguments + expectations + options)
    }
}

extension CommandLineRun {
    /// Runs the command without holding up the tests' own threads, for tests that the command talks with.
    static func beside(_ arguments: [String]) async throws -> CommandLineRun {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try CommandLineRun(arguments) }) }
        }
    }

    /// A part of where the keys came from, of a report in JSON.
    func keys(_ member: String) throws -> Any? { (try json()["keys"] as? [String: Any])?[member] }
}
#endif
