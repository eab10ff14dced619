// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LimitedLogin
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// Revocation of an ID token, as far as Facebook reports it.
@Suite(.rule("F1.38")) struct TokenLivenessTests {
    private static let address = "https://m.facebook.com/platform/oidc/status"

    private let transport = StubTransport()

    private func ask(
        _ status: Int,
        _ headers: [(name: String, value: String)]
    ) async throws -> (answer: TokenLiveness.Answer, token: AuthenticationToken) {
        let token = try FacebookBench().verify()
        transport.answer(.get, Self.address, with: .json([:], status: status, headers: headers))
        let liveness = TokenLiveness(app: try FacebookApp(id: "1234567890"), transport: transport)
        return (await liveness.ask(about: token), token)
    }

    @Test func `a plain "not authorized" is believed`() async throws {
        let (answer, token) = try await ask(200, [("FB-S", "not_authorized")])
        #expect(answer == .notAuthorized)
        #expect(transport.requests.map(\.url.description) == ["\(Self.address)?id_token=\(token.tokenString)"])
    }

    @Test(arguments: [
        (200, []), (200, ["connected"]), (200, ["Not_authorized"]), (200, ["not_authorized", "not_authorized"]),
        (401, ["not_authorized"]), (302, ["not_authorized"]), (500, ["not_authorized"]),
    ])
    func `everything else says nothing`(status: Int, values: [String]) async throws {
        let (answer, _) = try await ask(status, values.map { ("fb-s", $0) })
        #expect(answer == .unknown)
        #expect(transport.requests.count == 1)
    }

    @Test func `no answer says nothing`() async throws {
        let liveness = TokenLiveness(app: try FacebookApp(id: "1234567890"), transport: transport)
        #expect(await liveness.ask(about: try FacebookBench().verify()) == .unknown)
        #expect(transport.requests.count == 1)
    }

    @Test func `a token that fits no address is not asked about`() async throws {
        let token = try FacebookBench().verify(claims: ["name": .string(String(repeating: "a", count: 2000))])
        let liveness = TokenLiveness(app: try FacebookApp(id: "1234567890"), transport: transport)
        #expect(await liveness.ask(about: token) == .unknown)
        #expect(transport.requests.isEmpty)
    }

    @Test func `a verifier asks nobody`() async throws {
        _ = try FacebookBench().verify()
        #expect(transport.requests.isEmpty)
    }
}
