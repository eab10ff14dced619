// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Foundation
internal import Synchronization

/// Writes lines on a thread of its own: whoever logs does not wait for who reads.
///
/// A reader that stands still would stop the threads of all sockets otherwise, and with them the answer that the service is well. While
/// it does, lines wait; those for which there is no room are counted, and the count is written where they are missing.
final class LogWriter: Sendable {
    /// What a service logs to.
    static let standardError = LogWriter { try? FileHandle.standardError.write(contentsOf: Data($0.utf8)) }

    private struct State {
        var waiting = 0
        var lost = 0
    }

    private let limit: Int
    private let output: @Sendable (String) -> Void
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "log")

    /// A writer.
    ///
    /// - Parameters:
    ///   - limit: How many lines may wait.
    ///   - output: Writes a line, and may block.
    init(limit: Int = 10_000, output: @escaping @Sendable (String) -> Void) {
        self.limit = limit
        self.output = output
    }

    /// Has a line written soon.
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
            if lost > 0 { output("\(lost) lines are missing here: nobody read the log\n") }
            output(line)
            state.withLock { $0.waiting -= 1 }
        }
    }

    /// Waits until what was logged before is written, but no longer than a while.
    func flush(within time: DispatchTimeInterval = .seconds(2)) async {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        queue.async { end.finish() }
        DispatchQueue.global().asyncAfter(deadline: .now() + time) { end.finish() }
        for await _ in ends {}
    }
}
#endif
