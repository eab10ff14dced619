// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import NIOCore
internal import NIOPosix
internal import ServiceLifecycle

/// Runs tasks on the threads that read and write the sockets.
///
/// Each request would go from such a thread to one of Swift's pool and back, which costs more than its signature. Here a task that a
/// socket wakes stays on the thread of its connection, and one that something else wakes, as a store, goes on at any of them. What
/// takes long or blocks, as passwords, stores, files and the log do, has threads of its own in any case, and is waited for.
final class EventLoopExecutor: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        // Each job is run once, as it must be: a loop runs what it was given, and those of the singleton never end.
        let job = UnownedJob(job)
        let loop: any EventLoop =
            MultiThreadedEventLoopGroup.currentEventLoop ?? MultiThreadedEventLoopGroup.singleton.next()
        loop.execute { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// A service that runs on the threads of its sockets.
struct OnEventLoops: Service {
    let service: any Service

    func run() async throws {
        try await withTaskExecutorPreference(EventLoopExecutor()) { try await service.run() }
    }
}
#endif
