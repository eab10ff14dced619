// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTPClient

internal import LoginKeys
import LoginTestServers
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// Responses that are just within the limits, and key sets with a faulty entry that does not affect the rest.
@Suite(.timeLimit(.minutes(10))) struct OddKeySetTests {
    private static let good = TestKey.shared.json
    private static let keys = #"{"keys":[\#(good.text)]}"#
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"

    static let accepted: [HostileCase] = [
        HostileCase(
            "calls it a key set",
            .respond(headers: ["Content-Type: application/jwk-set+json"], body: bytes(keys)),
            ""
        ),
        HostileCase(
            "names the charset",
            .respond(headers: ["content-type: Application/JSON; charset=utf-8"], body: bytes(keys)),
            ""
        ),
        HostileCase("says it is not packed", .json(.raw(keys), headers: ["Content-Encoding: identity"]), ""),
        HostileCase("sends chunks", .send(ok + "Transfer-Encoding: chunked\r\n\r\n" + chunks(keys)), ""),
        HostileCase(
            "sends bytes of one chunk each",
            .send(ok + "Transfer-Encoding: chunked\r\n\r\n" + bytewise(keys)),
            ""
        ),
        HostileCase("ends by hanging up", .send(ok + "\r\n" + keys), ""),
        HostileCase("speaks HTTP/1.0", .send("HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n" + keys), ""),
        HostileCase("hints early", .send("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" + ok + "\r\n" + keys), ""),
        HostileCase("sends many headers", .send(ok + String(repeating: "X-A: b\r\n", count: 100) + "\r\n" + keys), ""),
        HostileCase("says the same length twice", .send(ok + "Content-Length: \(keys.utf8.count)\r\n\r\n" + keys), ""),
        HostileCase("begins with a byte order mark", .json(.raw("\u{FEFF}" + keys)), ""),
        HostileCase("sends 100 keys", .json(.raw(HostileAnswerTests.many(100))), ""),
        HostileCase("sends 256 KiB", .json(.raw(padded(to: 262_144))), ""),
        HostileCase(
            "sends 256 KiB in chunks",
            .send(ok + "Transfer-Encoding: chunked\r\n\r\n" + chunks(padded(to: 262_144))),
            ""
        ),
        HostileCase("adds members that nobody knows", .json(["x": [1, ["y": "z"]], "keys": [good]]), ""),
        HostileCase(
            "pauses within the body",
            .send(ok + "\r\n{") + .pause(.milliseconds(50)) + .send(String(keys.dropFirst())),
            ""
        ),
    ]

    @Test(.rule("T-154", "T-157", "T-170"), arguments: accepted)
    func `an unusual but valid response is accepted`(_ odd: HostileCase) async throws {
        try await ScriptedServer.run { server in
            let bench = try HostileBench(server)
            server.answer(HostileBench.keysPath, with: odd.script)
            await bench.cache.running {
                #expect(await bench.verdict(bench.issuer.token()) == "verified")
            }
            #expect(server.requestCount() == 1)
            #expect(bench.cache.status(of: "https://issuer.example")?.lastFailure == nil)
        }
    }

    /// Unusable keys that have the ID of a usable one.
    static let poisons: [(String, @Sendable (inout TestJSON) -> Void)] = [
        ("has an exponent of 1", { $0["e"] = "AQ" }),
        ("has an even exponent", { $0["e"] = "AQAC" }),
        ("publishes its private half", { $0["d"] = "AQAB" }),
        ("is not for signatures", { $0["use"] = "enc" }),
        ("has no modulus", { $0["n"] = nil }),
        ("is a secret", { $0 = ["kty": "oct", "k": "c2VjcmV0", "kid": .string(TestKey.another.keyID)] }),
        ("is of an unknown type", { $0["kty"] = "SECRET" }),
        ("has a modulus that is a number", { $0["n"] = 5 }),
    ]

    @Test(.rule("T-169"), arguments: poisons.indices)
    func `an unusable key is skipped and reported, and the other keys are used`(_ index: Int) async throws {
        let (name, poison) = Self.poisons[index]
        var bad = TestKey.another.json
        poison(&bad)
        let keys: TestJSON = ["keys": [bad, Self.good]]
        try await ScriptedServer.run { server in
            let bench = try HostileBench(server)
            server.answer(HostileBench.keysPath, with: .json(keys))
            let stream = bench.cache.events()
            try await bench.cache.running {
                var events = stream.makeAsyncIterator()
                #expect(await bench.verdict(bench.issuer.token()) == "verified", "\(name)")
                let seen = await HostileBench.events(until: .keySkipped, in: &events)
                let skipped = try #require(seen.last)
                #expect(skipped.keyID == TestKey.another.keyID)
                #expect(skipped.detail?.isEmpty == false)
                let poisoned = bench.issuer.token {
                    $0.header["kid"] = .string(TestKey.another.keyID)
                    $0.signing = .key(.another)
                }
                #expect(await bench.verdict(poisoned) == "key-unusable", "\(name)")
                // The key is known as unusable, so no refresh looks for it.
                #expect(server.requestCount() == 1)
            }
        }
    }

    @Test(.rule("T-042", "T-169"))
    func `both of two keys with the same key ID are used, without another request`() async throws {
        var twin = TestKey.another.json
        twin["kid"] = .string(TestKey.shared.keyID)
        let keys: TestJSON = ["keys": [Self.good, twin, TestKey.another.json]]
        try await ScriptedServer.run { server in
            let bench = try HostileBench(server)
            server.answer(HostileBench.keysPath, with: .json(keys))
            await bench.cache.running {
                #expect(await bench.verdict(bench.issuer.token()) == "verified")
                let second = bench.issuer.token { $0.signing = .key(.another) }
                #expect(await bench.verdict(second) == "verified")
                let other = bench.issuer.token {
                    $0.header["kid"] = .string(TestKey.another.keyID)
                    $0.signing = .key(.another)
                }
                #expect(await bench.verdict(other) == "verified")
                #expect(server.requestCount() == 1)
            }
        }
    }

    @Test func `a request states the accepted media types and no compression`() async throws {
        try await ScriptedServer.run { server in
            let bench = try HostileBench(server)
            await bench.cache.running {
                #expect(await bench.verdict(bench.issuer.token()) == "verified")
            }
            let request = try #require(server.requests.first)
            #expect(request.method == "GET")
            #expect(request.target == HostileBench.keysPath)
            #expect(request.values(of: "Accept") == ["application/json, application/jwk-set+json"])
            #expect(request.values(of: "Accept-Encoding") == ["identity"])
            #expect(request.values(of: "Host") == ["127.0.0.1:\(server.port)"])
            #expect(request.body.isEmpty)
        }
    }

    private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    private static func padded(to count: Int) -> String {
        keys + String(repeating: " ", count: count - keys.utf8.count)
    }

    /// Returns the text in chunks of 1,000 bytes.
    private static func chunks(_ text: String, of size: Int = 1000) -> String {
        let bytes = Array(text.utf8)
        let chunks = stride(from: 0, to: bytes.count, by: size).map { start in
            let chunk = bytes[start..<min(start + size, bytes.count)]
            return String(chunk.count, radix: 16) + "\r\n" + String(decoding: chunk, as: UTF8.self) + "\r\n"
        }
        return chunks.joined() + "0\r\n\r\n"
    }

    private static func bytewise(_ text: String) -> String { chunks(text, of: 1) }
}

#endif
