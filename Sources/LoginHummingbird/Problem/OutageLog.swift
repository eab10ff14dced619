// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import LoginAccounts
package import LoginProviders
internal import LoginTokens
package import Logging
internal import Synchronization

/// Bounds the lines of the log about an unreachable provider: one a minute for each provider is an error, the others are at `debug`.
///
/// Clients cause these lines, so that they would otherwise fill the log as long as a provider is unreachable. When it becomes unreachable, and
/// when it answers again, are lines of their own, by ``metadata(to:)`` and `KeyCacheObserver.logging(_:)`.
package final class OutageLog: Sendable {
    private static let interval = Duration.seconds(60)

    /// The time of the last error for each provider; the providers are configured, and few.
    private let errors = Mutex<[ProviderID?: ContinuousClock.Instant]>([:])

    package init() {}

    /// Returns the level at which a problem with status 500 and above is logged.
    ///
    /// - Parameters:
    ///   - error: The error that became the problem.
    ///   - problem: The problem.
    ///   - now: The current time.
    /// - Returns: `error`; `debug` for an unreachable provider whose last error is less than a minute old.
    func level(of error: any Error, as problem: Problem, at now: ContinuousClock.Instant = .now) -> Logger.Level {
        guard problem.code == ProblemCode(.providerUnavailable) || problem.code == .keysUnavailable else {
            return .error
        }
        let provider = (error as? AuthError)?.provider
        return errors.withLock { errors in
            if let last = errors[provider], now - last < Self.interval { return .debug }
            errors[provider] = now
            return .error
        }
    }

    /// Returns a function for `SignInProviders` that logs where the metadata of a provider becomes unavailable, and where it is available again.
    ///
    /// - Parameter logger: The logger.
    /// - Returns: The function, for `onAvailability`.
    package static func metadata(to logger: Logger) -> @Sendable (ProviderID, (any Error)?) -> Void {
        { provider, error in
            var metadata: Logger.Metadata = ["provider": "\(provider)"]
            if let error {
                metadata["provider.reason"] = "\(error)"
                logger.warning("provider metadata unavailable", metadata: metadata)
            } else {
                logger.notice("provider metadata available again", metadata: metadata)
            }
        }
    }
}
#endif
