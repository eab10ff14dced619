// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine && HTTPClient
internal import LoginClient
internal import Synchronization
internal import Testing

@testable internal import verify_token

/// The second factor of `verify-token login`.
@Suite struct SecondFactorPromptTests {
    /// A service that requires a second factor, and accepts the code `right`.
    private final class Service: LoginClientTransport {
        let service = "https://login.corp.example"
        private let sent = Mutex<[LoginClientRequest]>([])

        /// The bodies of the requests for a path so far.
        func bodies(of path: String) -> [String] {
            sent.withLock { $0.filter { $0.path == path }.map { String(decoding: $0.body ?? [], as: UTF8.self) } }
        }

        func send(_ request: LoginClientRequest) async throws -> LoginClientResponse {
            sent.withLock { $0.append(request) }
            let isRight = String(decoding: request.body ?? [], as: UTF8.self).contains("right")
            return switch request.path {
            case "/v1/attempts":
                answer(201, #"{"attempt":"lla_1","nonce":"n1","expiresAt":"2026-03-01T09:10:00Z"}"#)
            case "/v1/sign-in":
                answer(
                    401,
                    #"""
                    {"code":"second-factor-required","resolver":{"attemptsLeft":5,"expiresAt":"2026-03-01T09:11:00Z",
                    "token":"llm_1","hints":[{"uid":"f1","factorID":"totp","displayName":"Work"},
                    {"uid":"f2","factorID":"phone","phoneNumberSuffix":"3456"}]}}
                    """#
                )
            case "/v1/second-factors/challenge":
                answer(201, #"{"id":"c1","expiresAt":"2026-03-01T09:06:00Z","resendAt":"2026-03-01T09:01:30Z"}"#)
            case _ where isRight:
                answer(
                    200,
                    #"""
                    {"account":{"id":"a1","isEmailVerified":false,"isAnonymous":false,"logins":[],"secondFactors":[],
                    "createdAt":"2026-03-01T09:00:00Z"},"outcome":"signedIn","session":{"id":"s1","account":"a1",
                    "level":2,"methods":["fed","otp"],"authenticatedAt":"2026-03-01T09:00:00Z",
                    "createdAt":"2026-03-01T09:00:00Z","expiresAt":"2026-03-31T09:00:00Z"},"tokens":{"sessionToken":"lls_1","refreshToken":"llr_1",
                    "expiresAt":"2026-03-31T09:00:00Z"}}
                    """#
                )
            default: answer(401, #"{"code":"invalid-verification-code"}"#)
            }
        }

        private func answer(_ status: Int, _ json: String) -> LoginClientResponse {
            LoginClientResponse(status: status, body: Array(json.utf8))
        }
    }

    private let service = Service()

    /// Signs in with these lines of the user, and returns the ID of the account; nil if no factor was chosen.
    private func signIn(_ lines: [String]) async throws -> String? {
        let session = ClientSession(transport: service)
        let attempt = try await session.begin(provider: "corp")
        guard
            case .secondFactorRequired(let resolver) = try await session.signIn(with: .idToken("eyJ", attempt: attempt))
        else { return nil }
        var next = lines.makeIterator()
        let prompt = SecondFactorPrompt(session: session, resolver: resolver, nextLine: { next.next() })
        return try await prompt.complete()?.id
    }

    @Test(arguments: [
        (["1", "right"], [#""type":"totp""#, #""uid":"f1""#]),
        (["2", "right"], [#""type":"phone""#, #""challengeID":"c1""#]),
        (["3", "right"], [#""type":"recovery-code""#]),
    ])
    func `the user chooses an authenticator app, a phone, or a recovery code`(
        lines: [String],
        members: [String]
    ) async throws {
        #expect(try await signIn(lines) == "a1")
        let bodies = service.bodies(of: "/v1/second-factors/resolve")
        #expect(bodies.count == 1 && members.allSatisfy { bodies[0].contains($0) }, "\(bodies)")
    }

    @Test func `after a wrong code the user enters another one, for which no message is sent`() async throws {
        #expect(try await signIn(["2", "wrong", "right"]) == "a1")
        #expect(service.bodies(of: "/v1/second-factors/challenge").count == 1)
    }

    @Test func `an empty code returns to the choice, which an empty line leaves without a sign-in`() async throws {
        #expect(try await signIn(["0", "4", "1", "", "3", "right"]) == "a1")
        #expect(try await signIn(["1", "wrong", "", ""]) == nil)
    }
}
#endif
