// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import Dispatch
internal import LoginTokens
internal import Synchronization

/// A verifier for use on several threads.
///
/// It first verifies with the keys at hand, and asks the key source only if these do not decide.
///
/// A thread that asks the source blocks until ``serve()`` has answered.
final class BatchVerifier: Sendable {
    private let verifier: TokenVerifier
    private let nonce: NonceExpectation
    private let source: any ReportingKeySource
    private let keys: Mutex<Keys>
    private let questions = AsyncStream.makeStream(of: Question.self)
    private let isStopped = Atomic(false)

    /// The interval at which the keys are taken from the source again.
    ///
    /// The source answers from memory, unless its keys are stale and it waits for a fetch. A key that the source has
    /// dropped is used no longer than this, apart from that wait.
    private static let renewal: Duration = .seconds(1)

    /// Creates a verifier, with the keys that the source has now.
    ///
    /// - Parameters:
    ///   - verifier: The verifier of each token.
    ///   - nonce: The expected nonce.
    ///   - source: The source of the verifier's keys.
    /// - Throws: `VerificationUnavailable` if the source has no keys at the start.
    init(
        _ verifier: TokenVerifier,
        nonce: NonceExpectation,
        source: any ReportingKeySource
    ) async throws(VerificationUnavailable) {
        self.verifier = verifier
        self.nonce = nonce
        self.source = source
        keys = Mutex(Keys(snapshot: try await source.snapshot(for: verifier.policy.provider.issuers.first ?? "")))
    }

    /// Verifies the lines of a block.
    ///
    /// The call may block its thread.
    ///
    /// - Parameters:
    ///   - block: The lines.
    ///   - format: The format of the verdicts.
    /// - Returns: A verdict for each line; nil if ``stop()`` was called before all were known.
    /// - Throws: The encoder's error, for verdicts as JSON.
    func verdicts(on block: LineBlock, format: ReportFormat) throws -> VerdictBlock? {
        var verdicts = VerdictBlock(format: format, inputEnd: block.inputEnd)
        var number = block.firstLine
        for line in block.lines {
            // Invalid UTF-8 is replaced by U+FFFD, which no token contains, so the line is refused.
            switch answer(on: String(decoding: line, as: UTF8.self), with: keys.withLock { $0 }) {
            case .verified: try verdicts.append(number, nil)
            case .failed(let error): try verdicts.append(number, error)
            case nil: return nil
            }
            number += 1
        }
        return verdicts
    }

    /// Answers waiting threads, and takes the keys from the source regularly, until the task is cancelled.
    func serve() async {
        await withDiscardingTaskGroup { group in
            if source.mayHaveOthersLater { group.addTask { await self.renewKeysRegularly() } }
            for await question in questions.stream {
                group.addTask { question.answer(await self.lookedUp(question.text)) }
            }
            group.cancelAll()
        }
    }

    /// Makes waiting threads return without an answer.
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
            // The issuer may have a new key by now, under the same ID or without an ID.
            case .signature where !keys.areNewest || !namesKey(text): return ask(text)
            default: return .failed(.refused(error))
            }
        }
    }

    private func namesKey(_ text: String) -> Bool {
        (try? CompactJWS(text, limits: .largest))?.header.keyID != nil
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
            // The source has tried to fetch newer keys.
            if error.code == .signature { await renewKeys(areNewest: true) }
            return .failed(error)
        }
    }

    private func renewKeysRegularly() async {
        while (try? await Task.sleep(for: Self.renewal)) != nil { await renewKeys(areNewest: false) }
    }

    private func renewKeys(areNewest: Bool) async {
        let issuer = verifier.policy.provider.issuers.first ?? ""
        // Without keys, every token is looked up, and the answer has the reason.
        let snapshot: KeySnapshot?
        do throws(VerificationUnavailable) { snapshot = try await source.snapshot(for: issuer) } catch {
            snapshot = nil
        }
        keys.withLock { $0 = Keys(snapshot: snapshot, areNewest: areNewest) }
    }
}

/// The keys to verify with, as taken from the source.
private struct Keys: Sendable {
    /// The keys; nil if the source has none.
    var snapshot: KeySnapshot?

    /// Whether the source has just tried to fetch newer keys.
    ///
    /// If so, a token that names a key and has another key's signature does not cause another lookup until the next
    /// renewal.
    var areNewest = false
}

private enum Answer: Sendable {
    case verified
    case failed(VerificationError)
}

/// A token whose verdict a thread waits for.
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

    /// Waits for the answer, and blocks the thread.
    ///
    /// A stop is noticed within a tenth of a second.
    func wait(unless isStopped: borrowing Atomic<Bool>) -> Answer? {
        while isGiven.wait(timeout: .now() + .milliseconds(100)) == .timedOut {
            if isStopped.load(ordering: .relaxed) { return nil }
        }
        return given.withLock { $0 }
    }
}
#endif
