// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine && Hummingbird
internal import Logging
internal import Synchronization

/// Tells what is wrong with the file of the configuration when it has changed: once, however often it is read.
final class FileFaults: Sendable {
    private let logger: Logger
    private let last = Mutex<ServiceFile.Fault?>(nil)

    init(_ logger: Logger) { self.logger = logger }

    /// Notes how reading the file went.
    ///
    /// - Parameter fault: What is wrong with it; nil where nothing is.
    func note(_ fault: ServiceFile.Fault?) {
        let isNew = last.withLock { last in
            defer { last = fault }
            return last != fault
        }
        guard isNew, let fault else { return }
        logger.error(
            "The configuration is wrong; what was read before counts on",
            metadata: ["configuration.reason": "\(fault)"]
        )
    }
}
#endif
