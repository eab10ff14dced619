// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import LoginAccounts
internal import LoginProviders
internal import LoginTokens
internal import Logging
internal import Synchronization

/// Limits the log lines about an unreachable provider, a ledger of used proofs that is full or unavailable, or a store
/// that cannot be written: one line per minute, provider and code, the others at `debug`.
///
/// Each service and resource limits its own lines. Requests of clients cause these lines, so they would otherwise fill the log
/// during an outage. The beginning and the end of an outage are logged by `LoginObserver.logging(_:)`
/// and `KeyCacheObserver.logging(_:)`.
package final class OutageLog: Sendable {
    private static let interval = Duration.seconds(60)

    /// An outage: its code, and its provider if the error names one.
    private struct Outage: Hashable {
        let provider: ProviderID?
        let code: ProblemCode
    }

    private static let codes = [ProblemCode(.providerUnavailable), .keysUnavailable, .proofUndecided]

    /// The time of the last error of each outage, bounded by the numbers of configured providers and of codes.
    private let errors = Mutex<[Outage: ContinuousClock.Instant]>([:])

    package init() {}

    /// Returns the log level of a problem with status 500 or above.
    ///
    /// - Parameters:
    ///   - error: The error that became the problem.
    ///   - problem: The problem.
    ///   - now: The current time.
    /// - Returns: `error`; `debug` for an outage whose last error is less than a minute old, and for a token whose unknown
    ///   key can be looked up later, because clients can make up such tokens.
    func level(of error: any Error, as problem: Problem, at now: ContinuousClock.Instant = .now) -> Logger.Level {
        guard !problem.isPostponed else { return .debug }
        guard Self.codes.contains(problem.code) else { return .error }
        return isDue(Outage(provider: (error as? AuthError)?.provider, code: problem.code), at: now) ? .error : .debug
    }

    /// Logs that a session was used, and the store could not be written: one warning per minute, the others at `debug`.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - logger: The logger of the request.
    ///   - now: The current time.
    func recordUnstoredUse(of session: Session, to logger: Logger, at now: ContinuousClock.Instant = .now) {
        guard let fault = session.unstoredUse else { return }
        let isDue = isDue(Outage(provider: nil, code: ProblemCode(fault.code)), at: now)
        logger.log(
            level: isDue ? .warning : .debug,
            "use of a session not stored",
            metadata: ["error.code": "\(fault.code.rawValue)", "error.detail": "\(fault.detail)"]
        )
    }

    private func isDue(_ outage: Outage, at now: ContinuousClock.Instant) -> Bool {
        errors.withLock { errors in
            if let last = errors[outage], now - last < Self.interval { return false }
            errors[outage] = now
            return true
        }
    }
}
#endif
