// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Logging
internal import Synchronization

/// A log of errors in the changed configuration file, which reports each error once.
final class FileFaults: Sendable {
    private struct State {
        /// Whether the file was valid at least once; until then, the command itself reports the error and exits.
        var wasGood = false
        var last: ServiceFile.Fault?
    }

    private let logger: Logger
    private let state = Mutex(State())

    init(_ logger: Logger) { self.logger = logger }

    /// Records the result of reading the file, and logs a new error.
    ///
    /// - Parameters:
    ///   - fault: The error; nil if the file is valid.
    ///   - isAsked: Whether to log the error again if it is the same as before.
    func note(_ fault: ServiceFile.Fault?, isAsked: Bool = false) {
        let isNews = state.withLock { state in
            defer { state.last = fault }
            if fault == nil { state.wasGood = true }
            return state.wasGood && (isAsked || state.last != fault)
        }
        guard isNews, let fault else { return }
        logger.error(
            "invalid configuration; the previous one stays in effect",
            metadata: ["configuration.reason": "\(fault)"]
        )
    }
}
#endif
