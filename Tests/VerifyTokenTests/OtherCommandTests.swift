// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import Foundation
internal import LimitedLoginTesting
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// `verify-token inspect`.
@Suite struct InspectCommandTests {
    @Test func `the content of a token is marked as unverified`() throws {
        let workspace = try Workspace()
        let token = workspace.issuer.token(nonce: "n-1") { $0.signing = .bytes([1]) }
        let run = try CommandLineRun(["inspect", try workspace.write(token, "token.jwt").path()])
        #expect(run.status == 0)
        #expect(run.output.hasPrefix("UNVERIFIED: "))
        #expect(run.output.contains("\n  alg                \"RS256\"\n"))
        #expect(!run.output.contains("1000000000000001"))
    }

    @Test func `subject and times of a token are shown, and long claim names are complete`() throws {
        let workspace = try Workspace()
        let token = workspace.issuer.token { $0.claims["https://example.com/claims/role"] = "admin" }
        let run = try CommandLineRun(["inspect", try workspace.write(token, "token.jwt").path()])
        #expect(run.output.contains("claims to be from \"https://www.facebook.com\", for \"1234567890\"\n"))
        #expect(run.output.contains("issued 2025-10-09T08:52:20Z\nexpires 2025-10-09T09:52:20Z\n"))
        #expect(run.output.contains("https://example.com/claims/role string"))
    }

    @Test(arguments: ["text", "json"])
    func `the values of claims and keys in the header are not shown`(format: String) throws {
        let workspace = try Workspace()
        let token = workspace.issuer.token { token in
            token.header["email"] = "ada@private.example"
            token.header["nonce"] = "secret-nonce"
            token.header["jwk"] = ["d": "secret-half"]
        }
        let file = try workspace.write(token, "token.jwt").path()
        let run = try CommandLineRun(["inspect", file, "--format", format])
        #expect(run.status == 0)
        for text in ["ada@private", "secret-nonce", "secret-half"] { #expect(!run.output.contains(text)) }
        #expect(run.output.contains(workspace.issuer.key.keyID))
        let all = try CommandLineRun(["inspect", file, "--format", format, "--show-claims"])
        #expect(all.output.contains("secret-half"))
    }

    @Test func `claims are shown on request`() throws {
        let workspace = try Workspace()
        let file = try workspace.write(workspace.issuer.token(nonce: "n-1"), "token.jwt")
        let run = try CommandLineRun(["inspect", file.path(), "--show-claims", "--format", "json"])
        let claims = try #require(try run.json()["claims"] as? [String: Any])
        #expect(claims["sub"] as? String == "1000000000000001")
        #expect(try run.json()["verified"] as? Bool == false)
    }

    @Test(
        arguments: [
            ("EAABsbCS1iHgBAKZC", "facebook-access-token"), ("ya29.a0AfB_byC", "google-access-token"),
            ("Bearer eyJ.x.y", "authorization-header"),
            ("{\"id_token\":\"x\"}", "json"), ("https://localhost/#id_token=x", "url"), ("\"eyJ.x.y\"", "quoted-token"),
            ("a.b.c.d.e", "encrypted-token"), ("-----BEGIN PUBLIC KEY-----", "pem"), ("", "empty"),
        ]
    )
    func `other input in place of a token is recognized by its kind`(text: String, name: String) throws {
        let workspace = try Workspace()
        let run = try CommandLineRun(["inspect", "--format", "json"], input: try workspace.write(text, "input"))
        #expect(run.status == 1)
        #expect(try run.json()["recognizedAs"] as? String == name)
        #expect(try run.json()["notes"] as? [String] == [])
    }

    @Test func `the command for a signed request is named`() throws {
        let workspace = try Workspace()
        let file = try workspace.write(FacebookStandIn().signedRequest(), "request.txt").path()
        let hint = "verify-token signed-request verifies it"
        #expect(try CommandLineRun(["inspect", file]).output.hasSuffix("\nnote: \(hint)\n"))
        let json = try CommandLineRun(["inspect", file, "--format", "json"]).json()
        #expect(json["recognizedAs"] as? String == "signed-request" && json["notes"] as? [String] == [hint])
        // The explanation for a client does not mention the command.
        #expect(!RecognizedInput.signedRequest.explanation.contains("verify-token"))
    }
}

/// `verify-token vectors`.
@Suite struct VectorsCommandTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "../../TestVectors"
    )

    @Test func `all test vectors of the project pass`() throws {
        let run = try CommandLineRun(["vectors", Self.folder.path()])
        #expect(run.status == 0)
        let summary = try #require(run.output.split(separator: "\n").last)
        let passed = try #require(Int(summary.prefix { $0.isNumber }))
        #expect(passed >= 1000)
        #expect(summary == "\(passed) passed, 0 failed")
    }

    @Test func `a vector with another result is printed and ends with status 1`() throws {
        let workspace = try Workspace()
        let text = try String(contentsOf: Self.folder.appending(path: "json.json"), encoding: .utf8)
        let first = try #require(text.range(of: "\"result\": \"accepted\""))
        let file = try workspace.write(text.replacingCharacters(in: first, with: "\"result\": \"refused\""), "v.json")
        let run = try CommandLineRun(["vectors", file.path()])
        #expect(run.status == 1)
        #expect(run.output.contains("accepted, expected a refusal"))
        #expect(run.output.hasSuffix(" passed, 1 failed\n"))
    }

    @Test func `a directory can be named by a symbolic link`() throws {
        let workspace = try Workspace()
        let link = workspace.folder.appending(path: "link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: Self.folder.standardizedFileURL)
        #expect(try CommandLineRun(["vectors", link.path()]).output.contains("/json.json: "))
    }

    @Test(arguments: ["broken.json", "emptyfolder"])
    func `unusable vector files end with status 2`(name: String) throws {
        let workspace = try Workspace()
        try workspace.write("{\"format\":\"another\",\"generator\":\"\",\"groups\":[]}", "broken.json")
        try FileManager.default.createDirectory(
            at: workspace.folder.appending(path: "emptyfolder"),
            withIntermediateDirectories: false
        )
        let run = try CommandLineRun(["vectors", workspace.path(name)])
        #expect(run.status == 2)
        #expect(run.errors.hasPrefix("verify-token: "))
    }
}

/// `verify-token sample`.
@Suite struct SampleCommandTests {
    private static let algorithms = [nil] + SignatureAlgorithm.allCases.map(Optional.some)

    @Test(arguments: algorithms)
    func `the valid sample token is verified and each of the others is refused`(algorithm: SignatureAlgorithm?) throws {
        let workspace = try Workspace()
        let option = algorithm.map { ["--algorithm", $0.rawValue] } ?? []
        let made = try CommandLineRun(["sample", workspace.path("sample")] + option)
        #expect(made.status == 0)
        let nonce = try #require(made.output.split(separator: "--nonce ").dropFirst().first?.prefix { $0 != " " })
        // The output shows how to run the command, only with options that differ from the defaults.
        #expect(made.output.contains("--algorithm") == ![nil, .rs256].contains(algorithm))
        let expected = [
            "good": nil, "expired": "expired", "another-app": "audience", "another-key": "signature",
            "no-subject": "missing-claim",
        ]
        let options = [
            "--issuer", "https://sample.invalid", "--audience", "sample-app", "--nonce", String(nonce), "--keys",
            workspace.path("sample/keys.json"), "--format", "json",
        ]
        for (name, code) in expected {
            let run = try CommandLineRun([workspace.path("sample/\(name).jwt")] + options + option)
            #expect(try run.json()["code"] as? String == code)
        }
        let other = algorithm == .es256 ? "ES384" : "ES256"
        let run = try CommandLineRun([workspace.path("sample/good.jwt")] + options + ["--algorithm", other])
        #expect(try run.json()["code"] as? String == "algorithm")
    }

    @Test(arguments: algorithms)
    func `the valid access tokens of a sample are verified and each of the others is refused`(
        algorithm: SignatureAlgorithm?
    ) throws {
        let workspace = try Workspace()
        let option = algorithm.map { ["--algorithm", $0.rawValue] } ?? []
        #expect(try CommandLineRun(["sample", workspace.path("sample")] + option).status == 0)
        let options = [
            "--issuer", "https://sample.invalid", "--audience", "https://api.sample.invalid", "--scope", "orders:read",
            "--keys", workspace.path("sample/keys.json"), "--format", "json",
        ]
        let expected = [
            "access": nil, "access-expired": "expired", "access-another-api": "audience",
            "access-bound": "proof-required", "good": "token-type",
        ]
        for (name, code) in expected {
            let run = try CommandLineRun(["access", workspace.path("sample/\(name).jwt")] + options + option)
            #expect(try run.code() == code, "\(name)")
        }
    }

    @Test(arguments: ["none", "HS256", "es256", ""])
    func `a sample of an unsupported algorithm is refused`(name: String) throws {
        let workspace = try Workspace()
        #expect(try CommandLineRun(["sample", workspace.path("sample"), "--algorithm", name]).status == 64)
        #expect(!FileManager.default.fileExists(atPath: workspace.path("sample")))
    }

    @Test(arguments: ["sample", "it's a \"sample\" $HOME", "-sample", "~", "échantillon/"])
    func `the printed commands can be run as they are`(name: String) throws {
        let workspace = try Workspace()
        let made = try CommandLineRun(["sample", workspace.folder.path() + "/" + name])
        let commands = made.output.split(separator: "\n").filter { $0.hasPrefix("  ") }
        let statuses = try commands.map { command in
            try CommandLineRun(["-c", String(command)], program: URL(filePath: "/bin/sh")).status
        }
        #expect(statuses == [0, 1, 0, 1, 0, 0, 0, 0])
        #expect(!made.output.contains("//good.jwt"))
    }

    @Test func `a path is quoted as a whole, and only if necessary`() throws {
        let workspace = try Workspace()
        let plain = try CommandLineRun(["sample", workspace.path("sample")]).output
        #expect(plain.contains(" inspect \(workspace.path("sample"))/good.jwt\n"))
        let spaced = try CommandLineRun(["sample", workspace.folder.path() + "/a sample"]).output
        #expect(spaced.contains(" inspect '\(workspace.folder.path())/a sample/good.jwt'\n"))
    }

    @Test func `a directory whose name begins with a hyphen is not printed as an option`() throws {
        let workspace = try Workspace()
        let script = "cd '\(workspace.folder.path())' && exec '\(CommandLineRun.executable.path())' sample -- -made"
        let made = try CommandLineRun(["-c", script], program: URL(filePath: "/bin/sh"))
        #expect(made.status == 0)
        #expect(made.output.contains(" inspect ./-made/good.jwt\n"))
    }

    @Test func `an existing file is not overwritten`() throws {
        let workspace = try Workspace()
        let run = try CommandLineRun(["sample", workspace.folder.path()])
        #expect(run.status == 64)
        #expect(
            try String(contentsOf: workspace.folder.appending(path: "keys.json"), encoding: .utf8)
                == workspace.issuer.keySet.text
        )
    }
}
#endif
