// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTPClient
internal import Foundation
@testable internal import LoginKeys
import LoginTestServers
internal import LoginTesting
internal import LoginTokens
internal import NIOPosix
internal import Synchronization
internal import TestSupport
internal import Testing

struct SystemResolverTests {
    @Test(.rule("T-152"), arguments: ["localhost", "127.1", "0x7f.0.0.1", "2130706433"])
    func `localhost resolves to loopback addresses`(name: String) async throws {
        let addresses = try await SystemResolver().addresses(of: name)
        #expect(!addresses.isEmpty)
        #expect(addresses.filter { !$0.isLoopback } == [])
    }

    @Test(arguments: [("10.1.2.3", IPAddress.v4(0x0A01_0203)), ("fd00::1:2", .v6(0xFD00 << 112 | 0x1_0002))])
    func `addresses from the system resolver are converted exactly`(text: String, address: IPAddress) async throws {
        #expect(try await SystemResolver().addresses(of: text) == [address])
    }

    @Test(.rule("T-156")) func `a hanging name server delays no other request, and is not asked again in vain`()
        async throws
    {
        let threads = NIOThreadPool(numberOfThreads: 1)
        threads.start()
        let answers = DispatchSemaphore(value: 0)
        let asked = Mutex<[String]>([])
        let resolver = SystemResolver(threads: threads) { name in
            asked.withLock { $0.append(name) }
            answers.wait()
            return [.v4(1)]
        }
        let transport = AsyncHTTPClientTransport(.init(), resolver: resolver)
        for number in 1...5 {
            // The first lookup must reach the thread before its deadline, however busy the machine is; the others must
            // not.
            let deadline: Duration = number == 1 ? .seconds(5) : .milliseconds(100)
            let request = try TransportRequest("https://hangs-\(number).test/", deadline: deadline)
            // The request must end by itself: the lookup returns only after this loop.
            await expectFailure(.deadline, from: transport, request)
        }
        answers.signal()
        answers.signal()
        #expect(try await resolver.addresses(of: "answers.test") == [.v4(1)])
        #expect(asked.withLock { $0 } == ["hangs-1.test", "answers.test"])
        try await threads.shutdownGracefully()
    }

    @Test func `a request fails if the resolver has no threads`() async throws {
        let threads = NIOThreadPool(numberOfThreads: 1)
        let resolver = SystemResolver(threads: threads) { _ in [.v4(1)] }
        let transport = AsyncHTTPClientTransport(.init(), resolver: resolver)
        await expectFailure(.interrupted, from: transport, try TransportRequest("https://keys.example/"))
    }
}
#endif
