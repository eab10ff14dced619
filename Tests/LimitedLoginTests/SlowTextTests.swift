// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
import LoginProviders
internal import LoginTokens
internal import TestSupport
internal import Testing

@testable internal import LimitedLogin

/// Texts that are slow to normalize: a letter with very many accents, in the order that sorts worst.
///
/// Swift compares and hashes texts by their normal form. For 32 KiB of this kind that takes a second, compared with
/// microseconds for bytes, so texts from clients are never compared or hashed as `String`. Otherwise each test would
/// take minutes, or many times as long as with plain letters.
@Suite(.timeLimit(.minutes(2))) struct SlowTextTests {
    private static func accents(_ bytes: Int) -> String {
        "a" + String(repeating: "\u{301}", count: bytes / 4) + String(repeating: "\u{323}", count: bytes / 4)
    }

    @Test func `parameter names of a callback are compared in linear time`() async throws {
        let bench = try LoginBench()
        let others = (0..<60).map { "&b\($0)=1" }.joined()
        let forms: [(String, LoginFailure.Code)] = [
            ("\(Self.accents(30_000))=1\(others)", .callback),
            ("state=s&error=\(Self.accents(30_000))", .stateUnknown),
        ]
        for (form, code) in forms {
            for _ in 1...20 {
                let callback = LoginCallback(form: Array(form.utf8))
                guard
                    case .failed(let failure) = try await bench.logins.finish(
                        callback,
                        purpose: .signIn,
                        secret: nil
                    )
                else { throw Unsuccessful() }
                #expect(failure.code == code)
            }
        }
    }

    @Test func `field names of Facebook's callback are compared in linear time`() throws {
        // The minimum of several: by the normal form it took more than ten times as long, by bytes it takes as long.
        func time(_ name: String) throws -> Duration {
            let body = Array("\(name)=1".utf8)
            let times = (1...5).map { _ in
                processorTime {
                    #expect(throws: SignedRequestRefusal.self) { try SignedRequest.field(inFormBody: body) }
                }
            }
            return try #require(times.min())
        }
        let letters = try time(String(repeating: "\u{E9}", count: 15_000))
        #expect(try time(Self.accents(30_000)) < letters * 5)
    }

    @Test func `permission names of a configuration are compared in linear time`() throws {
        let names = Data(#"["\#(Self.accents(1 << 20))","\#(Self.accents(1 << 20))b"]"#.utf8)
        let permissions = try JSONDecoder().decode([Permission].self, from: names)
        let error = #expect(throws: LoginConfigurationError.self) {
            try LoginConfiguration(validating: Set(permissions), tracking: .limited)
        }
        #expect(error?.code == .tooLarge)
    }
}
