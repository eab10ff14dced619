// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import Foundation
internal import LoginTesting
internal import LoginTokens
internal import Synchronization
internal import TestSupport
internal import Testing
@testable import verify_token

/// Verification on several threads, with keys that may change meanwhile.
@Suite struct BatchVerifierTests {
    /// A source that returns other keys after a refresh, or fails to refresh.
    private final class TurningKeys: ReportingKeySource {
        let origin: KeyOrigin? = nil
        let mayHaveOthersLater = true
        let looks = Mutex(0)
        private let before: KeySnapshot
        private let after: Result<KeySnapshot, VerificationUnavailable>?

        /// - Parameters:
        ///   - before: The keys before the refresh.
        ///   - after: The result of the refresh; nil if it never ends.
        init(before: KeySnapshot, after: Result<KeySnapshot, VerificationUnavailable>?) {
            self.before = before
            self.after = after
        }

        func snapshot(for issuer: String) async throws(VerificationUnavailable) -> KeySnapshot { before }

        func refreshed(for issuer: String, unknownKeyID: String?) async throws(VerificationUnavailable) -> KeySnapshot {
            looks.withLock { $0 += 1 }
            while after == nil {
                do { try await Task.sleep(for: .seconds(3600)) } catch { throw VerificationUnavailable(detail: "left") }
            }
            return try after?.get() ?? before
        }
    }

    private let issuer = TestIssuer.facebook(appID: "1234567890")
    private let other = TestIssuer.facebook(appID: "1234567890", key: .another)

    private func snapshot(_ issuer: TestIssuer) throws -> KeySnapshot {
        KeySnapshot(provider: issuer.provider, keys: try JSONWebKeySet(json: issuer.keySet.text))
    }

    /// Returns the verdicts on some lines as text; nil if the verification was stopped.
    private func verdicts(
        _ lines: [String],
        _ source: some ReportingKeySource,
        stopping: Bool = false
    ) async throws -> String? {
        let policy = try TokenPolicy(provider: issuer.provider, audiences: [issuer.audience])
        let verifier = try await BatchVerifier(
            TokenVerifier(policy: policy, keys: source, clock: issuer.clock),
            nonce: .exactly("n-1"),
            source: source
        )
        var cutter = LineCutter(tokenBytes: Limits.tokenBytes)
        var found: LineBlock?
        cutter.cut(Array(lines.map { $0 + "\n" }.joined().utf8)[...]) { found = $0 }
        let block = try #require(found)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await verifier.serve() }
            let result = await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    continuation.resume(returning: Result { try verifier.verdicts(on: block, format: .text) })
                }
                if stopping { verifier.stop() }
            }
            group.cancelAll()
            return try result.get().map { String(decoding: $0.text, as: UTF8.self) }
        }
    }

    @Test func `a token with a new key is verified after a refresh`() async throws {
        let source = TurningKeys(before: try snapshot(issuer), after: .success(try snapshot(other)))
        let lines = [issuer.token(nonce: "n-1"), other.token(nonce: "n-1"), "garbage"]
        #expect(try await verdicts(lines, source) == "1\tverified\n2\tverified\n3\tsegments\n")
        #expect(source.looks.withLock { $0 } == 1)
    }

    @Test func `a token is undecided if the refresh for its key fails`() async throws {
        let source = TurningKeys(before: try snapshot(issuer), after: .failure(VerificationUnavailable(detail: "down")))
        let lines = [other.token(nonce: "n-1"), issuer.token(nonce: "n-1")]
        #expect(try await verdicts(lines, source) == "1\tkeys-unavailable\n2\tverified\n")
    }

    @Test func `forged tokens with a known key ID are refused with fewer refreshes than tokens`() async throws {
        let source = TurningKeys(before: try snapshot(issuer), after: .success(try snapshot(issuer)))
        let forged = issuer.token(nonce: "n-1") { $0.signing = .bytes([UInt8](repeating: 1, count: 256)) }
        let lines = Array(repeating: forged, count: 20) + [issuer.token(nonce: "n-1")]
        let expected = (1...20).map { "\($0)\tsignature\n" }.joined() + "21\tverified\n"
        #expect(try await verdicts(lines, source) == expected)
        // One refresh, and another for each second that has passed meanwhile.
        #expect((1..<20).contains(source.looks.withLock { $0 }))
    }

    @Test func `tokens with a replaced key of the same ID are verified after a refresh`() async throws {
        var namesake = TestKey.another.json
        namesake["kid"] = .string(issuer.key.keyID)
        let keys = try JSONWebKeySet(json: (["keys": [namesake]] as TestJSON).text)
        let after = KeySnapshot(provider: issuer.provider, keys: keys)
        let source = TurningKeys(before: try snapshot(issuer), after: .success(after))
        let token = issuer.token(nonce: "n-1") { $0.signing = .key(.another) }
        #expect(try await verdicts([token, token], source) == "1\tverified\n2\tverified\n")
    }

    @Test func `a worker that waits for a key ends when the batch is stopped`() async throws {
        let source = TurningKeys(before: try snapshot(issuer), after: nil)
        #expect(try await verdicts([other.token(nonce: "n-1")], source, stopping: true) == nil)
    }
}
#endif
