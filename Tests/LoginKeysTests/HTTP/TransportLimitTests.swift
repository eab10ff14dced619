// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTPClient
internal import LoginKeys
import LoginTestServers
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// The response of a faulty or malicious server.
struct BadAnswer: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let script: ServerScript

    init(_ name: String, _ script: ServerScript) {
        testDescription = name
        self.script = script
    }

    static func whole(_ head: String, _ body: String = "") -> ServerScript { .send(head + "\r\n\r\n" + body) }
}

struct TransportLimitTests {
    private static let limit = 1000
    private static let ok = "HTTP/1.1 200 OK"

    private static func chunks(_ size: Int, each: Int) -> String {
        let whole = String(
            repeating: "\(String(each, radix: 16))\r\n\(String(repeating: "x", count: each))\r\n",
            count: size / each
        )
        let rest = size % each
        return whole + (rest > 0 ? "\(String(rest, radix: 16))\r\n\(String(repeating: "x", count: rest))\r\n" : "")
            + "0\r\n\r\n"
    }

    private static func answers(_ size: Int) -> [BadAnswer] {
        let body = String(repeating: "x", count: size)
        return [
            BadAnswer("announced", BadAnswer.whole("\(ok)\r\nContent-Length: \(size)", body)),
            BadAnswer("up to the end", .head() + .send(body)),
            BadAnswer("one chunk", BadAnswer.whole("\(ok)\r\nTransfer-Encoding: chunked", chunks(size, each: size))),
            BadAnswer("small chunks", BadAnswer.whole("\(ok)\r\nTransfer-Encoding: chunked", chunks(size, each: 1))),
        ]
    }

    @Test(.rule("T-154"), arguments: answers(limit))
    func `a body of exactly the limit is accepted`(answer: BadAnswer) async throws {
        try await ScriptedServer.run { server in
            server.answer(with: answer.script)
            let request = try TransportRequest(server.url(), limit: Self.limit)
            let response = try await AsyncHTTPClientTransport().send(request)
            #expect(response.body == Array(repeating: UInt8(ascii: "x"), count: Self.limit))
        }
    }

    @Test(
        .rule("T-154"),
        arguments: answers(limit + 1) + [
            BadAnswer("10 GB announced, none sent", BadAnswer.whole("\(ok)\r\nContent-Length: 10000000000") + .stall),
            BadAnswer(
                "one byte too many announced, none sent",
                BadAnswer.whole("\(ok)\r\nContent-Length: 1001") + .stall
            ),
            BadAnswer("endless body", .head() + .flood("xxxxxxxxxxxxxxxx")),
            BadAnswer("endless chunks", BadAnswer.whole("\(ok)\r\nTransfer-Encoding: chunked") + .flood("1\r\nx\r\n")),
            BadAnswer(
                "endless chunk extension",
                BadAnswer.whole("\(ok)\r\nTransfer-Encoding: chunked", "1;") + .flood("aaaaaaaa")
            ),
            BadAnswer("endless preliminary answers", .flood("HTTP/1.1 102 Processing\r\n\r\n")),
            BadAnswer("endless fields", .send("\(ok)\r\n") + .flood("a: \(String(repeating: "b", count: 4000))\r\n")),
        ]
    )
    func `a longer body is aborted, whatever Content-Length states`(answer: BadAnswer) async throws {
        try await ScriptedServer.run { server in
            server.answer(with: answer.script)
            let request = try TransportRequest(server.url(), limit: Self.limit, deadline: .seconds(60))
            let time = await expectFailure(.tooLarge, request)
            #expect(time < .seconds(30))
            try await server.expectAllClosed()
        }
    }

    @Test(
        .rule("T-154"),
        arguments: [
            BadAnswer("many short fields", .send("\(ok)\r\n") + .flood("a: b\r\n")),
            BadAnswer("one endless field", .send("\(ok)\r\na: ") + .flood("bbbbbbbbbbbbbbbb")),
            BadAnswer("an endless status line", .send("HTTP/1.1 200 ") + .flood("OK")),
        ]
    )
    func `an endless response head is aborted`(answer: BadAnswer) async throws {
        try await ScriptedServer.run { server in
            server.answer(with: answer.script)
            let request = try TransportRequest(server.url(), limit: Self.limit, deadline: .seconds(60))
            let time = await expectFailure(.tooLarge, request)
            #expect(time < .seconds(30))
            try await server.expectAllClosed()
        }
    }

    @Test(arguments: [0, -1, Int.min])
    func `a limit of zero reads no body`(limit: Int) async throws {
        try await ScriptedServer.run { server in
            server.answer(with: .respond(body: [1]))
            await expectFailure(.tooLarge, try TransportRequest(server.url(), limit: limit))
        }
    }

    @Test func `the greatest possible limit does not overflow`() async throws {
        try await ScriptedServer.run { server in
            server.answer(with: .respond(body: [1]))
            let request = try TransportRequest(server.url(), limit: .max, deadline: .seconds(Int64.max))
            try await expectBody([1], from: AsyncHTTPClientTransport(), request)
        }
    }

    @Test(
        .rule("T-156"),
        arguments: [
            BadAnswer("silence", .stall),
            BadAnswer(
                "a byte of the head each second",
                .drip("\(ok)\r\nContent-Length: 1\r\n\r\nx", every: .seconds(1))
            ),
            BadAnswer(
                "a byte of the head each 10 ms",
                .drip(String(repeating: ok, count: 1000), every: .milliseconds(10))
            ),
            BadAnswer("no body", .head(headers: ["Content-Length: 1"]) + .stall),
            BadAnswer("a body without end", .head() + .send("x") + .stall),
            BadAnswer(
                "a byte of the body each 10 ms",
                .head() + .drip(Array(repeating: 0x20, count: 1000), every: .milliseconds(10))
            ),
            BadAnswer("no last chunk", BadAnswer.whole("\(ok)\r\nTransfer-Encoding: chunked", "1\r\nx\r\n") + .stall),
            BadAnswer(
                "preliminary answers, slowly",
                .drip(String(repeating: "HTTP/1.1 102 Processing\r\n\r\n", count: 100), every: .milliseconds(10))
            ),
        ]
    )
    func `a slow response is aborted at the deadline`(answer: BadAnswer) async throws {
        try await ScriptedServer.run { server in
            server.answer(with: answer.script)
            try await expectDeadline(try TransportRequest(server.url(), deadline: .milliseconds(300)))
            try await server.expectAllClosed()
        }
    }

    @Test(.rule("T-156"), arguments: [Duration.zero, .seconds(-1), .seconds(Int64.min)])
    func `a request with a deadline of zero is not sent`(deadline: Duration) async throws {
        try await ScriptedServer.run { server in
            await expectFailure(.deadline, try TransportRequest(server.url(), deadline: deadline))
            #expect(server.connectionCount == 0)
        }
    }

    @Test(arguments: [
        BadAnswer("a reset", .reset),
        BadAnswer("an end", .close),
        BadAnswer("an end in the head", .send("\(ok)\r\nContent-Le")),
        BadAnswer("a reset in the head", .send("\(ok)\r\nContent-Le") + .reset),
        BadAnswer("an end in the body", BadAnswer.whole("\(ok)\r\nContent-Length: 10", "{}")),
        BadAnswer("a reset in the body", BadAnswer.whole("\(ok)\r\nContent-Length: 10", "{}") + .reset),
        BadAnswer("an end between chunks", BadAnswer.whole("\(ok)\r\nTransfer-Encoding: chunked", "2\r\n{}\r\n")),
        BadAnswer("a bad chunk", BadAnswer.whole("\(ok)\r\nTransfer-Encoding: chunked", "z\r\n{}\r\n0\r\n\r\n")),
        BadAnswer("a negative length", BadAnswer.whole("\(ok)\r\nContent-Length: -1", "{}")),
        BadAnswer("two lengths", BadAnswer.whole("\(ok)\r\nContent-Length: 2\r\nContent-Length: 3", "{}")),
        BadAnswer(
            "a length and chunks",
            BadAnswer.whole("\(ok)\r\nContent-Length: 2\r\nTransfer-Encoding: chunked", "2\r\n{}\r\n0\r\n\r\n")
        ),
        BadAnswer("HTTP/0.9", .send("{}")),
        BadAnswer("other bytes", .send(Array(repeating: 0xFF, count: 1000))),
        BadAnswer("HTTP/2", .send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")),
        BadAnswer("TLS", .send([21, 3, 1, 0, 2, 2, 40])),
        BadAnswer(
            "another protocol",
            BadAnswer.whole("HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade", "{}")
        ),
        BadAnswer("status 600", .respond(status: 600)),
        BadAnswer("status 999", .respond(status: 999)),
    ])
    func `a truncated or non-HTTP response is an error`(answer: BadAnswer) async throws {
        try await ScriptedServer.run { server in
            server.answer(with: answer.script)
            await expectFailure(.interrupted, try TransportRequest(server.url()))
            #expect(server.requestCount() == 1)
            try await server.expectAllClosed()
        }
    }

    @Test func `a body longer than Content-Length is cut there`() async throws {
        try await ScriptedServer.run { server in
            server.answer(with: BadAnswer.whole("\(Self.ok)\r\nContent-Length: 2", "{}[]"))
            try await expectBody(Array("{}".utf8), from: AsyncHTTPClientTransport(), try TransportRequest(server.url()))
        }
    }
}
#endif
