// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
public import Logging
public import Tweaks

extension TweakProblem {
    /// Logs the problem.
    ///
    /// ```swift
    /// let tweaks = Tweaks(persistence: FileTweaks(path: path)) { $0.log(to: logger) }
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

extension TweakChange {
    /// Logs the change or action, with the values and the author.
    ///
    /// ```swift
    /// await Tweaks.shared.persist(in: FileTweaks(path: path), onChange: { $0.log(to: logger) })
    /// ```
    ///
    /// - Parameter logger: The logger.
    public func log(to logger: Logger) {
        var metadata: Logger.Metadata = ["tweak.id": "\(id)", "tweak.author": "\(by)"]
        if let from { metadata["tweak.from"] = "\(from)" }
        if let to { metadata["tweak.to"] = "\(to)" }
        switch kind {
        case .set: logger.notice("tweak set", metadata: metadata)
        case .reset: logger.notice("tweak reset", metadata: metadata)
        case .action: logger.notice("action run", metadata: metadata)
        }
    }
}
#endif
