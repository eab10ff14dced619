// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// Mistakes of copying are named, and refused as before.
@Suite struct RecognizedPastedTests {
    private static let token = "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJ4In0.AAAA"

    static let inputs: [(String, RecognizedInput)] = [
        ("AQD" + String(repeating: "abcdefghij", count: 10), .authorizationCode),
        ("4/0AeanS0abcdefgh", .authorizationCode),
        ("https://app.example/callback?code=abc&state=x", .authorizationCode), ("code=abc", .authorizationCode),
        ("fb123://authorize/?state=x&code=abc#_=_", .authorizationCode), ("?state=x&code=abc\n", .authorizationCode),
        ("https://app.example/?code=abc#id_token=\(token)", .url),
        ("fb123://authorize/#id_token=\(token)", .url), ("com.example.app://callback?x=1&id_token=\(token)", .url),
        ("#state=x&id_token=\(token)", .url), ("state=x&id_token=\(token)", .url), ("myapp://callback", .url),
        ("nil", .placeholder), ("null\n", .placeholder), ("(null)", .placeholder), ("undefined", .placeholder),
        ("[object Object]", .placeholder), ("Optional(nil)", .placeholder),
        ("1234567890|AbCdEf", .facebookAppAccessToken),
        ("<!DOCTYPE html><html>", .html), ("<html lang=\"en\">", .html),
        ("\(token)\n\(token)", .severalTokens), ("\(token)\r\n\r\n  \(token)\r\n\(token)\n", .severalTokens),
        ("\u{FEFF}\(token)", .strayCharacter), ("\u{201C}\(token)\u{201D}", .strayCharacter),
        ("`\(token)`", .strayCharacter), ("\(token);", .strayCharacter),
        ("eyJ\u{200B}\(token.dropFirst(3))", .strayCharacter),
        (token.map { "\($0)\u{0}" }.joined(), .utf16),
        ("\u{FFFD}\u{FFFD}" + token.map { "\u{0}\($0)" }.joined(), .utf16),
        ("eyJhbGciOiJub25lIn0.e30.", .unsignedToken), ("eyJhbGciOiJub25lIn0.e30.AA", .unsignedToken),
        ("eyJhbGciOiJOT05FIn0.e30.AA", .unsignedToken),
    ]

    @Test(arguments: inputs)
    func `recognized input is refused, and the refusal says what to send`(text: String, expected: RecognizedInput)
        throws
    {
        #expect(RecognizedInput(text) == expected)
        let bench = try Bench()
        do throws(TokenRefusal) {
            try bench.verify(text: text)
            Issue.record("accepted")
        } catch {
            #expect([.segments, .encoding, .encryptedToken, .algorithm].contains(error.code))
            #expect(error.publicMessage == "\(error.code): \(expected.explanation)")
            #expect(error.description.contains(expected.explanation))
        }
    }

    @Test(arguments: [
        "AQDabc", "AQDabcdefghijklmnopqrstuvwxyz0123456789", "AQD.abc.def", "4/1A", "decode=abc", "state=x", "nils",
        "null hypothesis", "123|", "|abc", "12a|b",
        "code", "1://x y", "<", "a < b", "\(token)\nx", "x;y.z.a", "eyJ\u{200B}.e30", "\(token)=", "ey+.a/.b",
    ])
    func `similar input is not recognized`(text: String) {
        #expect(!Self.inputs.map(\.1).contains { $0 == RecognizedInput(text) })
    }

    @Test(arguments: [
        ("\u{FEFF}\(token)", "character 1 is U+FEFF"),
        ("\(token);", "character \(token.count + 1) is U+003B (SEMICOLON)"),
        ("eyJh\u{201D}\(token.dropFirst(4))", "character 5 is U+201D (RIGHT DOUBLE QUOTATION MARK)"),
        (" \n`\(token)`", "character 3 is U+0060 (GRAVE ACCENT)"),
        ("e\u{0}\(token.dropFirst())", "character 2 is U+0000"),
        ("\(token)\n\(token)", "there are 2 lines, and more than one begins like a token"),
    ])
    func `the message names the stray character, or the number of lines`(text: String, words: String) throws {
        let bench = try Bench()
        do throws(TokenRefusal) {
            try bench.verify(text: text)
            Issue.record("accepted")
        } catch {
            #expect(error.detail.contains(words), "\(error.detail)")
            #expect(!error.description.contains("encrypted.") && !error.publicMessage.contains("encrypted."))
        }
    }
}
