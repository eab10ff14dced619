// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import Foundation
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// The notes of `verify-token inspect` on a token.
@Suite struct InspectionNotesTests {
    /// Returns the notes on a token, which is issued now unless it is changed.
    func notes(nonce: String? = "n-1", _ change: (inout TestToken) -> Void = { _ in }) throws -> [String] {
        let workspace = try Workspace()
        let now = Int(Date().timeIntervalSince1970)
        let token = workspace.issuer.token(nonce: nonce) { token in
            token.claims["iat"] = .number("\(now)")
            token.claims["email"] = "ada@example.com"
            change(&token)
        }
        let file = try workspace.write(token, "token.jwt").path()
        let json = try CommandLineRun(["inspect", file, "--format", "json"]).json()
        let text = try CommandLineRun(["inspect", file]).output
        let notes = try #require(json["notes"] as? [String])
        for note in notes { #expect(text.contains("\nnote: \(note)\n")) }
        return notes
    }

    func expect(_ words: String, nonce: String? = "n-1", _ change: (inout TestToken) -> Void = { _ in }) throws {
        let notes = try notes(nonce: nonce, change)
        #expect(notes.count == 1 && notes.first?.contains(words) == true, "\(notes)")
    }

    @Test func `on a token like all others nothing is remarked`() throws {
        #expect(try notes() == [])
        #expect(try notes(nonce: nil) == [])
    }

    @Test(.rule("M3")) func `the issuer of before August 2021 is remarked`() throws {
        try expect("August 2021") { $0.claims["iss"] = "https://facebook.com" }
    }

    @Test(.rule("M4")) func `a nonce that looks like a hash, or made by the SDK, is remarked`() throws {
        try expect("--nonce-sha256", nonce: String(repeating: "0a", count: 32))
        try expect("SDK generates one", nonce: "C0FFEE00-0000-4000-8000-000000000001")
        #expect(try notes(nonce: String(repeating: "0a", count: 31)) == [])
    }

    @Test(.rule("M7")) func `a token older than ten minutes is remarked`() throws {
        try expect("ten minutes") { $0.claims["iat"] = .number("\(Int(Date().timeIntervalSince1970) - 660)") }
    }

    @Test(.rule("M11")) func `a shared secret, and a key that is not named, are remarked`() throws {
        try expect("shared secret") { $0.header["alg"] = "HS256" }
        try expect("kid is missing") { $0.header["kid"] = nil }
    }

    @Test(.rule("M13", "M14")) func `what is not told of a person is remarked`() throws {
        try expect("no email") { $0.claims["email"] = nil }
        try expect("no names") { $0.claims["user_friends"] = ["1"] }
        // Tokens of other providers may lack these.
        #expect(
            try notes { token in
                token.claims["iss"] = "https://issuer.example"
                token.claims["email"] = nil
                token.header["kid"] = nil
            } == []
        )
    }
}
#endif
