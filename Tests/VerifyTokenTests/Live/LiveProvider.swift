// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine && HTTPClient
internal import Foundation
import LoginTestServers
internal import LoginTesting
internal import LoginTokens
internal import Testing

/// A provider on this machine with an issuer's keys and a discovery document, and a directory for the command's files.
struct LiveProvider: Sendable {
    let server: ScriptedServer
    let issuer: TestIssuer
    let folder: URL

    /// The lifetime of the keys in the provider's responses, in seconds.
    static let lifetime = 7200

    private static let document = "/.well-known/openid-configuration"

    /// Runs a provider for the duration of the body.
    ///
    /// - Parameters:
    ///   - identity: Its certificate; nil for a provider without TLS.
    ///   - body: Uses the provider.
    /// - Throws: Rethrows errors of the body, or throws the reason why the provider cannot listen.
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

    /// The issuer in its tokens.
    var name: String { issuer.provider.issuers[0] }

    var discoveryCount: Int { server.requestCount(of: Self.document) }
    var keySetCount: Int { server.requestCount(of: "/jwks") }

    /// Serves these keys from now on.
    func publish(_ keys: [TestKey]) {
        server.answer("/jwks", with: .keySet(keys, maxAge: Self.lifetime))
    }

    /// Serves a discovery document with this URL from now on.
    ///
    /// - Parameters:
    ///   - keySetURL: The URL of the keys.
    ///   - issuer: The issuer in the document; nil for this provider's.
    ///   - tokenEndpoint: The URL of the token endpoint; nil for a document without one.
    ///   - delay: The time before the response.
    func announce(
        keySetURL: String,
        issuer: String? = nil,
        tokenEndpoint: String? = nil,
        after delay: Duration = .zero
    ) {
        var document: TestJSON = ["issuer": .string(issuer ?? name), "jwks_uri": .string(keySetURL)]
        if let tokenEndpoint { document["token_endpoint"] = .string(tokenEndpoint) }
        server.answer(Self.document, with: .pause(delay) + .json(document))
    }

    func path(_ name: String) -> String { folder.appending(path: name).path() }

    /// Writes a token to a file, signed with the issuer's key or another one.
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

    /// The options that fit a valid token, without those for keys.
    var expectations: [String] {
        ["--audience", issuer.audience, "--nonce", "n-1", "--at", String(Int(issuer.clock.now.timeIntervalSince1970))]
    }

    /// Verifies a token of this issuer, whose keys are fetched from this machine.
    ///
    /// - Parameters:
    ///   - token: A file with the token; nil for a valid one.
    ///   - options: Further options.
    /// - Returns: The run, with its report in JSON.
    /// - Throws: The system's error if the command cannot be started.
    func verify(_ token: String? = nil, _ options: String...) async throws -> CommandLineRun {
        let token = try token ?? self.token()
        let arguments = ["verify", token, "--issuer", name, "--allow-loopback-http", "--format", "json"]
        return try await CommandLineRun.beside(arguments + expectations + options)
    }
}

extension CommandLineRun {
    /// Runs the command without blocking a thread of the tests, for servers that run in the same process.
    static func beside(_ arguments: [String], environment: [String: String] = [:]) async throws -> CommandLineRun {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(with: Result { try CommandLineRun(arguments, environment: environment) })
            }
        }
    }

    /// Returns a member of `keys`, the origin of the keys, in a JSON report.
    func keys(_ member: String) throws -> Any? { (try json()["keys"] as? [String: Any])?[member] }
}
#endif
