// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LimitedLogin
import LoginProviders
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// Lists in several pages.
@Suite struct GraphPagingTests {
    private static let address = "https://graph.facebook.com/v27.0/me/permissions"

    let bench: GraphBench

    init() throws {
        bench = try GraphBench(secret: nil)
    }

    /// Returns a page that refers to another one.
    private func page(_ names: [String], after: TestJSON? = nil, next: TestJSON? = nil) -> StubTransport.Answer {
        let items = names.map { name -> TestJSON in ["permission": .string(name), "status": "granted"] }
        var paging: TestJSON = ["cursors": [:]]
        if let after { paging["cursors"] = ["before": "x", "after": after] }
        paging["next"] = next ?? (after == nil ? nil : "https://evil.example/?access_token=x&after=other")
        return .json(["data": .array(items), "paging": paging])
    }

    @Test func `the next page is requested at the configured URL, with the cursor only`() async throws {
        bench.transport.answer(
            .get,
            Self.address,
            with: page(["a"], after: "M&1"),
            page(["b"], after: "M2"),
            page(["c"])
        )
        #expect(try await bench.graph.permissions(of: bench.token()).granted == ["a", "b", "c"])
        let queries = ["", "?after=M%261", "?after=M2"]
        #expect(bench.transport.requests.map(\.url.description) == queries.map { Self.address + $0 })
        #expect(bench.transport.requests.allSatisfy { $0.headers.contains { $0.name == "Authorization" } })
    }

    @Test func `the cursor of the last page is not used`() async throws {
        bench.transport.answer(.get, Self.address, with: page(["a"], after: "M1", next: .null))
        #expect(try await bench.graph.permissions(of: bench.token()).granted == ["a"])
        #expect(bench.transport.requests.count == 1)
    }

    @Test(arguments: [nil, .null, 5, "", .string(String(repeating: "a", count: 513))] as [TestJSON?])
    func `a page with an invalid cursor is an error`(after: TestJSON?) async throws {
        bench.transport.answer(
            .get,
            Self.address,
            with: page(["a"], after: after, next: "https://graph.facebook.com/x")
        )
        let error = try await bench.failure { _ = try await bench.graph.permissions(of: bench.token()) }
        #expect(error.category == .unavailable && bench.transport.requests.count == 1)
    }

    @Test func `a cyclic list ends in an error`() async throws {
        bench.transport.answer(.get, Self.address, with: page(["a"], after: "M1"))
        let error = try await bench.failure { _ = try await bench.graph.permissions(of: bench.token()) }
        #expect(error.category == .unavailable && bench.transport.requests.count == 2)
    }

    @Test(arguments: [(20, true), (21, false)]) func `a list has at most twenty pages`(count: Int, isGood: Bool)
        async throws
    {
        let pages = (1..<count).map { page(["p\($0)"], after: .string("M\($0)")) } + [page(["last"])]
        answerInTurn(pages)
        if isGood {
            #expect(try await bench.graph.permissions(of: bench.token()).granted.count == 20)
        } else {
            let error = try await bench.failure { _ = try await bench.graph.permissions(of: bench.token()) }
            #expect(error.category == .unavailable)
        }
        #expect(bench.transport.requests.count == 20)
    }

    @Test(arguments: [(1666, true), (1667, false)])
    func `a list has at most five thousand items`(count: Int, isGood: Bool) async throws {
        let names = { (page: Int) in (0..<count).map { "p\(page)-\($0)" } }
        answerInTurn([page(names(1), after: "M1"), page(names(2), after: "M2"), page(names(3))])
        if isGood {
            #expect(try await bench.graph.permissions(of: bench.token()).granted.count == 3 * count)
        } else {
            let error = try await bench.failure { _ = try await bench.graph.permissions(of: bench.token()) }
            #expect(error.category == .unavailable)
        }
    }

    @Test func `the limit of items also applies to a single page, and not to items beyond the requested number`()
        async throws
    {
        bench.answer("me/permissions", .json(["data": .array(Array(repeating: 1, count: 5001))]))
        let path = ["me", "permissions"]
        let error = try await bench.failure { _ = try await bench.graph.list(path, token: nil) }
        #expect(error.category == .unavailable)
        #expect(try await bench.graph.list(path, first: 5000, token: nil).count == 5000)
    }

    @Test func `an error on a later page fails the call, and all pages share one deadline`() async throws {
        bench.transport.answer(
            .get,
            Self.address,
            with: page(["a"], after: "M1"),
            GraphBench.error(2),
            page(["b"], after: "M2"),
            GraphBench.error(4)
        )
        let error = try await bench.failure { _ = try await bench.graph.permissions(of: bench.token()) }
        #expect(error.category == .throttle)
        #expect(
            bench.transport.requests.map(\.deadline) == [.seconds(10), .seconds(10)] + [.seconds(9.5), .seconds(9.5)]
        )
    }

    private func answerInTurn(_ answers: [StubTransport.Answer]) {
        for (index, answer) in answers.enumerated() {
            let url = index == 0 ? Self.address : "\(Self.address)?after=M\(index)"
            bench.transport.answer(url, with: answer)
        }
    }
}
