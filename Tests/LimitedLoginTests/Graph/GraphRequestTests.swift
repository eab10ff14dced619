// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LimitedLogin
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// Calls of the application to any path of the Graph API.
@Suite(.rule("F6.19")) struct GraphRequestTests {
    /// The HMAC-SHA-256 of the bench's token with its secret, computed by another implementation.
    private static let proof = "720e76bbcaaae8cd99bb7fc3aa8e3914dfe2331a4570ac254565f8bca245c7e2"
    private static let base = "https://graph.facebook.com/v27.0/"

    let bench: GraphBench

    init() throws {
        bench = try GraphBench()
    }

    /// Returns a page of a feed with one post.
    private func page(_ id: String, after: String? = nil) -> StubTransport.Answer {
        var json: TestJSON = ["data": [["id": .string(id)]]]
        if let after {
            json["paging"] = ["cursors": ["after": .string(after)], "next": "https://evil.example/?after=other"]
        }
        return .json(json)
    }

    @Test func `a read returns the response, and its parameters are in the query by name`() async throws {
        bench.answer("me/feed", page("1"))
        let parameters = ["limit": "5", "fields": "id,message"]
        let json = try await bench.graph.get(["me", "feed"], parameters: parameters, token: bench.token())
        #expect(json["data"]?.elements?.first?["id"]?.string == "1")
        let request = try #require(bench.transport.requests.first)
        let query = "fields=id%2Cmessage&limit=5&appsecret_proof=\(Self.proof)"
        #expect(request.url.description == "\(Self.base)me/feed?\(query)")
        #expect(request.headers.contains { $0 == ("Authorization", "Bearer \(GraphBench.tokenString)") })
    }

    @Test func `a read without a token has no appsecret_proof`() async throws {
        bench.answer("1234567890", .json(["id": "1234567890"]))
        _ = try await bench.graph.get(["1234567890"], token: nil)
        let request = try #require(bench.transport.requests.first)
        #expect(request.url.description == "\(Self.base)1234567890")
        #expect(!request.headers.contains { $0.name == "Authorization" })
    }

    @Test func `a post has its parameters in the body and is sent once`() async throws {
        bench.answer("me/feed", .json(["id": "42_1"]), method: .post)
        let message = ["message": "a&b=c é"]
        let json = try await bench.graph.post(["me", "feed"], parameters: message, token: bench.token())
        #expect(json["id"]?.string == "42_1")
        let request = try #require(bench.transport.requests.first)
        #expect(request.method == .post && request.url.description == "\(Self.base)me/feed")
        let body = "message=a%26b%3Dc%20%C3%A9&appsecret_proof=\(Self.proof)"
        #expect(String(decoding: request.body, as: UTF8.self) == body)

        bench.answer("me/feed", GraphBench.error(2, status: 500), method: .post)
        let error = try await bench.failure {
            _ = try await bench.graph.post(["me", "feed"], parameters: message, token: bench.token())
        }
        #expect(error.category == .transient && bench.transport.requests.count == 2)
    }

    @Test func `a post without the permission is an error of the category permission`() async throws {
        bench.answer("me/feed", GraphBench.error(200) { $0["type"] = "OAuthException" }, method: .post)
        let error = try await bench.failure {
            _ = try await bench.graph.post(["me", "feed"], parameters: ["message": "Hello"], token: bench.token())
        }
        #expect(error.category == .permission && error.code == 200)
    }

    @Test func `a deletion names its object in the path`() async throws {
        bench.answer("42_1", .json(GraphBench.success), method: .delete)
        let json = try await bench.graph.delete(["42_1"], token: bench.token())
        #expect(json["success"]?.boolean == true)
        let request = try #require(bench.transport.requests.first)
        #expect(request.method == .delete)
        #expect(request.url.description == "\(Self.base)42_1?appsecret_proof=\(Self.proof)")
    }

    @Test(
        arguments: [
            ("a b", "a%20b"), ("?x=1", "%3Fx%3D1"), ("#", "%23"), ("%2e%2e", "%252e%252e"), ("...", "..."),
            ("@evil.example", "%40evil.example"), ("\\", "%5C"), ("é", "%C3%A9"), ("\r\n", "%0D%0A"),
        ]
    )
    func `each path segment is percent-encoded`(segment: String, encoded: String) async throws {
        _ = try await bench.failure { _ = try await bench.graph.get(["me", segment], token: nil) }
        #expect(bench.transport.requests.map(\.url.description) == ["\(Self.base)me/\(encoded)"])
    }

    @Test(
        arguments: [
            [], [""], ["me", ""], ["."], [".."], ["me", "..", "4"], ["me/feed"], ["/"], ["https://a.example"],
        ] as [[String]]
    )
    func `a path with empty or dot segments is refused without a request`(path: [String]) async throws {
        let token = bench.token()
        for call: () async throws -> Void in [
            { _ = try await bench.graph.get(path, token: token) }, { _ = try await bench.graph.list(path, token: nil) },
            { _ = try await bench.graph.post(path, parameters: [:], token: token) },
            { _ = try await bench.graph.delete(path, token: token) },
        ] {
            #expect(try await bench.failure(call).category == .caller)
        }
        #expect(bench.transport.requests.isEmpty)
    }

    @Test(arguments: ["access_token", "appsecret_proof", "method"])
    func `a parameter that the client sets itself is refused`(name: String) async throws {
        let error = try await bench.failure {
            _ = try await bench.graph.get(["me"], parameters: [name: "x"], token: nil)
        }
        #expect(error.category == .caller && bench.transport.requests.isEmpty)
    }

    @Test func `an access token of another app is not sent by any request`() async throws {
        let token = bench.token(appID: "1234567891")
        for call: () async throws -> Void in [
            { _ = try await bench.graph.get(["me"], token: token) },
            { _ = try await bench.graph.list(["me", "feed"], token: token) },
            { _ = try await bench.graph.post(["me", "feed"], parameters: [:], token: token) },
            { _ = try await bench.graph.delete(["1"], token: token) },
        ] {
            #expect(try await bench.failure(call).category == .foreignToken)
        }
        #expect(bench.transport.requests.isEmpty)
    }

    @Test func `a list has the items of all pages, requested at the configured URL`() async throws {
        bench.transport.answer(.get, "\(Self.base)me/feed", with: page("1", after: "M1"), page("2"))
        let items = try await bench.graph.list(["me", "feed"], parameters: ["after": "M0"], token: nil)
        #expect(items.map { $0["id"]?.string } == ["1", "2"])
        let queries = ["?after=M0", "?after=M1"]
        #expect(bench.transport.requests.map(\.url.description) == queries.map { "\(Self.base)me/feed\($0)" })
    }

    @Test func `no more pages are requested than the number of items needs`() async throws {
        let pages = [page("1", after: "M1"), page("2", after: "M2")]
        bench.transport.answer(.get, "\(Self.base)me/feed", with: pages[0], pages[1])
        #expect(try await bench.graph.list(["me", "feed"], first: 2, token: nil).count == 2)
        #expect(bench.transport.requests.count == 2)
        bench.answer("me/feed", .json(["data": [1, 2, 3]]))
        #expect(try await bench.graph.list(["me", "feed"], first: 1, token: nil).map(\.integer) == [1])
    }

    @Test(arguments: [0, -1, 5001, Int.max]) func `an invalid number of items is refused`(count: Int)
        async throws
    {
        let error = try await bench.failure {
            _ = try await bench.graph.list(["me", "feed"], first: count, token: nil)
        }
        #expect(error.category == .caller && bench.transport.requests.isEmpty)
    }
}
