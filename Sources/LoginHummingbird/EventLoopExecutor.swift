// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
public import NIOCore
internal import NIOPosix

/// An executor that runs tasks on the event loops of the sockets.
///
/// Without it, each request hops from its event loop to Swift's thread pool and back, which costs more than the check
/// of a signature. Slow or blocking work (password hashing, stores, files, the log) runs on threads of its own and is
/// awaited.
public final class EventLoopExecutor: TaskExecutor {
    private let loop: (any EventLoop)?

    /// Creates an executor.
    ///
    /// - Parameter loop: The event loop; nil for the one that resumes a task, and for any one if another thread does.
    public init(_ loop: (any EventLoop)? = nil) { self.loop = loop }

    /// Runs a job on the event loop.
    public func enqueue(_ job: consuming ExecutorJob) {
        // An event loop runs each submitted job exactly once, and the singleton's event loops are never shut down.
        let job = UnownedJob(job)
        let loop: any EventLoop =
            loop ?? MultiThreadedEventLoopGroup.currentEventLoop ?? MultiThreadedEventLoopGroup.singleton.next()
        loop.execute { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

extension EventLoopExecutor {
    /// The executors of single event loops.
    private static let ofLoops: [ObjectIdentifier: EventLoopExecutor] = {
        let loops = Array(MultiThreadedEventLoopGroup.singleton.makeIterator())
        return Dictionary(loops.map { (ObjectIdentifier($0), EventLoopExecutor($0)) }) { first, _ in first }
    }()

    /// Returns the executor of a connection's event loop; nil for a loop of another group.
    ///
    /// A store resumes a request from another thread. On any other event loop than that of its connection, the response
    /// would wake two threads instead of one.
    static func of(_ loop: any EventLoop) -> EventLoopExecutor? { ofLoops[ObjectIdentifier(loop)] }
}
#endif
