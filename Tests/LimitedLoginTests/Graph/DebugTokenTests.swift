// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import LimitedLogin
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// Facebook's response about an access token, and the checks of it.
@Suite struct DebugTokenTests {
    let bench: GraphBench

    init() throws {
        bench = try GraphBench()
    }

    /// Returns the response about a valid token, from which the others differ.
    private func data(_ change: (inout TestJSON) -> Void = { _ in }) -> TestJSON {
        var data: TestJSON = [
            "app_id": .string(GraphBench.appID), "type": "USER", "application": "An app", "is_valid": true,
            "expires_at": 1_760_003_600, "data_access_expires_at": 1_767_776_000, "issued_at": 1_759_990_000,
            "scopes": ["public_profile", "email"], "user_id": .string(GraphBench.userID),
        ]
        change(&data)
        return ["data": data]
    }

    private func debug(_ json: TestJSON) async throws -> AccessToken {
        bench.answer("debug_token", .json(json))
        return try await bench.graph.debug(GraphBench.tokenString)
    }

    private func failure(_ json: TestJSON) async throws -> GraphError {
        try await bench.failure { _ = try await debug(json) }
    }

    @Test func `a good token becomes what Facebook says about it`() async throws {
        let token = try await debug(data())
        #expect(token.tokenString == GraphBench.tokenString)
        #expect(token.appID == GraphBench.appID && token.userID == GraphBench.userID)
        #expect(token.permissions == [.publicProfile, .email])
        #expect(token.declinedPermissions.isEmpty && token.expiredPermissions.isEmpty)
        #expect(token.expirationDate == Date(timeIntervalSince1970: 1_760_003_600))
        #expect(token.dataAccessExpirationDate == Date(timeIntervalSince1970: 1_767_776_000))
        #expect(token.refreshDate == bench.wallClock.now)
    }

    @Test func `the app asks in its own name, and the secret stands in no address`() async throws {
        _ = try await debug(data())
        let request = try #require(bench.transport.requests.first)
        let proof = "4d773fe3e7dd6e755933722e45c08b1bd06b5804a85505562099fa1e90991a1b"
        #expect(request.url.target == "/v21.0/debug_token?input_token=EAAmade-up-token&appsecret_proof=\(proof)")
        #expect(request.headers.contains { $0 == ("Authorization", "Bearer 1234567890|made-up-secret") })
    }

    @Test func `without the secret it cannot be asked`() async throws {
        let bench = try GraphBench(secret: nil)
        let error = try await bench.failure { _ = try await bench.graph.debug(GraphBench.tokenString) }
        #expect(error.category == .appConfiguration && bench.transport.requests.isEmpty)
    }

    @Test(arguments: [
        "", " EAA", "EAA\n", "é", String(repeating: "|", count: 501), String(repeating: "a", count: 1501),
    ])
    func `a text that can be no token is not asked about`(text: String) async throws {
        let error = try await bench.failure { _ = try await bench.graph.debug(text) }
        #expect(error.category == .relogin && bench.transport.requests.isEmpty)
    }

    @Test(arguments: [String(repeating: "|", count: 500), String(repeating: "a", count: 1500)])
    func `the longest that may be one is`(text: String) async throws {
        bench.answer("debug_token", .json(data()))
        #expect(try await bench.graph.debug(text).tokenString == text)
    }

    @Test(arguments: ["1234567891", "", 1_234_567_891, 12] as [TestJSON])
    func `a token of another app is refused, however good it is`(appID: TestJSON) async throws {
        let error = try await failure(data { $0["app_id"] = appID })
        #expect(error.category == (appID.text == "\"\"" ? .unavailable : .foreignToken))
    }

    @Test func `IDs may be written as numbers, as Facebook once did`() async throws {
        let token = try await debug(
            data { json in
                json["app_id"] = 1_234_567_890
                json["user_id"] = 1_000_000_000_000_042
            }
        )
        #expect(token.appID == GraphBench.appID && token.userID == GraphBench.userID)
    }

    @Test(arguments: ["PAGE", "APP", "user", nil, 5] as [TestJSON?])
    func `a token that is not a person's is refused`(type: TestJSON?) async throws {
        #expect(try await failure(data { $0["type"] = type }).category == .foreignToken)
        #expect(try await failure(data { $0["user_id"] = type == nil ? "" : nil }).category == .foreignToken)
    }

    @Test(arguments: [false, "true", 1, nil, .null] as [TestJSON?])
    func `valid is only what Facebook calls so`(isValid: TestJSON?) async throws {
        #expect(try await failure(data { $0["is_valid"] = isValid }).category == .relogin)
    }

    @Test(arguments: [(190, 463, "relogin"), (190, 459, "user-must-act"), (100, nil, "caller")])
    func `what is wrong with a token has its category`(code: Int, subcode: Int?, category: String) async throws {
        var error: TestJSON = ["code": .number("\(code)"), "message": "Invalid OAuth access token."]
        error["subcode"] = subcode.map { .number("\($0)") }
        let inside = try await failure(["data": ["error": error, "is_valid": false, "scopes": []]])
        #expect(inside.category.rawValue == category && inside.code == code && inside.subcode == subcode)
    }

    @Test(
        arguments: [
            (100, "OAuthException", "foreign-token"), (100, "GraphMethodException", "caller"),
            (190, "OAuthException", "app-configuration"), (101, "OAuthException", "app-configuration"),
            (4, "OAuthException", "throttle"),
        ]
    )
    func `an error of the call is not one of the token it asks about`(code: Int, type: String, category: String)
        async throws
    {
        bench.answer("debug_token", GraphBench.error(.number("\(code)")) { $0["type"] = .string(type) })
        let error = try await bench.failure { _ = try await bench.graph.debug(GraphBench.tokenString) }
        #expect(error.category.rawValue == category && error.code == code)
    }

    @Test func `that a token is another app's counts before what is wrong with it`() async throws {
        let error = try await failure(
            data { json in
                json["app_id"] = "5"
                json["error"] = ["code": 190, "message": "expired"]
            }
        )
        #expect(error.category == .foreignToken)
    }

    @Test(.rule("F6.1")) func `zero is never, and nothing else is`() async throws {
        let token = try await debug(
            data { json in
                json["expires_at"] = 0
                json["data_access_expires_at"] = 0
            }
        )
        #expect(token.expirationDate == nil && token.dataAccessExpirationDate == nil)
        #expect(try await debug(data { $0["data_access_expires_at"] = nil }).dataAccessExpirationDate == nil)
        #expect(try await failure(data { $0["expires_at"] = nil }).category == .unavailable)
    }

    @Test(
        .rule("F6.1"),
        arguments: ["1760003600", "never", -1, .null, 253_402_300_800, 64_092_211_200_000, .number("1e300"), true]
            as [TestJSON]
    )
    func `an end that cannot be read is no end that never comes`(end: TestJSON) async throws {
        #expect(try await failure(data { $0["expires_at"] = end }).category == .unavailable)
        #expect(try await failure(data { $0["data_access_expires_at"] = end }).category == .unavailable)
    }

    @Test func `a token that ended is refused, though Facebook calls it valid`() async throws {
        _ = try await debug(data { $0["expires_at"] = 1_760_000_001 })
        #expect(try await failure(data { $0["expires_at"] = 1_760_000_000 }).category == .relogin)
    }

    @Test(arguments: [nil, .null, "email", ["email", 5], ["a": "b"]] as [TestJSON?])
    func `what the token permits must be told`(scopes: TestJSON?) async throws {
        #expect(try await failure(data { $0["scopes"] = scopes }).category == .unavailable)
    }

    @Test(arguments: [[:], ["data": []], ["data": .null], [], "x", 5] as [TestJSON])
    func `an answer of another form is none`(json: TestJSON) async throws {
        #expect(try await failure(json).category == .unavailable)
    }
}
