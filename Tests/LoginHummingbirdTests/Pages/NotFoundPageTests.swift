// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Testing

@testable import LoginHummingbird

/// What is shown where there is nothing.
@Suite struct NotFoundPageTests {
    private func ask(
        _ method: HTTPRequest.Method,
        _ path: String,
        accept: String
    ) async throws -> (status: HTTPResponse.Status, type: String?, body: String) {
        let bench = try await PageBench()
        let router = Router(context: BasicLoginRequestContext.self)
        router.addMiddleware {
            OriginMiddleware()
            ProblemMiddleware()
            NotFoundPageMiddleware(bench.pages)
        }
        return try await Application(router: router).test(.router) { client in
            try await client.execute(uri: path, method: method, headers: [.accept: accept]) {
                ($0.status, $0.headers[.contentType], String(buffer: $0.body))
            }
        }
    }

    @Test func `a person is shown a page, and a program a problem`() async throws {
        let page = try await ask(.get, "/nowhere", accept: "text/html,*/*;q=0.8")
        #expect(page.status == .notFound && page.type?.hasPrefix("text/html") ?? false && !page.body.isEmpty)
        let problem = try await ask(.get, "/nowhere", accept: "*/*")
        #expect(problem.status == .notFound && problem.type == "application/problem+json" && !problem.body.isEmpty)
    }

    @Test(arguments: ["text/html", "*/*"]) func `HEAD is answered without a body`(accept: String) async throws {
        let answer = try await ask(.head, "/nowhere", accept: accept)
        #expect(answer.status == .notFound && answer.body.isEmpty)
        #expect(answer.type == (accept == "*/*" ? "application/problem+json" : "text/html; charset=utf-8"))
    }
}
#endif
