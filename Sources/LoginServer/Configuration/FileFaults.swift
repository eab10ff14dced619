// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Logging
internal import Synchronization

/// Tells what is wrong with the file of the configuration when it has changed: once, however often it is read.
final class FileFaults: Sendable {
    private struct State {
        /// Whether nothing was wrong once; before that nothing counts on, and the command itself says what is wrong.
        var wasGood = false
        var last: ServiceFile.Fault?
    }

    private let logger: Logger
    private let state = Mutex(State())

    init(_ logger: Logger) { self.logger = logger }

    /// Notes how reading the file went.
    ///
    /// - Parameters:
    ///   - fault: What is wrong with it; nil where nothing is.
    ///   - isAsked: Whether somebody wants to know, also where it was told before.
    func note(_ fault: ServiceFile.Fault?, isAsked: Bool = false) {
        let isNews = state.withLock { state in
            defer { state.last = fault }
            if fault == nil { state.wasGood = true }
            return state.wasGood && (isAsked || state.last != fault)
        }
        guard isNews, let fault else { return }
        logger.error(
            "The configuration is wrong; what was read before counts on",
            metadata: ["configuration.reason": "\(fault)"]
        )
    }
}
#endif
