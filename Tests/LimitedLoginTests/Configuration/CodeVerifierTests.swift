// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import LimitedLogin
import LoginProviders
internal import TestSupport
internal import Testing

/// The code verifier: its validity, its challenge, and its redaction.
@Suite struct CodeVerifierTests {
    /// A known pair of verifier and challenge.
    static let known = "OB6imf0pt3YLueBtNlljrdJZXdFk8gKJ97UQEpz1ojlEUL4p"

    @Test(.rule("F4.11", "F4.15"), arguments: [43, 44, 96, 127, 128])
    func `a verifier has 43 to 128 characters`(count: Int) throws {
        let text = String(repeating: "a", count: count)
        #expect(try #require(CodeVerifier(text)).value == text)
    }

    @Test(.rule("F4.11", "F4.15"), arguments: [0, 1, 42, 129, 1_000_000])
    func `a code verifier of another length is refused`(count: Int) {
        #expect(CodeVerifier(String(repeating: "a", count: count)) == nil)
    }

    @Test(.rule("F4.11"))
    func `a code verifier can contain each unreserved character`() {
        let all = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
        #expect(CodeVerifier(all) != nil)
    }

    @Test(.rule("F4.11"), arguments: ["é", "ß", "٣", "Ａ", "e\u{301}", "+", "/", "=", " ", "\n", "\0", "%", "🙂"])
    func `a code verifier with any other character is refused, including non-ASCII letters and digits`(
        character: String
    ) {
        #expect(CodeVerifier(String(repeating: "a", count: 60)) != nil)
        #expect(CodeVerifier(String(repeating: "a", count: 60) + character) == nil)
        #expect(CodeVerifier(character + String(repeating: "a", count: 60)) == nil)
        #expect(CodeVerifier(String(repeating: character, count: 50)) == nil)
    }

    @Test(.rule("F4.12"))
    func `a generated code verifier has 96 characters of base64url and is unique`() throws {
        let made = (0..<100).map { _ in CodeVerifier() }
        #expect(Set(made).count == 100)
        for verifier in made {
            #expect(verifier.value.utf8.count == 96)
            #expect(CodeVerifier(verifier.value) == verifier)
            #expect(!verifier.value.contains { "=.~".contains($0) })
        }
    }

    @Test(.rule("F4.13"))
    func `the code challenge is the SHA-256 in base64url`() throws {
        let verifier = try #require(CodeVerifier(Self.known))
        #expect(verifier.challenge == "4oJe_Hdk_xC_YCWjumgE5RjIkW-YVmFm_nYnIckxR0c")
        // RFC 7636, appendix B.
        let published = try #require(CodeVerifier("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"))
        #expect(published.challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
        #expect(CodeVerifier().challenge.utf8.count == 43)
    }

    @Test func `code verifiers are equal exactly if their characters are`() throws {
        let verifier = try #require(CodeVerifier(Self.known))
        #expect(verifier == CodeVerifier(Self.known))
        #expect(verifier != CodeVerifier(Self.known.lowercased()))
        #expect(verifier != CodeVerifier(Self.known + "a"))
    }

    @Test func `a code verifier is encoded as its text and decodes to an equal one`() throws {
        let verifier = try #require(CodeVerifier(Self.known))
        let json = try JSONEncoder().encode([verifier])
        #expect(String(decoding: json, as: UTF8.self) == "[\"\(Self.known)\"]")
        #expect(try JSONDecoder().decode([CodeVerifier].self, from: json) == [verifier])
    }

    @Test(arguments: ["\"short\"", "\"\(String(repeating: "+", count: 50))\"", "5", "null", "{}", "[]"])
    func `an invalid code verifier is not decoded, and the error does not show it`(json: String) throws {
        let error = #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([CodeVerifier].self, from: Data("[\(json)]".utf8))
        }
        #expect(!"\(try #require(error))".contains("short"))
    }

    @Test func `no text shows the code verifier`() throws {
        let verifier = try #require(CodeVerifier(Self.known))
        var dumped = ""
        dump(verifier, to: &dumped)
        for text in ["\(verifier)", String(reflecting: verifier), dumped] { #expect(!text.contains("OB6imf0pt3YL")) }
    }
}
