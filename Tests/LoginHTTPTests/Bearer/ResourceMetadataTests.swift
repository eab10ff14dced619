// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import HTTPTypes
import LoginTokens
import Testing

@testable import LoginHTTP

/// The metadata of protected resources (RFC 9728).
@Suite struct ResourceMetadataTests {
    private static let path = "/.well-known/oauth-protected-resource"

    @Test func `the metadata name the resource, the issuer, the scopes and the algorithms of proofs`() async throws {
        let bench = try ResourceBench(requiredScopes: ["api"], scopes: ["orders:read", "api", "orders:write"])
        let answer = try await bench.ask(nil, .get, Self.path)
        #expect(answer.status == .ok)
        #expect(answer.headers[.contentType] == "application/json")
        #expect(
            answer.text == #"{"resource":"https://api.example","authorization_servers":["https://login.example"],"#
                + #""scopes_supported":["api","orders:read","orders:write"],"bearer_methods_supported":["header"],"#
                + #""dpop_signing_alg_values_supported":["ES256","Ed25519","EdDSA","PS256","RS256"]}"#
        )
    }

    @Test func `the metadata omit what the resource does not support`() async throws {
        let bench = try ResourceBench(proofs: nil)
        let expected =
            #"{"resource":"https://api.example","authorization_servers":["https://login.example"],"#
            + #""bearer_methods_supported":["header"]}"#
        #expect(try await bench.ask(nil, .get, Self.path).text == expected)
    }

    @Test func `the metadata state that bound tokens are required, and that certificates are supported`() async throws {
        let proofs = try DPoPPolicy(requiresBoundTokens: true)
        let required = try await ResourceBench(proofs: proofs).ask(nil, .get, Self.path).json()
        #expect(required["dpop_bound_access_tokens_required"]?.boolean == true)
        #expect(required["tls_client_certificate_bound_access_tokens"] == nil)
        let either = try await ResourceBench(proofs: proofs, certificates: .clientCert).ask(nil, .get, Self.path).json()
        // A token may be bound to a certificate instead.
        #expect(either["dpop_bound_access_tokens_required"] == nil)
        #expect(either["tls_client_certificate_bound_access_tokens"]?.boolean == true)
    }

    @Test func `the path of a resource follows the well-known path, in the route and in the challenge`() async throws {
        let bench = try ResourceBench("https://example.com:8443/v1/orders")
        let answer = try await bench.ask(nil, .get, "\(Self.path)/v1/orders")
        #expect(try answer.json()["resource"]?.string == "https://example.com:8443/v1/orders")
        #expect(try await bench.ask(nil, .get, Self.path).status == .notFound)
        let url = #"resource_metadata="https://example.com:8443\#(Self.path)/v1/orders""#
        #expect(try await bench.ask(nil).challenges.allSatisfy { $0.hasSuffix(url) })
    }

    @Test func `a slash after the host is part of the identifier, but not of the path`() async throws {
        let bench = try ResourceBench("https://api.example/")
        let answer = try await bench.ask(nil, .get, Self.path)
        #expect(try answer.json()["resource"]?.string == "https://api.example/")
    }

    @Test func `the metadata can be requested only with GET and HEAD`() async throws {
        let bench = try ResourceBench()
        let head = try await bench.ask(nil, .head, Self.path)
        #expect(head.status == .ok && head.text.isEmpty)
        let post = try await bench.ask(nil, .post, Self.path)
        #expect(post.status == .methodNotAllowed)
        #expect(post.headers[.allow] == "GET, HEAD")
    }

    @Test(arguments: [
        "api.example", "http://api.example", "https://api.example?a=b", "https://api.example/#a",
        "https://api.example/{tenant}", "https://api.example/:tenant", "https://api.example/*",
        "https://api.example/a//b", "https://api.example/../a", "https://api.example/%61", "https://a@api.example", "",
    ])
    func `an identifier that is not an https URL with a plain path is refused`(identifier: String) {
        #expect(throws: PolicyError.self) { try ResourceBench(identifier) }
    }

    @Test(arguments: ["http://localhost:8080", "http://127.0.0.1/orders"])
    func `http is accepted on a loopback host`(identifier: String) throws {
        #expect(try ResourceBench(identifier).resource.identifier == identifier)
    }

    @Test(arguments: ["", "a b", "\"", "ä"])
    func `a scope that is not one is refused`(scope: String) {
        #expect(throws: PolicyError.self) { try ResourceBench(scopes: [scope]) }
    }
}
#endif
