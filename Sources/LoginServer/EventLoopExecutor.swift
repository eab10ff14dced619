// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import NIOCore
internal import NIOPosix
internal import ServiceLifecycle

/// An executor that runs tasks on the event loops of the sockets.
///
/// Without it, each request hops from its event loop to Swift's thread pool and back, which costs more than the check
/// of a signature. A task that a socket resumes stays on the event loop of its connection. A task that anything else
/// resumes, such as a store, continues on any event loop. Slow or blocking work (password hashing, stores, files, the
/// log) runs on threads of its own and is awaited.
final class EventLoopExecutor: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        // An event loop runs each submitted job exactly once, and the singleton's event loops are never shut down.
        let job = UnownedJob(job)
        let loop: any EventLoop =
            MultiThreadedEventLoopGroup.currentEventLoop ?? MultiThreadedEventLoopGroup.singleton.next()
        loop.execute { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// A service that runs on the event loops of its sockets.
struct OnEventLoops: Service {
    let service: any Service

    func run() async throws {
        try await withTaskExecutorPreference(EventLoopExecutor()) { try await service.run() }
    }
}
#endif
