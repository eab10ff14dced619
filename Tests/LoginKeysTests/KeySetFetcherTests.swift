// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginTesting
import LoginTokens
import TestSupport
import Testing

@testable import LoginKeys

/// The requests for keys, and the responses that are accepted.
@Suite struct KeySetFetcherTests {
    private static let url = "https://issuer.example/keys"
    private static let body = TestIssuer().keySet

    private func fetch(
        _ response: TransportResponse,
        documents change: (inout Provider.Documents) -> Void = { _ in },
        configuration: KeyCacheConfiguration = KeyCacheConfiguration()
    ) async throws(KeyFetchFailure) -> (fetched: FetchedKeySet, request: TransportRequest?) {
        let transport = StubTransport()
        transport.answer(Self.url, with: .response(response))
        var provider = Provider(name: "example", issuers: ["https://issuer.example"], keySetURL: Self.url)
        change(&provider.documents)
        let source: KeySetSource
        do { source = try KeySetSource(provider) } catch { throw KeyFetchFailure(.keySet, of: .keySet, "\(error)") }
        let fetcher = KeySetFetcher(
            source: source,
            configuration: configuration,
            transport: transport,
            timekeeper: Timekeeper(ManualContinuousClock()),
            wallClock: ManualClock()
        )
        return (try await fetcher.fetch(from: nil), transport.requests.first)
    }

    private func response(
        _ headers: [(name: String, value: String)] = [("Content-Type", "application/json")],
        status: Int = 200,
        body: TestJSON = Self.body
    ) -> TransportResponse {
        TransportResponse(status: status, headers: headers, body: Array(body.text.utf8))
    }

    @Test func `a request has the accepted media types, the size limit and the deadline`() async throws {
        let (fetched, request) = try await fetch(response())
        #expect(fetched.keys.keys.count == 1)
        #expect(request?.method == .get)
        #expect(request?.headers.map(\.value) == ["application/json, application/jwk-set+json"])
        #expect(request?.responseLimit == Limits.keySetBytes)
        #expect(request?.deadline == .seconds(5))
    }

    @Test(.rule("T-155", "T-153"), arguments: [201, 203, 204, 206, 400, 401, 403, 404, 410, 429, 500, 502, 503, 599])
    func `only a response with status 200 has keys, whatever its body`(status: Int) async throws {
        let error = await #expect(throws: KeyFetchFailure.self) { try await fetch(response(status: status)) }
        #expect(error?.code == .status)
        #expect(error?.description.contains("\(status)") == true)
        #expect(error?.description.contains("kty") == false)
    }

    @Test(.rule("T-153"), arguments: [300, 301, 302, 303, 304, 307, 308])
    func `a redirect is not followed`(status: Int) async throws {
        let moved = response([("Location", "https://issuer.example/other")], status: status)
        let error = await #expect(throws: KeyFetchFailure.self) { try await fetch(moved) }
        #expect(error?.code == .redirect)
    }

    @Test(
        .rule("T-157"),
        arguments: [
            "application/json", "Application/JSON", "application/json; charset=utf-8", "application/json;charset=UTF-8",
            " application/jwk-set+json ",
        ]
    )
    func `a response declared as JSON is read`(type: String) async throws {
        #expect(try await fetch(response([("content-type", type)])).fetched.keys.keys.count == 1)
    }

    @Test(
        .rule("T-157"),
        arguments: [
            ["text/html"], ["text/html; charset=utf-8"], ["text/plain"], ["application/octet-stream"], [""], [],
            ["application/jsonp"], ["application/json, text/html"], ["application/json", "text/html"],
            ["x-application/json"], ["; application/json"],
        ]
    )
    func `a response with another or no media type is ignored`(types: [String]) async throws {
        let headers = types.map { (name: "Content-Type", value: $0) }
        let error = await #expect(throws: KeyFetchFailure.self) { try await fetch(response(headers)) }
        #expect(error?.code == .contentType)
    }

    @Test(
        .rule("T-157"),
        arguments: [
            ("text/plain", ["text/plain; charset=utf-8"]), ("application/jwk+json", ["Application/JWK+JSON"]),
            ("missing", []),
        ]
    )
    func `another media type, or none, is accepted if it is configured`(type: String, sent: [String]) async throws {
        let plain = response(sent.map { (name: "Content-Type", value: $0) })
        let (fetched, request) = try await fetch(plain, documents: { $0.contentTypes = [type] })
        #expect(fetched.keys.keys.count == 1)
        let accepted = request?.headers.map(\.value).first
        #expect(accepted?.contains("application/json") == true && accepted?.contains("missing") == false)
        for other in [[], ["image/png"]] as [Set<String>] {
            let error = await #expect(throws: KeyFetchFailure.self) {
                try await fetch(plain, documents: { $0.contentTypes = other })
            }
            #expect(error?.code == .contentType)
            #expect(error?.detail.contains("--content-type") == true)
        }
    }

    @Test(.rule("T-157"), arguments: [["text/html"], [""], ["missing"], ["text/plain", "text/plain"]])
    func `a configured media type excuses no other, and no repetition`(sent: [String]) async throws {
        let response = response(sent.map { (name: "Content-Type", value: $0) })
        let error = await #expect(throws: KeyFetchFailure.self) {
            try await fetch(response, documents: { $0.contentTypes = ["text/plain", "missing"] })
        }
        #expect(error?.code == .contentType)
    }

    @Test(arguments: [
        "Text/plain", "text", "text/", "/plain", "a/b/c", "text/plain; charset=utf-8", "text/plain,a/b", "", "*",
    ])
    func `an impossible media type creates no cache`(type: String) {
        var provider = Provider.openID(issuers: ["https://issuer.example"])
        provider.documents.contentTypes = [type]
        let error = #expect(throws: KeyCacheError.self) { try KeySetSource(provider) }
        #expect(error?.description.contains("contentTypes: ") == true)
    }

    @Test(.rule("T-154"), arguments: ["gzip", "GZIP", "deflate", "br", "zstd", "identity, gzip", "gzip, identity"])
    func `a compressed response is not decompressed`(encoding: String) async throws {
        let packed = response([("Content-Type", "application/json"), ("Content-Encoding", encoding)])
        let error = await #expect(throws: KeyFetchFailure.self) { try await fetch(packed) }
        #expect(error?.code == .contentEncoding)
    }

    @Test func `a response with the encoding identity is read`() async throws {
        let plain = response([("Content-Type", "application/json"), ("Content-Encoding", "identity")])
        #expect(try await fetch(plain).fetched.keys.keys.count == 1)
    }

    @Test(
        .rule("T-167", "T-170", "T-169"),
        arguments: [
            "[]", "{}", #"{"keys":[]}"#, #"{"keys":{}}"#, #"{"keys":null}"#, #"{"keys":[{"kty":"oct","k":"AAAA"}]}"#,
            #"{"keys":["# + Array(repeating: #"{"kty":"RSA"}"#, count: 101).joined(separator: ",") + "]}",
        ]
    )
    func `a key set without a usable key is an error`(body: String) async throws {
        let headers = [(name: "Content-Type", value: "application/json")]
        let empty = TransportResponse(status: 200, headers: headers, body: Array(body.utf8))
        let error = await #expect(throws: KeyFetchFailure.self) { try await fetch(empty) }
        #expect(error?.code == .keySet)
    }

    @Test(.rule("T-154"))
    func `a response beyond the requested size limit is refused, although the transport returned it`() async throws {
        var long = response()
        long.body += Array(repeating: 0x20, count: Limits.keySetBytes - long.body.count)
        #expect(try await fetch(long).fetched.keys.keys.count == 1)
        let tooLong = TransportResponse(status: 200, headers: long.headers, body: long.body + [0x20])
        let error = await #expect(throws: KeyFetchFailure.self) { try await fetch(tooLong) }
        #expect(error?.code == .transport(.tooLarge))
        #expect(error?.detail.contains("more than 262144 bytes; KeySetLimits.keys can be up to 1000; ") == true)
    }

    @Test(.rule("T-154", "T-170"))
    func `with a larger limit, more than 100 keys in up to 1 MiB are fetched`() async throws {
        let key = TestKey.shared.json
        let keys = (0..<101).map { number in
            var named = key
            named["kid"] = .string("\(number)")
            return named
        }
        let many = response(body: ["keys": .array(keys), "fill": .string(String(repeating: "x", count: 300_000))])
        var configuration = KeyCacheConfiguration()
        configuration.keySetLimits = try KeySetLimits(keys: 101)
        let (fetched, request) = try await fetch(many, configuration: configuration)
        #expect(fetched.keys.keys.contains { $0.keyID == "100" } && request?.responseLimit == 1_048_576)
    }
}
