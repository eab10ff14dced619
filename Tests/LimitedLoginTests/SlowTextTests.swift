// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

@testable internal import LimitedLogin

/// Texts whose normal form takes long to find: a letter with very many accents, in the order that sorts worst.
///
/// Swift compares and hashes texts by their normal form. Of 32 KiB like these that takes a second, where bytes take
/// microseconds, so a stranger's text is never compared or hashed as a text. Each test would last for minutes.
@Suite(.timeLimit(.minutes(1))) struct SlowTextTests {
    private static let repetitions = 200

    private static func accents(_ bytes: Int) -> String {
        "a" + String(repeating: "\u{301}", count: bytes / 4) + String(repeating: "\u{323}", count: bytes / 4)
    }

    @Test func `the names of a callback's parameters`() async throws {
        let bench = try LoginBench()
        let others = (0..<60).map { "&b\($0)=1" }.joined()
        let forms = ["\(Self.accents(30_000))=1\(others)", "state=s&error=\(Self.accents(30_000))"]
        for form in forms {
            for _ in 1...Self.repetitions {
                let callback = LoginCallback(form: Array(form.utf8))
                guard
                    case .failed(let failure) = try await bench.logins.finish(
                        callback,
                        purpose: .signIn,
                        binding: LoginBench.ada
                    )
                else { throw Unsuccessful() }
                #expect([.callback, .stateUnknown].contains(failure.code))
            }
        }
    }

    @Test func `the names of the fields that a callback of Facebook has`() {
        let body = Array("\(Self.accents(30_000))=1".utf8)
        for _ in 1...Self.repetitions {
            #expect(throws: SignedRequestRefusal.self) { try SignedRequest.field(inFormBody: body) }
        }
    }

    @Test func `the permissions of a configuration`() throws {
        let names = Data(#"["\#(Self.accents(1 << 20))","\#(Self.accents(1 << 20))b"]"#.utf8)
        let permissions = try JSONDecoder().decode([Permission].self, from: names)
        let error = #expect(throws: LoginConfigurationError.self) {
            try LoginConfiguration(validating: Set(permissions), tracking: .limited)
        }
        #expect(error?.code == .tooLarge)
    }

    @Test func `what a token, and its refusal, say of its type`() throws {
        let issuer = TestIssuer.facebook()
        let verifier = try LimitedLoginVerifier(appIDs: [issuer.audience], keys: issuer.keys, clock: issuer.clock)
        let type = Self.accents(2800)
        let texts = [
            issuer.token(nonce: "n") { $0.header["typ"] = .string(type) },
            issuer.token(nonce: "n") { $0.claims["token_use"] = .string(Self.accents(8000)) },
        ]
        for text in texts {
            for _ in 1...Self.repetitions {
                let refusal = #expect(throws: TokenRefusal.self) {
                    try verifier.verify(text, nonce: .exactly("n"), with: issuer.keys)
                }
                #expect(refusal?.code == .tokenType && refusal?.description.isEmpty == false)
            }
        }
    }
}
