// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTPClient
import Logging
import LoginKeys
import LoginTestServers
import LoginTesting
import ServiceLifecycle
import TestSupport
import Testing

/// A cache in the service group of a server.
@Suite(.timeLimit(.minutes(10))) struct ServiceTests {
    @Test func `the cache runs in a service group until shutdown, and its keys remain usable`() async throws {
        let bench = try CacheBench()
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [bench.cache],
                logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
            )
        )
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            #expect(await bench.verdict(bench.issuer.token()) == "verified")
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
        #expect(await bench.verdict(bench.issuer.token()) == "verified")
        #expect(bench.transport.requests.count == 1)
        // After the shutdown, a call starts its own fetch.
        #expect(await bench.verdict(bench.unknown("x")) == "key-not-found")
        #expect(bench.transport.requests.count == 2)
    }

    @Test(.rule("T-160")) func `a call before the start of the service and the service itself cause one request`()
        async throws
    {
        let bench = try CacheBench()
        bench.transport.shut()
        let early = Task { await bench.verdict(bench.issuer.token()) }
        await bench.transport.requests(atLeast: 1)
        await bench.cache.running {
            async let late = bench.verdict(bench.issuer.token())
            bench.transport.open()
            #expect(await early.value == "verified")
            #expect(await late == "verified")
        }
        #expect(bench.transport.requests.count == 1)
    }

    @Test func `the service renews keys in advance that a call has fetched`() async throws {
        let bench = try CacheBench()
        #expect(await bench.verdict(bench.issuer.token()) == "verified")
        try await bench.cache.running {
            try await bench.clock.waitForSleepers(1)
            bench.clock.advance(by: .seconds(3000))
            await bench.transport.requests(atLeast: 2)
        }
    }

    @Test func `shutdown does not wait for a hanging fetch`() async throws {
        let bench = try CacheBench()
        bench.transport.shut()
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [bench.cache],
                logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
            )
        )
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            await bench.transport.requests(atLeast: 1)
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
        #expect(bench.cache.status(of: "https://issuer.example")?.lastFailure == nil)
    }

    @Test func `the service can be run again after its end`() async throws {
        let bench = try CacheBench()
        for _ in 0..<2 {
            await bench.cache.running {
                #expect(await bench.verdict(bench.issuer.token()) == "verified")
            }
        }
        #expect(bench.transport.requests.count == 1)
    }
}
#endif
