// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
import NIOCore
import NIOPosix
import Testing

@testable import LoginHummingbird

@Suite struct EventLoopExecutorTests {
    /// The event loop of this thread.
    private var loop: ObjectIdentifier? { MultiThreadedEventLoopGroup.currentEventLoop.map { ObjectIdentifier($0) } }

    @Test func `a task stays on its event loop across suspensions, and its child task runs there too`() async throws {
        #expect(loop == nil)
        try await withTaskExecutorPreference(EventLoopExecutor()) {
            let first = try #require(loop)
            for _ in 0..<100 { await Task.yield() }
            #expect(loop == first)
            async let child = loop
            let childLoop = await child
            #expect(childLoop == first)
        }
        #expect(loop == nil)
    }

    @Test func `a task that another thread wakes resumes on an event loop`() async throws {
        let loops = try await withTaskExecutorPreference(EventLoopExecutor()) {
            try await Task.sleep(for: .milliseconds(1))
            let afterSleep = loop
            let answer = try await NIOThreadPool.singleton.runIfActive { loop }
            return (afterSleep, answer, loop)
        }
        #expect(loops.0 != nil && loops.2 != nil)
        #expect(loops.1 == nil, "what blocks has threads of its own")
    }

    @Test func `a request runs on the event loop of its connection, also after another thread has resumed it`()
        async throws
    {
        for connection in MultiThreadedEventLoopGroup.singleton.makeIterator() {
            let executor = try #require(EventLoopExecutor.of(connection))
            let loops = try await withTaskExecutorPreference(executor) {
                let before = loop
                try await NIOThreadPool.singleton.runIfActive {}
                return [before, loop]
            }
            #expect(loops == [ObjectIdentifier(connection), ObjectIdentifier(connection)])
        }
    }

    @Test func `an event loop of another group has no executor`() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        #expect(EventLoopExecutor.of(group.next()) == nil)
        try await group.shutdownGracefully()
    }

    @Test func `a thousand tasks are all run`() async {
        let sum = await withTaskExecutorPreference(EventLoopExecutor()) {
            await withTaskGroup(of: Int.self) { group in
                for number in 1...1000 {
                    group.addTask {
                        await Task.yield()
                        return number
                    }
                }
                return await group.reduce(0, +)
            }
        }
        #expect(sum == 500_500)
    }
}
#endif
