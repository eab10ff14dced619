// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTPClient

internal import LoginKeys
import LoginTestServers
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// Servers that are slow, never stop, send wrong lengths, or do not speak HTTP.
///
/// The valid keys stay in use after each, and a later valid response is accepted.
@Suite(.timeLimit(.minutes(10))) struct HostileConnectionTests {
    private static let keys = #"{"keys":[\#(TestKey.shared.json.text)]}"#
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"

    static let slow: [HostileCase] = [
        HostileCase("says nothing", .stall, "deadline"),
        HostileCase("stops within the head", .send("HTTP/1.1 200 OK\r\nContent-Ty") + .stall, "deadline"),
        HostileCase("stops after the head", .send(ok + "Content-Length: 9\r\n\r\n") + .stall, "deadline"),
        HostileCase("stops within the body", .send(ok + "Content-Length: 9\r\n\r\n{\"k") + .stall, "deadline"),
        HostileCase("sends all but the end of a body in chunks", .send(chunked("2\r\n{}\r\n")) + .stall, "deadline"),
        HostileCase("sends a head byte by byte", .drip(ok + keys, every: .milliseconds(100)), "deadline"),
        HostileCase(
            "sends a body byte by byte",
            .send(ok + "Content-Length: 999\r\n\r\n") + .drip(keys, every: .milliseconds(100)),
            "deadline"
        ),
        HostileCase("says only that it goes on", .send("HTTP/1.1 100 Continue\r\n\r\n") + .stall, "deadline"),
    ]

    @Test(.rule("T-156"), arguments: slow)
    func `a slow server fails at the deadline`(_ hostile: HostileCase) async throws {
        try await hostile.run()
    }

    static let endless: [HostileCase] = [
        HostileCase(
            "sends header after header",
            .send("HTTP/1.1 200 OK\r\n") + .flood("X-Filler: filler\r\n"),
            "too-large"
        ),
        HostileCase(
            "sends one header of 1 MB",
            .send(ok + "X: ") + .send([UInt8](repeating: 0x78, count: 1_048_576)),
            "too-large"
        ),
        HostileCase("sends one header without end", .send(ok + "X: ") + .flood("x"), "too-large"),
        HostileCase("sends a reason without end", .send("HTTP/1.1 200 ") + .flood("x"), "too-large"),
        HostileCase("goes on going on", .flood("HTTP/1.1 100 Continue\r\n\r\n"), "too-large"),
        HostileCase("hints early without end", .flood("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"), "too-large"),
        HostileCase("sends a body without end", .send(ok + "\r\n") + .flood("x"), "too-large"),
        HostileCase("sends a body without end in chunks", .send(chunked()) + .flood("4\r\nxxxx\r\n"), "too-large"),
        HostileCase("extends a chunk without end", .send(chunked("4;")) + .flood("x"), "too-large"),
        HostileCase(
            "sends trailers without end",
            .send(chunked("2\r\n{}\r\n0\r\n")) + .flood("X-Filler: filler\r\n"),
            "too-large"
        ),
        HostileCase("announces 10 GB", .send(ok + "Content-Length: 10737418240\r\n\r\n{") + .stall, "too-large"),
        HostileCase("announces one byte too many", .send(ok + "Content-Length: 262145\r\n\r\n{") + .stall, "too-large"),
        HostileCase(
            "sends one byte too many",
            .json(.raw(padded)),
            "too-large"
        ),
        HostileCase(
            "sends one byte too many, announcing none",
            .head(headers: ["Content-Type: application/json"])
                + .send(padded),
            "too-large"
        ),
    ]

    @Test(.rule("T-154"), arguments: endless)
    func `a response beyond the size limit is aborted`(_ hostile: HostileCase) async throws {
        try await hostile.run()
    }

    static let broken: [HostileCase] = [
        HostileCase("hangs up at once", .close, "interrupted"),
        HostileCase("resets the connection at once", .reset, "interrupted"),
        HostileCase("hangs up within the head", .send("HTTP/1.1 200 OK\r\nContent-Ty"), "interrupted"),
        HostileCase("hangs up within the body", .send(ok + "Content-Length: 999\r\n\r\n" + keys), "interrupted"),
        HostileCase(
            "resets within the body",
            .send(ok + "Content-Length: 999\r\n\r\n{") + .pause(.zero) + .reset,
            "interrupted"
        ),
        HostileCase("hangs up within a chunk", .send(chunked("FF\r\n{")), "interrupted"),
        HostileCase("hangs up after the last chunk but one", .send(chunked("2\r\n{}\r\n")), "interrupted"),
        HostileCase("announces less than nothing", .send(ok + "Content-Length: -1\r\n\r\n" + keys), "interrupted"),
        HostileCase("announces no number", .send(ok + "Content-Length: many\r\n\r\n" + keys), "interrupted"),
        HostileCase(
            "announces a number beyond all bounds",
            .send(ok + "Content-Length: 99999999999999999999999\r\n\r\n" + keys),
            "interrupted"
        ),
        HostileCase(
            "announces two lengths",
            .send(ok + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} "),
            "interrupted"
        ),
        HostileCase(
            "announces a length, and chunks",
            .send(ok + "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"),
            "interrupted"
        ),
        HostileCase("sends a chunk whose size is no number", .send(chunked("zz\r\n{}\r\n0\r\n\r\n")), "interrupted"),
        HostileCase("sends a chunk of negative size", .send(chunked("-2\r\n{}\r\n0\r\n\r\n")), "interrupted"),
        HostileCase("sends a chunk beyond all bounds", .send(chunked("FFFFFFFFFFFFFFFFFF\r\n{}\r\n")), "interrupted"),
        HostileCase("sends a chunk longer than announced", .send(chunked("1\r\n{}\r\n0\r\n\r\n")), "interrupted"),
        HostileCase("speaks HTTP/0.9", .send(keys), "interrupted"),
        HostileCase("speaks HTTP/2", .send([0, 0, 0, 4, 0, 0, 0, 0, 0]), "interrupted"),
        HostileCase("begins HTTP/2 as a client does", .send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), "interrupted"),
        HostileCase("speaks TLS", .send([0x15, 3, 3, 0, 2, 2, 40]), "interrupted"),
        HostileCase("speaks SMTP", .send("220 mail.example ESMTP\r\n"), "interrupted"),
        HostileCase("sends garbage", .send(Array(0...255)), "interrupted"),
        HostileCase("has a status of words", .send("HTTP/1.1 OK 200\r\n\r\n"), "interrupted"),
        HostileCase(
            "has a status of four digits",
            .send("HTTP/1.1 2000 OK\r\nContent-Length: 0\r\n\r\n"),
            "interrupted"
        ),
        HostileCase("has a zero byte in a header", .send(ok + "X: a\0b\r\n\r\n" + keys), "interrupted"),
        HostileCase(
            "switches protocols",
            .send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"),
            "interrupted"
        ),
    ]

    @Test(.rule("T-154"), arguments: broken)
    func `a truncated or non-HTTP response is an error`(_ hostile: HostileCase) async throws {
        try await hostile.run()
    }

    @Test func `a stopped server is a failed connection, and its keys are fetched after the restart`() async throws {
        try await ScriptedServer.run { server in
            let bench = try HostileBench(server)
            let stream = bench.cache.events()
            try await bench.cache.running {
                var events = stream.makeAsyncIterator()
                _ = await HostileBench.events(until: .fetched, in: &events)
                #expect(await bench.verdict(bench.issuer.token()) == "verified")
                await server.kill()
                #expect(await bench.verdict(bench.unknown) == "keys-unavailable")
                let failure = await HostileBench.failure(in: &events)
                #expect(failure?.code.rawValue == "connection")
                #expect(await bench.verdict(bench.issuer.token()) == "verified")
                try await server.revive()
                _ = await HostileBench.events(until: .freshAgain, in: &events)
                #expect(await bench.verdict(bench.issuer.token()) == "verified")
            }
        }
    }

    /// Valid keys, one byte longer than a key set may be.
    private static let padded = keys + String(repeating: " ", count: 262_145 - keys.utf8.count)

    /// Returns a response head that announces chunks, and the text after it.
    private static func chunked(_ rest: String = "") -> String {
        ok + "Transfer-Encoding: chunked\r\n\r\n" + rest
    }
}

#endif
