// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Tracing
import HTTPTypes
import Hummingbird
import InMemoryTracing
import LoginAccounts
import LoginTesting
import Testing
import Tracing

@testable import LoginHummingbird

@Suite struct LoginTracingMiddlewareTests {
    private let tracer = InMemoryTracer()

    /// Returns all texts of a span.
    private func told(_ span: FinishedInMemorySpan) -> String {
        var told = [span.operationName]
        span.attributes.forEach { told.append("\($0)=\($1)") }
        return (told + span.events.map(\.name) + span.errors.map { "\($0.error)" }).joined(separator: " ")
    }

    private func router(_ fixture: LoginFixture) -> Router<BasicLoginRequestContext> {
        let router = Router(context: BasicLoginRequestContext.self)
        router.add(middleware: OriginMiddleware())
        router.add(middleware: ProblemMiddleware(publicURL: "https://login.example.com"))
        router.add(middleware: LoginTracingMiddleware(tracer: tracer))
        LoginAPI(auth: fixture.auth, options: fixture.options).addRoutes(to: router)
        router.get("broken/:name") { _, _ -> String in throw Unknown(name: "ada@example.com") }
        return router
    }

    private struct Unknown: Error {
        let name: String
    }

    @Test func `a span names the route and the status, and contains no user data or secrets`() async throws {
        let fixture = try await LoginFixture()
        try await fixture.run(router(fixture)) { client in
            let answer = try await client.ask(.post, "/v1/attempts", #"{"provider":"google"}"#)
            #expect(answer.status == .created)
            try await client.refused(.invalidUserToken, .delete, "/v1/sessions/ada?code=4-secret", bearer: "5-secret")
        }
        let spans = tracer.finishedSpans
        try #require(spans.map(\.operationName) == ["POST /v1/attempts", "DELETE /v1/sessions/{id}"])
        #expect(told(spans[0]).contains("201") && !told(spans[0]).contains("error.type"))
        #expect(told(spans[1]).contains("401") && told(spans[1]).contains("invalid-user-token"))
        #expect(spans.allSatisfy { $0.status == nil && $0.kind == .server })
        for span in spans { #expect(!told(span).contains("secret") && !told(span).contains("ada")) }
    }

    @Test func `an unexpected error marks the span as failed, without details of the error`() async throws {
        let fixture = try await LoginFixture()
        try await fixture.run(router(fixture)) { client in
            try await client.refused(ProblemCode(.internalError), .get, "/broken/ada@example.com")
        }
        let span = try #require(tracer.finishedSpans.first)
        #expect(span.status?.code == .error && span.errors.isEmpty && !told(span).contains("ada"))
    }

    @Test func `the span of an unknown method is named _OTHER`() async throws {
        let fixture = try await LoginFixture()
        try await fixture.run(router(fixture)) { client in
            let method = try #require(HTTPRequest.Method("MADEUP"))
            try await client.refused(.notFound, method, "/v1/attempts")
        }
        #expect(tracer.finishedSpans.map(\.operationName) == ["_OTHER"])
    }

    @Test func `inner spans are children of the request's span, which continues the client's trace`() async throws {
        let fixture = try await LoginFixture()
        let router = router(fixture)
        router.get("within") { [tracer] _, _ in
            tracer.withAnySpan("inner", context: .current ?? .topLevel, ofKind: .internal) { _ in "done" }
        }
        try await fixture.run(router) { client in
            let name = try #require(HTTPField.Name(InMemoryTracer.traceIDKey))
            let span = try #require(HTTPField.Name(InMemoryTracer.spanIDKey))
            let answer = try await client.ask(.get, "/within", headers: [name: "trace-1", span: "span-1"])
            #expect(answer.status == .ok)
        }
        let spans = tracer.finishedSpans
        let inner = try #require(spans.first { $0.operationName == "inner" })
        let outer = try #require(spans.first { $0.operationName == "GET /within" })
        #expect(inner.parentSpanID == outer.spanID)
        #expect(outer.traceID == "trace-1" && inner.traceID == "trace-1" && outer.parentSpanID == "span-1")
    }
}
#endif
