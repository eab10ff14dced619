// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine && HTTPClient
internal import Foundation
import LoginTestServers
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// The servers that the command connects to with TLS, and the certificates that it trusts.
@Suite struct TrustOptionTests {
    private static let privateNetworks = ["--allow-network", "127.0.0.0/8", "--allow-network", "::1"]

    /// Runs a provider with a certificate that a test authority signed.
    private func withProvider(_ body: (LiveProvider, ThrowAwayCA) async throws -> Void) async throws {
        try await ThrowAwayCA.run { authority in
            let pair = try await authority.pair(for: ["DNS:localhost"])
            let identity = ServerIdentity(certificateChain: pair.certificate, privateKey: pair.privateKey)
            try await LiveProvider.run(identity: identity) { provider in try await body(provider, authority) }
        }
    }

    private func keys(
        _ provider: LiveProvider,
        _ options: [String],
        environment: [String: String] = [:]
    ) async throws -> CommandLineRun {
        let arguments = ["keys", "--issuer", provider.name, "--format", "json"]
        return try await CommandLineRun.beside(arguments + options, environment: environment)
    }

    @Test func `a server in an allowed network with a certificate of the given authority is used`()
        async throws
    {
        try await withProvider { provider, authority in
            let run = try await keys(provider, ["--ca-file", authority.certificatePath] + Self.privateNetworks)
            #expect(run.status == 0 && run.errors == "")
            #expect(provider.keySetCount == 1)
        }
    }

    @Test func `a server is refused without the allowed network, and without the authority`() async throws {
        try await withProvider { provider, authority in
            let file = ["--ca-file", authority.certificatePath]
            let refused: [(options: [String], code: String)] = [
                (file, "address"), (file + ["--allow-network", "10.0.0.0/8"], "address"), (Self.privateNetworks, "tls"),
            ]
            for (options, code) in refused {
                let run = try await keys(provider, options)
                #expect(try run.status == 2 && run.code() == "keys-unavailable")
                #expect(try #require(run.json()["message"] as? String).contains(" \(code): discovery document: "))
            }
            #expect(provider.server.requests.isEmpty)
            try await ThrowAwayCA.run { other in
                let run = try await keys(provider, ["--ca-file", other.certificatePath] + Self.privateNetworks)
                #expect(try #require(run.json()["message"] as? String).contains(" tls: discovery document: "))
            }
        }
    }

    @Test func `the authorities of SSL_CERT_FILE are trusted, unless the option names others, and a refusal names it`()
        async throws
    {
        try await withProvider { provider, authority in
            let variable = ["SSL_CERT_FILE": authority.certificatePath]
            #expect(try await keys(provider, Self.privateNetworks, environment: variable).status == 0)
            try await ThrowAwayCA.run { other in
                let options = ["--ca-file", other.certificatePath] + Self.privateNetworks
                let run = try await keys(provider, options, environment: variable)
                #expect(try #require(run.json()["message"] as? String).contains("--ca-file"))
            }
            let empty = try await keys(provider, Self.privateNetworks, environment: ["SSL_CERT_FILE": ""])
            #expect(empty.status == 64 && empty.errors.contains("SSL_CERT_FILE is empty"))
        }
    }

    @Test func `a host is reached through the proxy of the environment, unless it is an exception`() async throws {
        let pair = try await ThrowAwayCA.run { try await $0.pair(for: ["DNS:login.example"]) }
        let identity = ServerIdentity(certificateChain: pair.certificate, privateKey: pair.privateKey)
        try await ScriptedServer.run(identity: identity) { server in
            try await TunnelProxy.run(to: server.port) { proxy in
                let arguments = ["keys", "--keys", "https://login.example/keys", "--format", "json"]
                let variables = ["HTTPS_PROXY": "http://127.0.0.1:\(proxy.port)"]
                let run = try await CommandLineRun.beside(arguments, environment: variables)
                // The system does not trust the authority of the host.
                #expect(try #require(run.json()["message"] as? String).contains(" tls: key set: "))
                #expect(proxy.heads.first?.hasPrefix("CONNECT login.example:443 ") == true)
                for exception in ["login.example", ".example", "*"] {
                    let exempt = variables.merging(["NO_PROXY": "other, \(exception)"]) { $1 }
                    _ = try await CommandLineRun.beside(arguments, environment: exempt)
                }
                #expect(proxy.heads.count == 1)
                let invalid = ["HTTPS_PROXY": "https://name:word@proxy:1"]
                let refused = try await CommandLineRun.beside(arguments, environment: invalid)
                #expect(refused.status == 64 && refused.errors.contains("HTTPS_PROXY"))
                #expect(!refused.errors.contains("word"))
            }
        }
    }

    @Test func `the documents are requested with the token in a file`() async throws {
        try await withProvider { provider, authority in
            let token = provider.path("bearer")
            let options = ["--ca-file", authority.certificatePath, "--bearer-file", token] + Self.privateNetworks
            let missing = try await keys(provider, options)
            #expect(try #require(missing.json()["message"] as? String).contains(" file: discovery document: "))
            #expect(provider.server.requests.isEmpty)
            try Data("abc\n".utf8).write(to: URL(filePath: token))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: token)
            #expect(try await keys(provider, options).status == 0)
            let sent = provider.server.requests.map { request in
                request.headers.filter { $0.name.lowercased() == "authorization" }.map(\.value)
            }
            #expect(sent == [["Bearer abc"], ["Bearer abc"]])
        }
    }

    @Test func `the verdict is undecided if the file of certificates is unusable`() async throws {
        try await withProvider { provider, _ in
            let garbage = provider.path("garbage.pem")
            try Data("garbage".utf8).write(to: URL(filePath: garbage))
            for (file, says) in [
                (provider.path("missing.pem"), "cannot read"), (garbage, "tls"), (provider.folder.path(), "tls"),
            ] {
                let run = try await keys(provider, ["--ca-file", file] + Self.privateNetworks)
                #expect(try run.status == 2 && run.code() == "keys-unavailable")
                #expect(try #require(run.json()["message"] as? String).contains(says))
            }
        }
    }
}
#endif
