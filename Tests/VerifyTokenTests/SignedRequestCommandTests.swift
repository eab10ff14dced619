// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import Foundation
internal import LimitedLoginTesting
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// `verify-token signed-request`.
@Suite struct SignedRequestCommandTests {
    let facebook = FacebookStandIn()

    func run(
        _ text: String,
        secret: String? = nil,
        _ options: [String] = [],
        at: String = "1760000000"
    ) throws -> CommandLineRun {
        let workspace = try Workspace()
        let file = try workspace.write(text, "request.txt").path()
        let secretFile = try workspace.write(secret ?? facebook.appSecret + "\n", "secret.txt").path()
        let arguments = ["--app-id", facebook.appID, "--app-secret-file", secretFile, "--at", at]
        return try CommandLineRun(["signed-request", file] + arguments + options)
    }

    @Test func `a genuine signed request is verified, and the user ID is not shown`() throws {
        let text = facebook.signedRequest { $0["oauth_token"] = "EAAsecret" }
        for input in [text, text + "\n", "signed_request=\(text)", "a=b&signed_request=\(text)\n"] {
            let run = try run(input)
            #expect(
                run.status == 0 && run.output.hasPrefix("verified: signed request for app 1234567890, user sha256:")
            )
            #expect(run.output.contains("\n  user_id            sha256:") && !run.output.contains(facebook.person.id))
        }
        let shown = try run(text, ["--show-claims"])
        #expect(shown.output.contains("\n  user_id            \"\(facebook.person.id)\"\n"))
        #expect(shown.output.contains("\n  oauth_token        string\n") && !shown.output.contains("EAAsecret"))
    }

    @Test func `a signed request with another secret, or an old one, is refused`() throws {
        let text = facebook.signedRequest()
        let forged = try run(text, secret: "another")
        #expect(forged.status == 1 && forged.output.hasPrefix("signed request refused: signature: "))
        #expect(try run(text, at: "1760003630").status == 0)
        #expect(try run(text, at: "1760003631").output.hasPrefix("signed request refused: too-old: "))
        #expect(try run(text, ["--max-age", "1"], at: "1760000032").status == 1)
        #expect(try run("signed_request=").output.hasPrefix("signed request refused: segments: "))
        #expect(try run("a=b").output.hasPrefix("signed request refused: form: "))
        #expect(
            try run("YQ==.e30").output.contains("refused: encoding: the signature ends with =: padding was added")
        )
    }

    @Test func `the JSON report has the verdict, the code, the checks and the members`() throws {
        let good = try run(facebook.signedRequest { $0["user_id"] = "0" }, ["--format", "json"])
        let json = try good.json()
        #expect(json["verdict"] as? String == "verified" && json["code"] is NSNull)
        #expect((json["claims"] as? [String: Any])?["issued_at"] as? String == "number")
        #expect((json["notes"] as? [String])?.count == 1 && (json["checks"] as? [[String: String]])?.count == 10)
        let bad = try run("a.b.c", ["--format", "json"]).json()
        #expect(bad["verdict"] as? String == "refused" && bad["code"] as? String == "segments")
        #expect(bad["claims"] is NSNull && bad["recognizedAs"] is NSNull)
        let explained = try run(facebook.signedRequest(), ["--explain"]).output
        #expect(explained.contains("\n  signature          pass     valid with the secret of app 1234567890\n"))
    }

    @Test func `other kinds of input are recognized`() throws {
        let json = try run("EAABwzLixnjYBO", ["--format", "json"]).json()
        #expect(json["code"] as? String == "segments" && json["recognizedAs"] as? String == "facebook-access-token")
        #expect(
            try run("EAABwzLixnjYBO").output.contains("segments: there is one part, not two. This is a Facebook access")
        )
    }

    @Test func `the secret is not read from standard input`() throws {
        let run = try CommandLineRun(["signed-request", "--app-id", "1", "--app-secret-file", "-"])
        #expect(run.status == 64 && run.errors.contains("--app-secret-file must be a file; standard input is for"))
        let help = try CommandLineRun(["signed-request", "--help"]).output
        #expect(help.contains("A file with the signed request or the form body"))
    }

    @Test func `missing and impossible options are reported`() throws {
        let none = try CommandLineRun(["signed-request"])
        #expect(none.status == 64 && none.errors.contains("--app-id") && none.errors.contains("--app-secret-file"))
        #expect(try CommandLineRun(["signed-request", "--app-id", "x", "--app-secret-file", "y"]).status == 64)
        #expect(try run("a.b", ["--max-age", "0"]).status == 64)
        #expect(try run("a.b", at: "tomorrow").status == 64)
        let file = ["signed-request", "--app-id", "1", "--app-secret-file", "/nonexistent"]
        #expect(try CommandLineRun(file).status == 64)
        let spaced = try run("a.b", secret: "two words")
        #expect(spaced.status == 2 && !spaced.errors.contains("two words") && spaced.output.isEmpty)
    }
}
#endif
