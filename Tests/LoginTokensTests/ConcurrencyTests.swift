// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// One key and one verifier, used by many tasks at once, for the thread sanitizer.
@Suite struct ConcurrencyTests {
    @Test(.rule("T-068", "T-032"))
    func `64 concurrent tasks that share a verifier get correct verdicts`() async throws {
        let bench = try FaultBench()
        let cases = ([nil] + TokenFault.allCases.map { Optional($0) }).map { fault in
            let faults = [fault].compactMap(\.self)
            return (text: bench.token(faults), nonce: bench.nonce(faults), code: fault?.found.code)
        }
        await withTaskGroup { group in
            for task in 0..<64 {
                group.addTask {
                    for turn in cases.indices {
                        let (text, nonce, expected) = cases[(task + turn) % cases.count]
                        do throws(VerificationError) {
                            try await bench.verifyWaiting(text: text, nonce: nonce)
                            #expect(expected == nil)
                        } catch {
                            guard case .refused(let refusal) = error else {
                                Issue.record("\(error)")
                                continue
                            }
                            #expect(refusal.code == expected)
                        }
                    }
                }
            }
        }
    }

    @Test(.rule("T-068"))
    func `64 concurrent tasks can share a key`() async throws {
        let key = try TestKey.shared.publicKey()
        let messages = (0..<4).map { Array("message \($0)".utf8) }
        let signatures = messages.map { TestKey.shared.signature(of: $0) }
        await withTaskGroup { group in
            for task in 0..<64 {
                group.addTask {
                    for turn in 0..<16 {
                        let (message, signature) = ((task + turn) % 4, turn % 4)
                        let valid = key.isValidSignature(
                            signatures[signature],
                            of: messages[message],
                            algorithm: .rs256
                        )
                        #expect(valid == (message == signature))
                    }
                }
            }
        }
    }

    @Test(.rule("T-068"))
    func `keys can be imported and released while others are in use`() async throws {
        let json = Array(TestKey.shared.json.text.utf8)
        let message = Array("message".utf8)
        let signature = TestKey.shared.signature(of: message)
        try await withThrowingTaskGroup { group in
            for _ in 0..<64 {
                group.addTask {
                    let keys = try (0..<4).map { _ in try JSONWebKey(json: json) }
                    #expect(keys.allSatisfy { $0.isValidSignature(signature, of: message, algorithm: .rs256) })
                }
            }
            try await group.waitForAll()
        }
    }
}
