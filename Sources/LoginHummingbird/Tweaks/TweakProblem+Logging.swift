// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
public import Logging
public import Tweaks

extension TweakProblem {
    /// Logs the problem.
    ///
    /// ```swift
    /// let tweaks = Tweaks(persistence: AccountTweaks(auth)) { $0.log(to: logger) }
    /// ```
    ///
    /// - Parameter logger: The logger.
    public func log(to logger: Logger) {
        switch self {
        case .fault(let fault):
            logger.warning(
                "tweak value ignored",
                metadata: [
                    "tweak.id": "\(fault.id)", "tweak.source": "\(fault.source.rawValue)",
                    "tweak.reason": "\(fault.reason)",
                ]
            )
        case .declaration(let error):
            logger.warning("tweak declaration ignored", metadata: ["tweak.reason": "\(error.detail)"])
        case .unavailable(let error):
            logger.warning(
                "tweaks not read from the store, last values stay in use",
                metadata: ["tweak.reason": "\(error.detail)"]
            )
        case .available: logger.notice("tweaks read from the store again")
        }
    }
}
#endif
