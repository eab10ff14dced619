// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginCrypto
import LoginText
import TestSupport
import Testing

@testable import LoginAccounts

@Suite(.rule("SS-6", "S-RFR-5")) struct OpaqueTokenTests {
    static let id = "0199c3a1-7f00-7000-8000-0123456789ab"
    static let seed = [UInt8](repeating: 5, count: 16)
    static let key = [UInt8](repeating: 1, count: 32)
    static let other = [UInt8](repeating: 2, count: 32)
    static let secrets = AccountSecrets(repeating: 1)

    static func token(
        _ kind: OpaqueToken.Kind = .session,
        generation: Int64 = 7,
        seed: [UInt8] = seed,
        secrets: AccountSecrets = secrets
    ) throws -> String {
        try #require(OpaqueToken.make(kind, id: id, generation: generation, seed: seed, secrets: secrets))
    }

    @Test(arguments: OpaqueToken.Kind.allCases, [0, 1, 255, 65_536, 4_294_967_295])
    func `a token contains the ID of its session and its generation`(_ kind: OpaqueToken.Kind, _ generation: Int64)
        throws
    {
        let text = try Self.token(kind, generation: generation)
        #expect(text.utf8.count == OpaqueToken.characterCount)
        #expect(text.hasPrefix(kind.rawValue))
        let token = try #require(OpaqueToken(text, kind, secrets: Self.secrets))
        #expect(token.id == Self.id)
        #expect(token.generation == generation)
        #expect(token.hash == Digest.sha256.hash(text.utf8))
    }

    @Test func `no token is made for a generation or ID that it cannot contain`() {
        for generation: Int64 in [-1, 4_294_967_296, .max] {
            #expect(
                OpaqueToken.make(.refresh, id: Self.id, generation: generation, seed: Self.seed, secrets: Self.secrets)
                    == nil
            )
        }
        #expect(OpaqueToken.make(.refresh, id: "1", generation: 0, seed: Self.seed, secrets: Self.secrets) == nil)
    }

    @Test(.rule("S-FIX-2")) func `a token with any changed character is refused`() throws {
        let text = Array(try Self.token().utf8)
        for index in text.indices {
            var changed = text
            changed[index] = changed[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            #expect(OpaqueToken(String(decoding: changed, as: UTF8.self), .session, secrets: Self.secrets) == nil)
        }
    }

    @Test(.rule("S-FIX-2")) func `a malformed token, or one of another kind, is refused`() throws {
        let text = try Self.token()
        let shorter = String(text.dropLast())
        var refused: [String] = ["", "lls_", shorter, text + "A", text + "=", text + "\n", text.uppercased()]
        refused += [shorter + "=", shorter + "+", String(text.dropLast(2)) + "é", " " + String(text.dropFirst())]
        refused += ["llr_" + String(text.dropFirst(4)), "\u{FF4C}" + String(text.dropFirst(3))]
        refused += [String(repeating: "A", count: 100), String(repeating: "lls_", count: 100_000)]
        for text in refused { #expect(OpaqueToken(text, .session, secrets: Self.secrets) == nil) }
        #expect(OpaqueToken(text, .refresh, secrets: Self.secrets) == nil)
        #expect(OpaqueToken(text, .session, secrets: Self.secrets) != nil)
    }

    @Test func `a token of an older key is valid as long as that key is configured`() throws {
        let old = try Self.token(secrets: try AccountSecrets([Self.key]))
        let rotated = try AccountSecrets([Self.other, Self.key])
        #expect(OpaqueToken(old, .session, secrets: rotated) != nil)
        #expect(OpaqueToken(old, .session, secrets: try AccountSecrets([Self.other])) == nil)
        #expect(try Self.token(secrets: rotated) == Self.token(secrets: try AccountSecrets([Self.other])))
        let remade = OpaqueToken.remake(
            .session,
            id: Self.id,
            generation: 7,
            seed: Self.seed,
            hash: Digest.sha256.hash(old.utf8),
            secrets: rotated
        )
        #expect(remade == old)
    }

    @Test func `tokens of another seed, generation, session or kind have different secrets`() throws {
        let texts = [
            try Self.token(), try Self.token(generation: 8), try Self.token(seed: Array(0..<16)),
            try Self.token(.refresh),
            try #require(
                OpaqueToken.make(
                    .session,
                    id: "0199c3a1-7f00-7000-8000-0123456789ac",
                    generation: 7,
                    seed: Self.seed,
                    secrets: Self.secrets
                )
            ),
        ]
        let secrets = try texts.map { try #require(Base64URL.decode($0.utf8.dropFirst(4))).dropFirst(20).prefix(32) }
        #expect(Set(secrets).count == texts.count)
    }

    @Test func `the key alone does not suffice to forge a token`() throws {
        // The code of a made-up secret is valid as far as can be checked without the store, but the store has another
        // hash.
        let message =
            Array(try #require(Base64URL.decode(Self.token(.refresh).utf8.dropFirst(4))).prefix(20))
            + [UInt8](repeating: 0, count: 32)
        let code = Self.secrets.authenticationCodes(of: message, purpose: "code of llr_")[0].prefix(20)
        let forged = try #require(
            OpaqueToken("llr_" + Base64URL.encode(message + code), .refresh, secrets: Self.secrets)
        )
        #expect(
            OpaqueToken.remake(
                .refresh,
                id: forged.id,
                generation: forged.generation,
                seed: Self.seed,
                hash: forged.hash,
                secrets: Self.secrets
            ) == nil
        )
    }
}
