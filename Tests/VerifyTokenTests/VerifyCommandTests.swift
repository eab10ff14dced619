// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import Foundation
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// `verify-token verify`: verdicts, exit statuses, and what the reports show.
@Suite struct VerifyCommandTests {
    @Test func `a verified token ends with status 0`() throws {
        let workspace = try Workspace()
        let run = try workspace.verify(workspace.issuer.token(nonce: "n-1"))
        #expect(run.status == 0)
        #expect(run.output.hasPrefix("verified: ID token of \"https://www.facebook.com\" for \"1234567890\"\n"))
        #expect(run.errors == "")
    }

    @Test func `verify is the default command`() throws {
        let workspace = try Workspace()
        let file = try workspace.write(workspace.issuer.token(nonce: "n-1"), "token.jwt")
        let run = try CommandLineRun([file.path()] + workspace.options + ["--nonce", "n-1"])
        #expect(run.status == 0)
    }

    @Test func `a refused token ends with status 1, with a message for the operator and one for the client`() throws {
        let workspace = try Workspace()
        let run = try workspace.verify(workspace.issuer.token(nonce: "n-1") { $0.claims["exp"] = 1_759_999_000 })
        #expect(run.status == 1)
        #expect(
            run.output.hasPrefix("token refused: expired: exp was 2025-10-09T08:36:40Z, 16 min ago (leeway 30 s)\n")
        )
        #expect(run.output.contains("message for the client: expired: The token has expired. Sign in again.\n"))
    }

    @Test(arguments: ["missing.json", "broken.json", "empty.json"])
    func `a token is undecided without keys, and a missing file is a usage error`(file: String) throws {
        let workspace = try Workspace()
        try workspace.write("{\"keys\":", "broken.json")
        try workspace.write("{\"keys\":[]}", "empty.json")
        let token = try workspace.write(workspace.issuer.token(nonce: "n-1"), "token.jwt")
        let options = workspace.options.map { $0.hasSuffix("keys.json") ? workspace.path(file) : $0 }
        let run = try CommandLineRun([token.path(), "--nonce", "n-1", "--format", "json"] + options)
        #expect(run.status == (file == "missing.json" ? 64 : 2))
        #expect(try run.json()["verdict"] as? String == "undecided")
        #expect(try run.json()["code"] as? String == "keys-unavailable")
    }

    @Test func `a JSON report has the public message, the time and the version`() throws {
        let workspace = try Workspace()
        let good = try workspace.verify(workspace.issuer.token(nonce: "n-1"), "--format", "json").json()
        #expect(good["publicMessage"] is NSNull)
        let bad = try workspace.verify(workspace.issuer.token(nonce: "n-2"), "--format", "json").json()
        let sentence = try #require(bad["publicMessage"] as? String)
        #expect(sentence.hasPrefix("nonce: ") && bad["message"] as? String != sentence)
        try FileManager.default.removeItem(at: workspace.folder.appending(path: "keys.json"))
        let open = try workspace.verify(workspace.issuer.token(nonce: "n-1"), "--format", "json").json()
        #expect(
            open["publicMessage"] as? String
                == "keys-unavailable: The token cannot be checked now. Try again in a moment."
        )
        for report in [good, bad, open] {
            #expect(report["time"] as? String == "2025-10-09T08:53:20Z")
            #expect(report["version"] as? String == "0.1.0")
        }
    }

    @Test func `the current time is used without --at`() throws {
        let workspace = try Workspace()
        let file = try workspace.write(workspace.issuer.token(nonce: "n-1"), "token.jwt").path()
        let before = Date()
        let options = workspace.options.dropLast(2) + ["--nonce", "n-1", "--format", "json"]
        let report = try CommandLineRun([file] + options).json()
        let time = try Date(#require(report["time"] as? String), strategy: .iso8601)
        #expect(before.addingTimeInterval(-1) <= time && time <= Date())
    }

    private static let addresses = [
        (["facebook"], "https://www.facebook.com", Provider.facebook), (["google"], "accounts.google.com", .google),
        (["apple"], "https://appleid.apple.com", .apple),
        (
            ["microsoft", "--tenant", "any"],
            "https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0", .microsoftAnyTenant
        ),
        (
            ["microsoft", "--tenant", "personal"],
            "https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0", .microsoftPersonal
        ),
    ]

    @Test(arguments: addresses, ["missing.json", "empty.json"])
    func `unavailable keys are reported with the URL where the provider publishes them`(
        provider: (options: [String], issuer: String, known: Provider),
        file: String
    ) throws {
        let workspace = try Workspace()
        try workspace.write("{\"keys\":[]}", "empty.json")
        let text = workspace.issuer.token(nonce: "n-1") { token in
            token.claims["iss"] = .string(provider.issuer)
            token.claims["tid"] = "9188040d-6c67-4c5b-b112-36a304b66dad"
        }
        let token = try workspace.write(text, "token.jwt").path()
        let options = [
            "--audience", "1234567890", "--nonce", "n-1", "--keys", workspace.path(file), "--at", "1760000000",
        ]
        let run = try CommandLineRun(["verify", token, "--provider"] + provider.options + options)
        #expect(run.status == (file == "missing.json" ? 64 : 2))
        let address = try #require(provider.known.keySetURL)
        #expect(run.output.contains("; \(provider.options[0]) publishes its keys at \(address)\n"))
        let other = try CommandLineRun(["verify", token, "--issuer", provider.issuer] + options)
        #expect(other.status == run.status && !other.output.contains("publishes"))
    }

    @Test func `the help and the manual state where each provider publishes its keys and how to get them`() throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../share/man/verify-token.1"
        )
        let manual = try String(contentsOf: page, encoding: .utf8).replacing("\\-", with: "-")
        for text in [manual, try CommandLineRun(["help", "verify"]).output] {
            for provider in [Provider.facebook, .google, .apple, .microsoftAnyTenant] {
                let address = try #require(provider.keySetURL)
                #expect(
                    text.contains("\(provider.name.padding(toLength: 10, withPad: " ", startingAt: 0)) \(address)\n")
                )
            }
            #expect(text.contains("curl -fsS URL -o keys.new && mv keys.new keys.json"))
        }
    }

    @Test func `another issuer is refused before the keys are read`() throws {
        let workspace = try Workspace()
        let token = workspace.issuer.token(nonce: "n-1") { $0.claims["iss"] = "https://issuer.example" }
        try FileManager.default.removeItem(at: workspace.folder.appending(path: "keys.json"))
        let run = try workspace.verify(token, "--explain")
        #expect(run.status == 1)
        #expect(run.output.contains("  signature          skipped  not reached\n"))
    }

    @Test(.rule("T-182"))
    func `an explained report lists every check once as passed, failed or skipped`() throws {
        let workspace = try Workspace()
        let run = try workspace.verify(workspace.issuer.token(nonce: "n-1"), "--explain", "--format", "json")
        let checks = try #require(try run.json()["checks"] as? [[String: String]])
        #expect(checks.map { $0["check"] } == Check.inOrder.map(\.rawValue))
        #expect(checks.allSatisfy { $0["outcome"] == (Self.notAskedFor.contains($0["check"]) ? "skipped" : "pass") })

        let refused = try workspace.verify(workspace.issuer.token(nonce: "n-2"), "--explain", "--format", "json")
        let outcomes = try #require(try refused.json()["checks"] as? [[String: String]])
        #expect(outcomes.map { $0["check"] } == Check.inOrder.map(\.rawValue))
        #expect(outcomes.filter { $0["outcome"] == "fail" }.map { $0["check"] } == ["nonce"])
    }

    private static let notAskedFor: Set<String?> = [
        "age", "auth-time", "acr", "hosted-domain", "access-token-hash", "code-hash", "single-use",
    ]

    @Test(.rule("T-182"))
    func `the text report of a refusal has exactly this form`() throws {
        let workspace = try Workspace()
        let run = try workspace.verify(
            workspace.issuer.token(nonce: "n-1") { $0.claims["aud"] = "another\u{1B}[31mapp" },
            "--explain"
        )
        let footer = try #require(run.output.split(separator: "\n").last)
        #expect(footer.hasPrefix("verify-token 0.1.0, OpenSSL 3."))
        #expect(footer.hasSuffix(", checked at 2025-10-09T08:53:20Z"))
        let report = run.output.replacing(footer, with: "FOOTER")
        #expect(report == Self.expectedReport)
    }

    private static let expectedReport = """
        token refused: audience: aud is "another\\u{1b}[31mapp", expected one of "1234567890"
          message for the client: audience: The token was issued to another app. Check the app's client ID.

        checks
          size               pass     732 bytes
          segments           pass     three, with 102, 286, 342 characters
          encoding           pass     canonical base64url
          header             pass     a JSON object
          critical-header    pass     no critical extensions
          token-type         pass     "JWT"
          algorithm          pass     RS256
          payload            pass     a JSON object with 7 claims
          issuer             pass     "https://www.facebook.com"
          audience           fail     audience: aud is "another\\u{1b}[31mapp", expected one of "1234567890"
          key                skipped  not reached
          signature          skipped  not reached
          required-claims    skipped  not reached
          claim-types        skipped  not reached
          authorized-party   skipped  not reached
          subject            skipped  not reached
          expiry             skipped  not reached
          not-before         skipped  not reached
          issued-at          skipped  not reached
          age                skipped  not reached
          auth-time          skipped  not reached
          acr                skipped  not reached
          hosted-domain      skipped  not reached
          access-token-hash  skipped  not reached
          code-hash          skipped  not reached
          nonce              skipped  not reached
          single-use         skipped  not reached
          note: a line break at the end of the input was ignored

        FOOTER

        """
}

/// The claims that reports show, and those that they hide.
@Suite struct ReportContentTests {
    private static let personal = ["Zaphod", "zaphod@example.com", "1000000000000001", "n-1-secret"]

    private static func token(_ issuer: TestIssuer) -> String {
        issuer.token(nonce: "n-1-secret") { token in
            token.claims["name"] = "Zaphod"
            token.claims["email"] = "zaphod@example.com"
            token.claims["user_birthday"] = "02/30/1990"
        }
    }

    @Test(arguments: ["text", "json"])
    func `no report shows the values of claims by default`(format: String) throws {
        let workspace = try Workspace()
        let run = try workspace.verify(
            Self.token(workspace.issuer),
            nonce: ["--nonce", "n-1-secret"],
            "--explain",
            "--format",
            format
        )
        #expect(run.status == 0)
        for text in Self.personal { #expect(!run.output.contains(text)) }
        #expect(run.output.contains("sha256:"))
    }

    @Test(arguments: ["text", "json"])
    func `claims and profile are shown on request`(format: String) throws {
        let workspace = try Workspace()
        let run = try workspace.verify(
            Self.token(workspace.issuer),
            nonce: ["--nonce", "n-1-secret"],
            "--show-claims",
            "--format",
            format
        )
        for text in Self.personal { #expect(run.output.contains(text)) }
        #expect(run.output.contains("user_birthday: not a date in one of Facebook's formats"))
    }

    @Test func `the JSON profile has the names of the vector format`() throws {
        let workspace = try Workspace()
        let run = try workspace.verify(
            Self.token(workspace.issuer),
            nonce: ["--nonce", "n-1-secret"],
            "--show-claims",
            "--format",
            "json"
        )
        let profile = try #require(try run.json()["profile"] as? [String: Any])
        #expect(profile.keys.sorted() == ["email", "isLimited", "name", "refreshDate", "userID"])
        var texts = profile.compactMapValues { $0 as? String }
        #expect(texts.removeValue(forKey: "refreshDate")?.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/) != nil)
        #expect(texts == ["userID": "1000000000000001", "name": "Zaphod", "email": "zaphod@example.com"])
    }

    @Test(.rule("T-182"), arguments: ["verify", "inspect"], ["text", "json"])
    func `control characters and bidirectional controls of a token are escaped`(command: String, format: String) throws
    {
        let workspace = try Workspace()
        let hostile = "\u{202E}\u{7}\u{9B}x\u{85}\u{7F}\u{2028}\u{E0041}"
        let token = workspace.issuer.token(nonce: "n-1") { token in
            token.claims["na\u{1B}[2Jme"] = .string(hostile)
            token.claims["name"] = .string(hostile)
            token.header["x" + hostile] = .string(hostile)
        }
        let file = try workspace.write(token, "token.jwt").path()
        let options = command == "verify" ? workspace.options + ["--nonce", "n-1", "--explain"] : []
        let run = try CommandLineRun([command, file, "--show-claims", "--format", format] + options)
        #expect(run.status == 0)
        #expect(run.output.unicodeScalars.allSatisfy { $0 == "\n" || !Self.isObeyed($0) })
        if format == "json" {
            let claims = try #require(try run.json()["claims"] as? [String: Any])
            #expect(claims["name"] as? String == hostile)
        }
    }

    private static func isObeyed(_ scalar: Unicode.Scalar) -> Bool {
        [.control, .format, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
    }

    @Test func `an unchecked nonce is stated in the verdict`() throws {
        let workspace = try Workspace()
        let run = try workspace.verify(workspace.issuer.token(), nonce: ["--nonce-unchecked", "old app"])
        #expect(run.status == 0)
        #expect(run.output.contains(", NONCE NOT CHECKED: \"old app\"\n"))
    }

    @Test(.rule("T-147"))
    func `a refusal shows neither the token nor its nonce`() throws {
        let workspace = try Workspace()
        let token = Self.token(workspace.issuer)
        let run = try workspace.verify(token, nonce: ["--nonce", "another-secret"], "--explain")
        #expect(run.status == 1)
        for text in Self.personal + ["another-secret"] + token.split(separator: ".").map(String.init) {
            #expect(!run.output.contains(text))
        }
    }
}
#endif
