// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Foundation
internal import Synchronization

/// A writer of log lines on a thread of its own, so that logging never blocks.
///
/// Otherwise a reader that stops reading would block all event loops, including the health checks. Meanwhile lines are
/// queued. Lines that do not fit in the queue are dropped, and their number is written in their place.
final class LogWriter: Sendable {
    /// The writer to standard error.
    static let standardError = LogWriter { try? FileHandle.standardError.write(contentsOf: Data($0.utf8)) }

    private struct State {
        var waiting = 0
        var lost = 0
    }

    private let limit: Int
    private let output: @Sendable (String) -> Void
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "log")

    /// Creates a writer.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of queued lines.
    ///   - output: Writes a line, and may block.
    init(limit: Int = 10_000, output: @escaping @Sendable (String) -> Void) {
        self.limit = limit
        self.output = output
    }

    /// Queues a line, or drops it if the queue is full.
    func write(_ line: String) {
        let lost: Int? = state.withLock { state in
            guard state.waiting < limit else {
                state.lost += 1
                return nil
            }
            state.waiting += 1
            defer { state.lost = 0 }
            return state.lost
        }
        guard let lost else { return }
        queue.async { [self] in
            if lost > 0 { output("\(lost) log lines dropped: standard error was not read in time\n") }
            output(line)
            state.withLock { $0.waiting -= 1 }
        }
    }

    /// Waits until all queued lines are written, or the time is over.
    func flush(within time: DispatchTimeInterval = .seconds(2)) async {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        queue.async { end.finish() }
        DispatchQueue.global().asyncAfter(deadline: .now() + time) { end.finish() }
        for await _ in ends {}
    }
}
#endif
