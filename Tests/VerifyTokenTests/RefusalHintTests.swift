// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import Foundation
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing
@testable import verify_token

/// The hints of a report, for the user of the command, and the output for scripts.
@Suite struct RefusalHintTests {
    // printf n-1 | sha256sum, and in Base64
    private static let hash = "51aeea8ffa05d2620d35c87463465885e77df13171d5708746df1a9f36d47f35"
    private static let base64 = "Ua7qj_oF0mINNch0Y0ZYhed98TFx1XCHRt8anzbUfzU"

    @Test(
        arguments: [
            (hash, ExpectedNonce.exactly("n-1"), "--nonce-sha256 compares the hash"),
            (hash.uppercased(), .exactly("n-1"), "in upper-case"), (hash.uppercased(), .sha256("n-1"), "in upper-case"),
            (base64, .exactly("n-1"), "in Base64"), (base64 + "=", .sha256("n-1"), "in Base64"),
            ("n-1", .exactly("N-1"), "only in letter case"), ("n-1", .exactly("n-1 "), "only in white space"),
            ("n-1", .exactly(hash), "give --nonce the value before hashing"),
            (hash, .sha256(hash), "give the hash with --nonce"),
            ("other", .sha256(hash), "give a hash with --nonce"),
            ("n-1", .sha256("n-1"), "--nonce compares it"),
            (hash, .sha256("n-1\n"), "without its surrounding white space"),
            ("n-2", .exactly("n-1"), nil), ("n-2", .sha256("n-1"), nil),
        ] as [(String, ExpectedNonce, String?)]
    )
    func `a nearly matching nonce is explained and not shown`(
        seen: String,
        expected: ExpectedNonce,
        words: String?
    ) {
        let hint = expected.mistake(seen)
        #expect(words.map { hint?.contains($0) == true } ?? (hint == nil), "\(hint ?? "nil")")
        #expect(hint?.contains(seen) != true)
    }

    @Test func `hints are in the report, as text and in JSON`() throws {
        let workspace = try Workspace()
        let token = workspace.issuer.token(nonce: Self.hash)
        let hint = "--nonce-sha256 compares the hash"
        #expect(try workspace.verify(token).output.contains("\n  hint: the nonce is the SHA-256 of the value: "))
        let json = try workspace.verify(token, "--format", "json").json()
        #expect((json["hints"] as? [String])?.first?.contains(hint) == true)
        #expect(
            try workspace.verify(token, nonce: ["--nonce-sha256", "n-1"], "--format", "json").json()["hints"]
                as? [String] == []
        )
        let good = workspace.issuer.token(nonce: "n-1")
        #expect(try workspace.verify("\(good)\n\(good)").output.contains("\n  hint: verify-token batch verifies"))
    }

    @Test func `--show subject prints only the subject of a verified token, and nothing for others`() throws {
        let workspace = try Workspace()
        let token = workspace.issuer.token(nonce: "n-1")
        let subject = try #require(try UnverifiedToken(inspecting: token).claims.subject)
        let good = try workspace.verify(token, "--show", "subject")
        #expect(good.status == 0 && good.output == subject + "\n" && good.errors == "")
        let refused = try workspace.verify(token, nonce: ["--nonce", "n-2"], "--show", "subject")
        #expect(refused.status == 1 && refused.output == "")
        #expect(refused.errors.hasPrefix("verify-token: token refused: nonce: ") && !refused.errors.contains(subject))
        let unchecked = try workspace.verify(token, nonce: ["--nonce-unchecked", "test"], "--show", "subject")
        #expect(unchecked.output == subject + "\n" && unchecked.errors.contains("NONCE NOT CHECKED: \"test\""))
        for further in [["--explain"], ["--show-claims"], ["--format", "json"]] {
            let file = workspace.path("token.jwt")
            let run = try CommandLineRun(
                ["verify", file, "--nonce", "n-1", "--show", "subject"] + workspace.options + further
            )
            #expect(run.status == 64 && run.output == "")
        }
    }

    @Test func `an unreadable file is reported in the words of the system, with status 2`() throws {
        let workspace = try Workspace()
        let folder = workspace.folder.path()
        let run = try CommandLineRun(["verify", folder, "--nonce", "n-1", "--format", "json"] + workspace.options)
        #expect(run.status == 2 && run.output == "" && run.errors.hasSuffix(": is a directory\n"))
        let options = workspace.options.map { $0.hasSuffix("keys.json") ? folder : $0 } + ["--nonce", "n-1"]
        let file = try workspace.write(workspace.issuer.token(nonce: "n-1"), "token.jwt").path()
        #expect(
            try CommandLineRun(["verify", file] + options).output.contains(
                ": is a directory; facebook publishes its keys"
            )
        )
    }

}
#endif
