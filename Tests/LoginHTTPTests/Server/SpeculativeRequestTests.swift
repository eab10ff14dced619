// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import HTTPTypes
import Logging
import Synchronization
import TestSupport
import Testing

@testable import LoginHTTP

/// Requests of browsers for pages that the user has not opened.
@Suite struct SpeculativeRequestTests {
    private func request(_ name: String, _ value: String) throws -> ServerRequest {
        var head = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/page")
        head.headerFields[try #require(HTTPField.Name(name))] = value
        return ServerRequest(head, from: .unixSocket, logger: Logger(label: "test"))
    }

    @Test(arguments: [
        ("Sec-Purpose", "prefetch"), ("Sec-Purpose", "prefetch;prerender"), ("sec-purpose", "Prefetch; prerender"),
        ("Sec-Purpose", "prefetch;anonymous-client-ip"), ("Purpose", "prefetch"), ("Purpose", " preview"),
        ("X-Purpose", "preview"), ("X-Purpose", "instant"), ("X-Moz", "prefetch"),
    ])
    func `a request with the purpose of a prefetch or a prerender is speculative`(name: String, value: String) throws {
        #expect(try request(name, value).isSpeculative)
    }

    @Test(arguments: [
        ("Sec-Purpose", ""), ("Sec-Purpose", "navigate"), ("Sec-Purpose", "x;prefetch"), ("Purpose", "prefetcher"),
        ("X-Other", "prefetch"), ("Sec-Fetch-Mode", "navigate"),
    ])
    func `a request with another purpose is not speculative`(name: String, value: String) throws {
        #expect(try !request(name, value).isSpeculative)
    }

    @Test func `a page that can be opened only once is not preloaded, and its handler is not called`() async throws {
        let login = try await LoginFixture().service()
        let calls = Mutex(0)
        for isRefused in [true, false] {
            let route = login.pageRoute(
                "/page",
                [
                    (
                        .get,
                        { _, _ in
                            calls.withLock { $0 += 1 }
                            return ServerResponse(status: .ok)
                        }
                    )
                ],
                refusesOtherMethods: true,
                refusesSpeculation: isRefused
            )
            let response = try await route.respond(to: try request("Sec-Purpose", "prefetch"))
            #expect(response.status == (isRefused ? .serviceUnavailable : .ok))
            guard isRefused else { continue }
            #expect(response.headers[.cacheControl] == "no-store" && response.headers[.xRequestID] != nil)
            #expect(String(decoding: response.body.bytes, as: UTF8.self).contains("speculative-request"))
            recordCode(ProblemCode.speculative.rawValue, of: "ProblemCode")
            #expect(try await route.respond(to: try request("Sec-Purpose", "x")).status == .ok)
        }
        #expect(calls.withLock { $0 } == 2)
    }
}
#endif
