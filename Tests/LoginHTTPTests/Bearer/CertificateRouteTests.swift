// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import HTTPTypes
import LoginTesting
import LoginTokens
import Testing

@testable import LoginHTTP

/// Routes that need an access token, requested with tokens that are bound to a client certificate.
@Suite struct CertificateRouteTests {
    /// A field with the shortest DER sequence, which is not parsed further.
    private static let field = ":MAA=:"
    private static let other = ":MAEA:"

    /// A proxy on a Unix socket, as which a test without sockets appears.
    private static let proxy = TrustedProxies([])

    private func name() throws -> HTTPField.Name { try #require(HTTPField.Name("Client-Cert")) }

    private func boundToken(_ bench: ResourceBench) throws -> String {
        let thumbprint = try ClientCertificate(clientCertField: Self.field).thumbprint
        return bench.issuer.accessToken { $0.claims["cnf"] = ["x5t#S256": .string(thumbprint)] }
    }

    @Test(arguments: [nil, DPoPPolicy.standard])
    func `a token that is bound to a certificate is accepted with it from a trusted proxy, and refused otherwise`(
        proofs: DPoPPolicy?
    ) async throws {
        let bench = try ResourceBench(proofs: proofs, certificates: .clientCert, proxies: Self.proxy)
        let (token, name) = (try boundToken(bench), try self.name())
        #expect(try await bench.ask("Bearer \(token)", headers: [name: Self.field]).status == .ok)
        let refused: [(HTTPFields, String)] = [
            ([:], "certificate-required"), ([name: ""], "certificate-required"),
            ([name: Self.other], "certificate-binding"), ([name: "MAA="], "certificate-malformed"),
            ([name: Self.field, name: Self.field], "certificate-malformed"),
        ]
        for (fields, code) in refused {
            let answer = try await bench.ask("Bearer \(token)", headers: fields)
            #expect(answer.status == .unauthorized)
            #expect(try answer.code() == code)
            #expect(
                answer.challenges.first
                    == #"Bearer error="invalid_token", error_description="\#(code)", \#(ResourceBench.metadata)"#
            )
        }
    }

    @Test func `a certificate that an untrusted peer sends is ignored`() async throws {
        let bench = try ResourceBench(certificates: .clientCert, proxies: .none)
        let answer = try await bench.ask("Bearer \(try boundToken(bench))", headers: [try name(): Self.field])
        #expect(try answer.code() == "certificate-required")
    }

    @Test func `a certificate is ignored if no field is configured`() async throws {
        let bench = try ResourceBench(proxies: Self.proxy)
        let answer = try await bench.ask("Bearer \(try boundToken(bench))", headers: [try name(): Self.field])
        #expect(try answer.code() == "certificate-required")
    }

    @Test func `a certificate in escaped PEM is read from the configured field`() async throws {
        let name = try #require(HTTPField.Name("X-Client-Certificate"))
        let bench = try ResourceBench(certificates: .escapedPEM(name), proxies: Self.proxy)
        let pem = "-----BEGIN%20CERTIFICATE-----%0AMAA%3D%0A-----END%20CERTIFICATE-----%0A"
        let token = try boundToken(bench)
        #expect(try await bench.ask("Bearer \(token)", headers: [name: pem]).status == .ok)
        let answer = try await bench.ask("Bearer \(token)", headers: [try self.name(): Self.field])
        #expect(try answer.code() == "certificate-required")
    }

    @Test func `a certificate, even a malformed one, does not matter for a token that is not bound`() async throws {
        let bench = try ResourceBench(certificates: .clientCert, proxies: Self.proxy)
        let token = bench.issuer.accessToken()
        for field in [Self.field, "malformed"] {
            #expect(try await bench.ask("Bearer \(token)", headers: [try name(): field]).status == .ok)
        }
    }
}
#endif
