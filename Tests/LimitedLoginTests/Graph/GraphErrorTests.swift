// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LimitedLogin
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// The mapping of Facebook's errors.
@Suite struct GraphErrorTests {
    let bench: GraphBench

    init() throws {
        bench = try GraphBench()
    }

    @Test(
        .rule("F6.3t", "F6.10", "F6.15", "F6.16"),
        arguments: [
            (1, "transient"), (2, "transient"), (3, "app-configuration"), (4, "throttle"), (9, "transient"),
            (10, "permission"), (17, "throttle"), (32, "throttle"), (100, "caller"), (101, "app-configuration"),
            (102, "relogin"), (104, "app-configuration"), (190, "relogin"), (199, "other"), (200, "permission"),
            (250, "permission"), (299, "permission"), (300, "other"), (341, "throttle"), (368, "blocked"),
            (412, "relogin"), (506, "caller"), (613, "throttle"), (79_999, "other"), (80_000, "throttle"),
            (80_014, "throttle"), (80_015, "other"), (1_609_005, "caller"), (0, "other"), (-1, "other"),
        ]
    )
    func `each code has its category`(code: Int, category: String) async throws {
        let error = try await bench.failure(GraphBench.error(.number("\(code)")))
        #expect(error.category.rawValue == category)
        #expect(error.code == code && error.subcode == nil && error.status == 400)
        #expect(error.description.hasPrefix("\(category): "))
        #expect(error.description.hasSuffix(error.remedy))
    }

    @Test(
        .rule("F6.3t", "F6.10", "F6.12", "F6.16"),
        arguments: [
            (456, "relogin"), (457, "relogin"), (458, "relogin"), (459, "user-must-act"), (460, "relogin"),
            (461, "relogin"), (462, "relogin"), (463, "relogin"), (464, "user-must-act"), (465, "relogin"),
            (466, "relogin"), (467, "relogin"), (468, "relogin"), (490, "user-must-act"), (492, "relogin"),
            (493, "relogin"), (1, "relogin"),
        ],
        [102, 190]
    )
    func `a subcode gives the reason for an invalid token`(row: (subcode: Int, category: String), code: Int)
        async throws
    {
        let error = try await bench.failure(GraphBench.error(.number("\(code)"), .number("\(row.subcode)")))
        #expect(error.category.rawValue == row.category)
        #expect(error.code == code && error.subcode == row.subcode)
        #expect(error.description.contains("code \(code)/\(row.subcode)"))
        let plain = try await bench.failure(GraphBench.error(.number("\(code)")))
        #expect((error.detail == plain.detail) == (row.subcode == 1), "each known subcode has words of its own")
    }

    @Test(
        .rule("F6.3t"),
        arguments: [
            (33, "caller"), (36_007, "relogin"), (36_008, "app-configuration"), (36_009, "relogin"), (459, "caller"),
        ]
    )
    func `a subcode applies only with its code`(subcode: Int, category: String) async throws {
        #expect(try await bench.failure(GraphBench.error(100, .number("\(subcode)"))).category.rawValue == category)
        let elsewhere = try await bench.failure(GraphBench.error(10, .number("\(subcode)")))
        #expect(elsewhere.category == .permission)
    }

    @Test(.rule("F6.3t"), arguments: [nil, 77, "190", 190.5, .null] as [TestJSON?])
    func `the type decides if the code is unknown`(code: TestJSON?) async throws {
        let login = try await bench.failure(GraphBench.error(code) { $0["type"] = "OAuthException" })
        #expect(login.category == .relogin)
        let other = try await bench.failure(GraphBench.error(code) { $0["type"] = "oauthexception" })
        #expect(other.category == .other)
    }

    @Test(.rule("F6.3t")) func `a known code takes precedence over the type`() async throws {
        let error = try await bench.failure(GraphBench.error(10) { $0["type"] = "OAuthException" })
        #expect(error.category == .permission)
    }

    @Test(
        .rule("F6.11"),
        arguments: [
            (190, .relogin), (10, .permission), (100, .caller), (3, .appConfiguration), (77, .other), (1, .transient),
        ] as [(Int, GraphError.Category)]
    )
    func `errors that Facebook marks as transient are transient`(code: Int, otherwise: GraphError.Category) async throws
    {
        let error = try await bench.failure(GraphBench.error(.number("\(code)")) { $0["is_transient"] = true })
        #expect(error.category == .transient && error.isTransient)
        // A status alone does not set `isTransient`, which only Facebook's own member does.
        let failed = try await bench.failure(.json([:], status: 500))
        #expect(failed.category == .transient && !failed.isTransient)
        for said in [false, "true", 1] as [TestJSON] {
            let error = try await bench.failure(GraphBench.error(.number("\(code)")) { $0["is_transient"] = said })
            #expect(error.category == otherwise && !error.isTransient)
        }
    }

    @Test(.rule("F6.11"), arguments: [4, 17, 341, 368])
    func `throttling is never transient, whatever Facebook states`(code: Int) async throws {
        let error = try await bench.failure(GraphBench.error(.number("\(code)")) { $0["is_transient"] = true })
        #expect(error.category == (code == 368 ? .blocked : .throttle))
        #expect(bench.transport.requests.count == 1)
    }

    @Test(.rule("F6.14")) func `the first of three texts is used as the message`() async throws {
        let all: [(String, TestJSON)] = [("message", "a"), ("error_reason", "b"), ("error_msg", "c")]
        for first in all.indices {
            let error = try await bench.failure(
                GraphBench.error(1) { json in
                    json["message"] = nil
                    for (name, text) in all[first...].reversed() { json[name] = text }
                }
            )
            #expect(error.message == ["a", "b", "c"][first])
        }
        #expect(try await bench.failure(GraphBench.error(1) { $0["message"] = 5 }).message == nil)
    }

    @Test(.rule("F6.14", "F6.17")) func `each member of an error is read`() async throws {
        let error = try await bench.failure(
            GraphBench.error(190, 463) { json in
                json["type"] = "OAuthException"
                json["error_user_title"] = "Bitte neu anmelden"
                json["error_user_msg"] = "Ihre Sitzung ist zu Ende — 終了"
            }
        )
        #expect(error.category == .relogin && error.code == 190 && error.subcode == 463)
        #expect(error.type == "OAuthException" && error.traceID == "AbCdEf" && error.status == 400)
        #expect(error.message == "(#1) what went wrong" && !error.isTransient && error.retryAfter == nil)
        #expect(error.userTitle == "Bitte neu anmelden")
        #expect(error.userMessage == "Ihre Sitzung ist zu Ende — 終了")
        #expect(error.description.contains("trace \"AbCdEf\"") && error.description.contains("status 400"))
    }

    @Test(.rule("F6.17"), arguments: [.null, [1], ["a": 1], 5, true] as [TestJSON])
    func `members of another type count as absent`(value: TestJSON) async throws {
        let error = try await bench.failure(
            GraphBench.error(nil) { json in
                for name in ["type", "error_subcode", "fbtrace_id", "error_user_title", "error_user_msg", "message"] {
                    json[name] = value
                }
            }
        )
        #expect(error.category == .other && error.code == nil && error.type == nil && error.traceID == nil)
        #expect(error.userTitle == nil && error.userMessage == nil && error.message == nil)
    }

    @Test(.rule("F6.18")) func `the token of a login without tracking requires a new login`() async throws {
        let answer = GraphBench.error(190) { $0["message"] = "Invalid OAuth access token - Cannot parse access token" }
        #expect(try await bench.failure(answer).category == .relogin)
    }

    @Test func `no text shows Facebook's message, which can quote the token`() async throws {
        let answer = GraphBench.error(190) { json in
            json["message"] = .string("Malformed access token \(GraphBench.tokenString) of 1000000000000042")
            json["error_user_msg"] = "Ada, log in again"
        }
        let error = try await bench.failure(answer)
        #expect(error.message?.contains(GraphBench.tokenString) == true)
        var dumped = ""
        dump(error, to: &dumped)
        for text in ["\(error)", String(reflecting: error), dumped] {
            #expect(text.hasPrefix("relogin") || text.contains("relogin: "))
            for secret in [GraphBench.tokenString, "1000000000000042", "Ada", GraphBench.secret] {
                #expect(!text.contains(secret))
            }
        }
    }

    @Test func `texts of Facebook are truncated and on one line`() async throws {
        let long = TestJSON.string(String(repeating: "é\n\u{202E}", count: 1000))
        let error = try await bench.failure(
            GraphBench.error(1) { json in
                for name in ["type", "fbtrace_id", "error_user_title", "error_user_msg", "message"] {
                    json[name] = long
                }
            }
        )
        #expect(error.description.utf8.allSatisfy { (0x20..<0x7F).contains($0) })
        #expect(error.description.utf8.count < 2000)
        #expect(error.message?.utf8.allSatisfy { (0x20..<0x7F).contains($0) } == true)
        for text in [error.userTitle, error.userMessage] {
            #expect(text?.unicodeScalars.count == 400)
            #expect(text?.unicodeScalars.contains { $0 == "\n" || $0 == "\u{202E}" } == false)
        }
    }

    @Test func `each category has its own name and advice`() {
        #expect(Set(GraphError.Category.all.map(\.rawValue)).count == 11)
        #expect(Set(GraphError.Category.all.map(\.remedy)).count == 11)
        for category in GraphError.Category.all { #expect("\(category)" == category.rawValue) }
    }

    @Test(
        .rule("F6.3t"),
        arguments: [
            (["Retry-After": "120"], 120), (["Retry-After": "999999999"], 86_400), (["Retry-After": "0"], nil),
            (["Retry-After": "-5"], nil), (["Retry-After": "9999999999999"], nil), (["Retry-After": "1.5"], nil),
            (["Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT"], nil), ([:], nil),
            (["X-Business-Use-Case-Usage": #"{"1":[{"estimated_time_to_regain_access":19}]}"#], 1140),
            (["x-business-use-case-usage": #"{"1":[{"a":1},{"estimated_time_to_regain_access":2}],"2":[]}"#], 120),
            (
                ["X-Business-Use-Case-Usage": #"{"1":[{"estimated_time_to_regain_access":9000000000000000000}]}"#],
                86_400
            ),
            (["X-Business-Use-Case-Usage": #"{"1":[{"estimated_time_to_regain_access":0}]}"#], nil),
            (["X-Business-Use-Case-Usage": #"{"1":{"estimated_time_to_regain_access":19}}"#], nil),
            (["X-Business-Use-Case-Usage": "[[["], nil),
            (
                [
                    "Retry-After": "60",
                    "X-Business-Use-Case-Usage": #"{"1":[{"estimated_time_to_regain_access":2}]}"#,
                ], 120
            ),
        ] as [([String: String], Int?)]
    )
    func `the response header states the time to wait`(headers: [String: String], seconds: Int?) async throws {
        let head = headers.map { (name: $0.key, value: $0.value) }
        let error = try await bench.failure(GraphBench.error(4, headers: head))
        #expect(error.category == .throttle && error.retryAfter == seconds.map { .seconds($0) })
        let lasting = try await bench.failure(GraphBench.error(190, headers: head))
        #expect(lasting.retryAfter == nil, "waiting does not help there")
    }

    // MARK: Responses that the application received itself

    private static func body(_ json: TestJSON) -> [UInt8] { Array(json.text.utf8) }

    @Test(.rule("F6.21")) func `an error that the application received itself is classified alike`() async throws {
        let json: TestJSON = [
            "error": [
                "message": .string("of \(GraphBench.tokenString)"), "type": "OAuthException", "code": 4,
                "fbtrace_id": "AbCdEf",
            ]
        ]
        let headers = [(name: "retry-after", value: "60")]
        let error = try #require(GraphError(status: 400, headers: headers, body: Self.body(json)))
        let thrown = try await bench.failure(.json(json, status: 400, headers: headers))
        #expect(error == thrown)
        #expect(error.category == .throttle && error.retryAfter == .seconds(60))
        #expect(!"\(error)".contains(GraphBench.tokenString))
    }

    @Test(
        .rule("F6.21"),
        arguments: [
            (200, "{}", nil), (204, "", nil), (200, "<html>", nil), (200, #"{"error":"none"}"#, nil),
            (200, #"{"error":{"code":190}}"#, "relogin"), (302, "{}", "unavailable"), (404, "{}", "unavailable"),
            (429, "", "throttle"), (503, "<html>", "transient"),
        ] as [(Int, String, String?)]
    )
    func `a response is an error by its body, or else by its status`(
        status: Int,
        body: String,
        category: String?
    ) {
        #expect(GraphError(status: status, headers: [], body: Array(body.utf8))?.category.rawValue == category)
    }

    @Test(.rule("F6.21")) func `a decompressed body is read, and one beyond the limit is not`() {
        let headers = [(name: "Content-Encoding", value: "gzip")]
        let body = Self.body(["error": ["code": 190]])
        #expect(GraphError(status: 400, headers: headers, body: body)?.category == .relogin)
        let long = body + Array(repeating: UInt8(ascii: " "), count: 256 * 1024)
        #expect(GraphError(status: 400, headers: [], body: long)?.category == .unavailable)
    }
}
