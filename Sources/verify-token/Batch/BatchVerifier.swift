// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import Dispatch
internal import LoginTokens
internal import Synchronization

/// Verifies tokens on threads: at once with keys that are at hand, and where those do not decide, by asking for others.
///
/// Whoever asks waits on his thread, and the answers are found beside, in ``serve()``.
final class BatchVerifier: Sendable {
    private let verifier: TokenVerifier
    private let nonce: NonceExpectation
    private let source: any ReportingKeySource
    private let keys: Mutex<Keys>
    private let questions = AsyncStream.makeStream(of: Question.self)
    private let isStopped = Atomic(false)

    /// How often the source is asked for its keys as they are now: each second.
    ///
    /// It answers from memory. Keys that were withdrawn serve no longer than that.
    private static let renewal: Duration = .seconds(1)

    /// - Parameters:
    ///   - policy: What tokens must say.
    ///   - nonce: What their nonce must be.
    ///   - source: Where the keys come from.
    ///   - clock: Who says what time it is.
    /// - Throws: `KeysUnavailable` where there are none to begin with.
    init(
        policy: TokenPolicy,
        nonce: NonceExpectation,
        source: any ReportingKeySource,
        clock: any WallClock
    ) async throws(KeysUnavailable) {
        verifier = TokenVerifier(policy: policy, keys: source, clock: clock)
        self.nonce = nonce
        self.source = source
        keys = Mutex(Keys(snapshot: try await source.snapshot(for: policy.provider.issuers.first ?? "")))
    }

    /// Verifies the lines of a block.
    ///
    /// It may wait, so its thread does nothing else.
    ///
    /// - Parameters:
    ///   - block: The lines.
    ///   - format: The form of the verdicts.
    /// - Returns: A verdict for each; nil where ``stop()`` was called and not all are known.
    /// - Throws: What writing them as JSON throws.
    func verdicts(on block: LineBlock, format: ReportFormat) throws -> VerdictBlock? {
        var verdicts = VerdictBlock(format: format, inputEnd: block.inputEnd)
        var number = block.firstLine
        for line in block.lines {
            // What is no UTF-8 is repaired with a character that no token has, and refused for it.
            switch answer(on: String(decoding: line, as: UTF8.self), with: keys.withLock { $0 }) {
            case .verified: try verdicts.append(number, nil)
            case .failed(let error): try verdicts.append(number, error)
            case nil: return nil
            }
            number += 1
        }
        return verdicts
    }

    /// Finds answers for those who wait, and keeps the keys as they are at the source, until the task is cancelled.
    func serve() async {
        await withDiscardingTaskGroup { group in
            if source.mayHaveOthersLater { group.addTask { await self.renewKeysRegularly() } }
            for await question in questions.stream {
                group.addTask { question.answer(await self.lookedUp(question.text)) }
            }
            group.cancelAll()
        }
    }

    /// Has everybody who waits leave without an answer.
    func stop() {
        isStopped.store(true, ordering: .relaxed)
    }

    private func answer(on text: String, with keys: Keys) -> Answer? {
        guard let snapshot = keys.snapshot else { return ask(text) }
        do throws(TokenRefusal) {
            _ = try verifier.verify(text, nonce: nonce, with: snapshot)
            return .verified
        } catch {
            guard source.mayHaveOthersLater else { return .failed(.refused(error)) }
            switch error.code {
            case .keyNotFound: return ask(text)
            // The issuer may have another key by now, under the same ID or without one.
            case .signature where !keys.areNewest || !namesKey(text): return ask(text)
            default: return .failed(.refused(error))
            }
        }
    }

    private func namesKey(_ text: String) -> Bool {
        (try? CompactJWS(text))?.header.keyID != nil
    }

    private func ask(_ text: String) -> Answer? {
        let question = Question(text)
        questions.continuation.yield(question)
        return question.wait(unless: isStopped)
    }

    private func lookedUp(_ text: String) async -> Answer {
        do throws(VerificationError) {
            _ = try await verifier.verify(text, nonce: nonce)
            return .verified
        } catch {
            // The source has looked for newer keys, or cannot now.
            if error.code == TokenRefusal.Code.signature.rawValue { await renewKeys(areNewest: true) }
            return .failed(error)
        }
    }

    private func renewKeysRegularly() async {
        while (try? await Task.sleep(for: Self.renewal)) != nil { await renewKeys(areNewest: false) }
    }

    private func renewKeys(areNewest: Bool) async {
        let issuer = verifier.policy.provider.issuers.first ?? ""
        // Where they are had no longer, each token is asked about, and whoever asks learns why not.
        let snapshot: KeySnapshot?
        do throws(KeysUnavailable) { snapshot = try await source.snapshot(for: issuer) } catch { snapshot = nil }
        keys.withLock { $0 = Keys(snapshot: snapshot, areNewest: areNewest) }
    }
}

/// The keys that tokens are verified with.
private struct Keys: Sendable {
    /// Nil where there are none.
    var snapshot: KeySnapshot?

    /// Whether the source was asked for newer keys just before: until the next renewal, it is not asked again for tokens that name
    /// a key which did not sign them.
    var areNewest = false
}

private enum Answer: Sendable {
    case verified
    case failed(VerificationError)
}

/// A token for whose verdict somebody waits.
private final class Question: Sendable {
    let text: String
    private let given = Mutex<Answer?>(nil)
    private let isGiven = DispatchSemaphore(value: 0)

    init(_ text: String) {
        self.text = text
    }

    func answer(_ answer: Answer) {
        given.withLock { $0 = answer }
        isGiven.signal()
    }

    /// Waits for the answer, on a thread that does nothing else; whoever stops is noticed within a tenth of a second.
    func wait(unless isStopped: borrowing Atomic<Bool>) -> Answer? {
        while isGiven.wait(timeout: .now() + .milliseconds(100)) == .timedOut {
            if isStopped.load(ordering: .relaxed) { return nil }
        }
        return given.withLock { $0 }
    }
}
#endif
