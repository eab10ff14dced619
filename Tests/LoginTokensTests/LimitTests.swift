// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import LoginTesting
import LoginText
internal import LoginTokens
internal import TestSupport
internal import Testing

/// The limits for input: accepted at the limit, refused above it, and refused at no cost.
@Suite(.serialized) struct LimitTests {
    private let bench: Bench
    private let memory = ProcessMemory()

    init() throws {
        bench = try Bench()
    }

    /// Returns a token whose parts have these sizes in bytes; unnamed parts are as small as possible.
    private func token(header: Int? = nil, whole: Int? = nil, signature: TestToken.Signing = .issuer) throws -> String {
        func padded(_ change: (inout TestToken, Int) -> Void, _ count: Int) -> String {
            bench.issuer.token { token in
                token.signing = signature
                if let header { Self.pad(&token.header, to: header) }
                change(&token, count)
            }
        }
        guard let whole else { return padded({ _, _ in }, 0) }
        // Three more bytes of payload add four characters, so up to two characters of the total must come from the
        // header.
        for extra in 0..<8 {
            let bare = padded({ Self.pad(&$0.header, to: $0.header.text.utf8.count + 10 + $1) }, extra)
            let missing = (whole - bare.utf8.count) * 3 / 4
            for room in missing...missing + 1 {
                let text = padded(
                    {
                        Self.pad(&$0.header, to: $0.header.text.utf8.count + 10 + $1)
                        Self.pad(&$0.claims, to: $0.claims.text.utf8.count + room)
                    },
                    extra
                )
                if text.utf8.count == whole { return text }
            }
        }
        throw NoSuchToken()
    }

    private struct NoSuchToken: Error {}

    /// Adds a member, so that the text has this number of bytes.
    private static func pad(_ json: inout TestJSON, to count: Int) {
        json["pad"] = ""
        json["pad"] = .string(String(repeating: "x", count: count - json.text.utf8.count))
    }

    @Test(.rule("T-080"))
    func `a token of 16 KiB is accepted and one of a byte more is refused`() throws {
        let longest = try token(whole: Limits.tokenBytes)
        #expect(longest.utf8.count == 16_384)
        try bench.verify(text: longest)
        let longer = try token(whole: Limits.tokenBytes + 1)
        #expect(longer.utf8.count == 16_385)
        expectRefusal(.tooLarge) { try bench.verify(text: longer) }
    }

    /// Returns a bench whose policy has these limits.
    private func bench(_ limits: TokenLimits) throws -> Bench {
        let issuer = bench.issuer
        let policy = try TokenPolicy(provider: issuer.provider, audiences: [issuer.audience], limits: limits)
        return try Bench(issuer: issuer, policy: policy)
    }

    @Test(.rule("T-080"))
    func `with the largest limit, a token of 64 KiB is accepted and one of a byte more is refused`() throws {
        let bench = try bench(TokenLimits(tokenBytes: 65_536))
        try bench.verify(text: token(whole: 65_536))
        let refusal = expectRefusal(.tooLarge) { try bench.verify(text: token(whole: 65_537)) }
        #expect(refusal?.description == "token refused: too-large: the token has more than 65536 bytes")
    }

    @Test(.rule("T-081"))
    func `with the largest limit, a header of 16 KiB is accepted and one of a byte more is refused`() throws {
        let bench = try bench(.largest)
        try bench.verify(text: token(header: 16_384))
        let refusal = expectRefusal(.tooLarge) { try bench.verify(text: token(header: 16_385)) }
        #expect(refusal?.description == "token refused: too-large: the header has more than 16384 bytes")
    }

    @Test(
        .rule("T-080", "T-081"),
        arguments: [
            (TokenLimits.standard, "TokenLimits.tokenBytes", "TokenLimits.headerBytes"),
            (TokenLimits.standard.named(tokenBytes: "--token", headerBytes: "--header"), "--token", "--header"),
        ]
    )
    func `a refusal names the setting that raises the limit`(limits: TokenLimits, token name: String, header: String)
        throws
    {
        let bench = try bench(limits)
        let long = expectRefusal(.tooLarge) { try bench.verify(text: token(whole: 16_385)) }
        #expect(long?.description.hasSuffix("the token has more than 16384 bytes; \(name) can be up to 65536") == true)
        #expect(long?.publicMessage == "too-large: The token is too long to be an ID token.")
        let wide = expectRefusal(.tooLarge) { try bench.verify(text: token(header: 4097)) }
        #expect(
            wide?.description.hasSuffix("the header has more than 4096 bytes; \(header) can be up to 16384") == true
        )
    }

    @Test(.rule("T-080"))
    func `the size limit counts bytes, not characters`() {
        let text = String(repeating: "\u{1F600}", count: 4096)
        expectRefusal(.segments) { try bench.verify(text: text) }
        expectRefusal(.tooLarge) { try bench.verify(text: text + "a") }
    }

    @Test(.rule("T-081"))
    func `a header of 4 KiB is accepted and one of a byte more is refused`() throws {
        try bench.verify(text: token(header: 4096))
        expectRefusal(.tooLarge) { try bench.verify(text: token(header: 4097)) }
        expectRefusal(.tooLarge) { try bench.verify(text: token(header: 8192)) }
    }

    @Test(.rule("T-081"))
    func `a signature of 1024 bytes is read and one of a byte more is refused`() throws {
        let longest = TestToken.Signing.bytes([UInt8](repeating: 1, count: 1024))
        expectRefusal(.signature) { try bench.verify(text: token(signature: longest)) }
        let longer = TestToken.Signing.bytes([UInt8](repeating: 1, count: 1025))
        expectRefusal(.tooLarge) { try bench.verify(text: token(signature: longer)) }
    }

    @Test(.rule("T-081"))
    func `the limits apply on every path that reads a token`() throws {
        for text in [try token(whole: Limits.tokenBytes + 1), try token(header: 4097)] {
            expectRefusal(.tooLarge) { try CompactJWS(text) }
            expectRefusal(.tooLarge) { try UnverifiedToken(inspecting: text) }
            _ = try CompactJWS(text, limits: .largest)
            _ = try UnverifiedToken(inspecting: text, limits: .largest)
        }
        for text in [try token(whole: Limits.tokenBytes), try token(header: 4096)] {
            _ = try CompactJWS(text)
            _ = try UnverifiedToken(inspecting: text)
        }
    }

    @Test(
        .rule("T-080", "T-084"),
        arguments: [("A", 100_000_000), (".", 10_000_000), ("{", 10_000_000), ("=", 10_000_000)]
    )
    func `a huge token is refused by its size at once, without a copy`(character: String, count: Int) throws {
        let text = String(decoding: Array(repeating: character.utf8.first ?? 0, count: count), as: UTF8.self)
        let before = try memory?.startMeasuring()
        let took = processorTime {
            let refusal = expectRefusal(.tooLarge) { try bench.verify(text: text) }
            #expect(refusal?.description.utf8.count ?? .max < 300)
            expectRefusal(.tooLarge) { try UnverifiedToken(inspecting: text) }
        }
        // Reading ten million bytes would take longer, and copying a hundred million would need more memory.
        #expect(took < .seconds(1))
        if let before, let peak = try memory?.peakKilobytes() { #expect(peak - before < 50_000) }
    }

    @Test(.rule("T-084"), arguments: [0, 1, 3, 5, 6, 16_384])
    func `a token of any number of dots is refused`(count: Int) {
        expectRefusal(.segments) { try bench.verify(text: String(repeating: ".", count: count)) }
    }

    @Test(.rule("T-084"))
    func `a token with four dots is reported as encrypted`() {
        expectRefusal(.encryptedToken) { try bench.verify(text: "....") }
        expectRefusal(.tooLarge) { try bench.verify(text: String(repeating: ".", count: 16_385)) }
    }

    @Test(.rule("T-083"), arguments: 0...64)
    func `decoding never produces more than three bytes for four characters`(count: Int) {
        let decoded = Base64URL.decode([UInt8](repeating: UInt8(ascii: "A"), count: count))
        #expect(decoded?.count == (count % 4 == 1 ? nil : count * 3 / 4))
    }

    @Test(
        .rule("T-086"),
        .enabled(if: ProcessMemory() != nil, "the system does not tell, or a sanitizer holds it back")
    )
    func `a hundred thousand invalid tokens leak no memory`() throws {
        let before = try #require(memory).startMeasuring()
        let junk = [
            "", "a", "a.b", "a.b.c", "e30.e30.AA", "....", "Bearer x", "{\"a\":1}", String(repeating: ".", count: 64),
        ]
        let forged = bench.issuer.token { $0.signing = .bytes([UInt8](repeating: 1, count: 256)) }
        var refused = 0
        for turn in 0..<100_000 {
            do throws(TokenRefusal) { try bench.verify(text: turn % 50 == 0 ? forged : junk[turn % junk.count]) } catch
            { refused += 1 }
        }
        #expect(refused == 100_000)
        // Keeping half a kilobyte of each would exceed this.
        #expect(try #require(memory).peakKilobytes() - before < 50_000)
    }
}
