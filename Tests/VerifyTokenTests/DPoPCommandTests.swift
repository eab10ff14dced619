// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import Foundation
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

private let request = ["--method", "GET", "--url", "https://api.example/orders?page=2"]
private let time = ["--at", "1760000000"]

/// `verify-token dpop make`.
@Suite struct MakeProofCommandTests {
    /// Makes a proof with a new key, in the file `key.pem`.
    private func make(_ workspace: borrowing Workspace, _ further: [String] = []) throws -> CommandLineRun {
        try CommandLineRun(["dpop", "make", "--new-key", workspace.path("key.pem")] + request + time + further)
    }

    private func again(_ workspace: borrowing Workspace, _ further: [String] = []) throws -> CommandLineRun {
        try CommandLineRun(["dpop", "make", "--key", workspace.path("key.pem")] + request + time + further)
    }

    private func check(_ proof: String, _ workspace: borrowing Workspace, _ further: [String]) throws -> CommandLineRun
    {
        let file = try workspace.write(proof, "proof").path()
        return try CommandLineRun(["dpop", "check", file] + request + time + further)
    }

    @Test(arguments: ["ES256", "ES384", "ES512", "EdDSA", "Ed25519", "RS256", "PS256"])
    func `a proof by a new key and one by the stored key pass the check, with the same thumbprint`(
        algorithm: String
    ) throws {
        let workspace = try Workspace()
        let options = ["--algorithm", algorithm, "--format", "json"]
        let (first, second) = (try make(workspace, options), try again(workspace, options))
        #expect(first.status == 0 && second.status == 0, "\(first.errors)\(second.errors)")
        let made = [try first.json(), try second.json()]
        #expect(made[0]["keyThumbprint"] as? String == made[1]["keyThumbprint"] as? String)
        #expect(made[0]["proof"] as? String != made[1]["proof"] as? String)
        for each in made {
            let proof = try #require(each["proof"] as? String)
            let checked = try check(proof, workspace, options)
            #expect(checked.status == 0)
            let facts = try checked.json()["proof"] as? [String: Any]
            #expect(facts?["keyThumbprint"] as? String == each["keyThumbprint"] as? String)
            #expect(facts?["algorithm"] as? String == algorithm)
        }
    }

    @Test func `the text output is only the proof, for the URL without its query`() throws {
        let workspace = try Workspace()
        let run = try make(workspace)
        #expect(run.status == 0 && run.errors == "")
        let proof = try UnverifiedToken(inspecting: String(run.output.dropLast()))
        #expect(proof.claims["htu"]?.string == "https://api.example/orders")
        #expect(proof.claims["htm"]?.string == "GET" && proof.claims["iat"]?.integer == 1_760_000_000)
        #expect(proof.claims.names.count == 4)
        // A private member would publish the key.
        #expect(proof.header["jwk"]?["d"] == nil)
    }

    @Test func `the proof contains the hash of the access token and the nonce of the server`() throws {
        let workspace = try Workspace()
        let token = try workspace.write("opaque-access-token\n", "token").path()
        let options = ["--access-token-file", token, "--nonce", "n-1"]
        let proof = String(try make(workspace, options).output.dropLast())
        #expect(try check(proof, workspace, options).status == 0)
        #expect(try check(proof, workspace, ["--nonce", "n-2"]).status == 1)
    }

    @Test func `a new key is private, and no existing file is overwritten`() throws {
        let workspace = try Workspace()
        #expect(try make(workspace).status == 0)
        let file = workspace.path("key.pem")
        let attributes = try FileManager.default.attributesOfItem(atPath: file)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let content = try String(contentsOfFile: file, encoding: .utf8)
        #expect(content.hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
        let second = try make(workspace)
        #expect(second.status == 64 && second.output == "" && second.errors.contains("already exists"))
        #expect(try String(contentsOfFile: file, encoding: .utf8) == content)
    }

    @Test func `no key is stored if no proof can be made`() throws {
        let workspace = try Workspace()
        for url in ["/orders", "ftp://api.example/", "https://api.example/%zz"] {
            let run = try CommandLineRun(
                ["dpop", "make", "--new-key", workspace.path("key.pem"), "--method", "GET", "--url", url]
            )
            #expect(run.status == 64 && run.output == "" && run.errors.contains("--url: "), "\(run.errors)")
            #expect(!FileManager.default.fileExists(atPath: workspace.path("key.pem")))
        }
    }

    @Test(arguments: [
        ("", "0 private keys"), ("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n", "0 private keys"),
        ("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", "malformed"),
        ("-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n", "openssl pkey"),
    ])
    func `a file without a usable private key is refused with the reason`(pem: String, words: String) throws {
        let workspace = try Workspace()
        try workspace.write(pem, "key.pem")
        let run = try again(workspace)
        #expect(run.status == 2 && run.output == "" && run.errors.contains(words), "\(run.errors)")
    }

    @Test(
        arguments: [
            ["--key", "a", "--new-key", "b"], ["--new-key", ""], ["--new-key", "b", "--nonce", ""],
            ["--new-key", "b", "--algorithm", "HS256"], ["--key", "missing"],
        ]
    )
    func `contradictory and impossible values are usage errors`(options: [String]) throws {
        let run = try CommandLineRun(["dpop", "make"] + request + options)
        #expect(run.status == 64 && run.output == "")
    }

    @Test func `an algorithm of another type of key is a usage error`() throws {
        let workspace = try Workspace()
        #expect(try make(workspace).status == 0)
        let run = try again(workspace, ["--algorithm", "PS256"])
        #expect(run.status == 64 && run.errors.contains("the key can sign with ES256, not with PS256"))
    }
}

/// `verify-token dpop check`.
@Suite struct CheckProofCommandTests {
    private let prover = TestProver()
    private let url = "https://api.example/orders"

    private func check(_ proof: String, token: String? = nil, _ further: String...) throws -> CommandLineRun {
        let workspace = try Workspace()
        let file = try workspace.write(proof + "\n", "proof").path()
        var options = ["dpop", "check", file, "--format", "json"] + request + time + further
        if let token { options += ["--access-token-file", try workspace.write(token + "\n", "token").path()] }
        return try CommandLineRun(options)
    }

    @Test func `a valid proof ends with status 0, and the report names the request and the key`() throws {
        let workspace = try Workspace()
        let file = try workspace.write(prover.proof(method: "GET", url: url), "proof").path()
        let run = try CommandLineRun(["dpop", "check", file] + request + time)
        #expect(run.status == 0 && run.errors == "")
        #expect(run.output.hasPrefix("verified: DPoP proof for \"GET\" \"https://api.example/orders\"\n"))
        #expect(run.output.contains("\n  key thumbprint     \(prover.keyThumbprint)\n"))
        #expect(run.output.contains("\n  access token       none was given\n"))
    }

    @Test func `an explained report lists every check of a proof`() throws {
        let run = try check(prover.proof(method: "GET", url: url), "--explain")
        let checks = try #require(try run.json()["checks"] as? [[String: String]])
        #expect(checks.map { $0["check"] } == Check.inProofOrder.map(\.rawValue))
    }

    @Test func `a proof for another request is refused with its code`() throws {
        for (proof, code) in [
            (prover.proof(method: "get", url: url), "proof-method"),
            (prover.proof(method: "GET", url: "https://api.example/"), "proof-url"),
            (prover.proof(method: "GET", url: url) { $0.signing = .bytes([1]) }, "proof-signature"),
            (prover.proof(method: "GET", url: url) { $0.header["typ"] = "JWT" }, "proof-type"),
            ("proof", "proof-malformed"),
        ] {
            let run = try check(proof)
            #expect(run.status == 1)
            #expect(try run.code() == code)
            #expect(try run.json()["publicMessage"] is String)
        }
    }

    @Test func `an old proof is refused with a hint, and accepted with a greater maximum age`() throws {
        let proof = prover.proof(method: "GET", url: url) { $0.claims["iat"] = 1_759_999_900 }
        let run = try check(proof)
        #expect(try run.code() == "proof-too-old")
        let hints = try run.json()["hints"] as? [String]
        #expect(hints?.first?.contains("--at") == true)
        #expect(try check(proof, "--max-age", "101").status == 0)
        #expect(try check(proof, "--max-age", "301").status == 64)
    }

    @Test func `a proof ahead of the clock is refused with a hint, and accepted with a greater leeway`() throws {
        let proof = prover.proof(method: "GET", url: url) { $0.claims["iat"] = 1_760_000_031 }
        let run = try check(proof)
        #expect(try run.code() == "proof-in-future")
        let hints = try run.json()["hints"] as? [String]
        #expect(hints?.first?.contains("--leeway of dpop check") == true)
        #expect(try check(proof, "--leeway", "31").status == 0)
        for seconds in ["-1", "61"] { #expect(try check(proof, "--leeway", seconds).status == 64) }
    }

    @Test func `the nonce is compared if it is given`() throws {
        let with = prover.proof(method: "GET", url: url, nonce: "nonce-one")
        #expect(try check(with).status == 0)
        #expect(try check(with, "--nonce", "nonce-one").status == 0)
        for proof in [with, prover.proof(method: "GET", url: url)] {
            let run = try check(proof, "--nonce", "nonce-two")
            #expect(run.status == 1)
            #expect(try run.code() == "proof-nonce")
            let checks = try #require(try run.json()["checks"] as? [[String: String]])
            #expect(checks.filter { $0["outcome"] == "fail" }.map { $0["check"] } == ["nonce"])
            #expect(!run.output.contains("nonce-one") && !run.output.contains("nonce-two"))
        }
    }

    @Test func `the hash of an opaque access token is compared`() throws {
        let proof = prover.proof(method: "GET", url: url, token: "opaque-1")
        let run = try check(proof, token: "opaque-1")
        #expect(run.status == 0)
        let facts = try run.json()["proof"] as? [String: Any]
        #expect(facts?["accessToken"] as? String == "opaque")
        #expect(try check(proof, token: "opaque-2").code() == "proof-token-hash")
        #expect(try check(prover.proof(method: "GET", url: url), token: "opaque-1").code() == "proof-token-hash")
    }

    @Test func `an access token in JWT form must be bound to the key of the proof`() throws {
        let issuer = TestIssuer()
        let bound = issuer.accessToken { $0.claims["cnf"] = prover.confirmation }
        let run = try check(prover.proof(method: "GET", url: url, token: bound), token: bound)
        #expect(run.status == 0)
        let facts = try run.json()["proof"] as? [String: Any]
        #expect(facts?["accessToken"] as? String == "unverified")
        let unbound = issuer.accessToken()
        let refused = try check(prover.proof(method: "GET", url: url, token: unbound), token: unbound)
        #expect(try refused.code() == "proof-binding")
    }

    @Test func `a proof sent as a token is recognized, and the command for it is named`() throws {
        let workspace = try Workspace()
        let file = try workspace.write(prover.proof(method: "GET", url: url), "proof").path()
        let run = try CommandLineRun(["inspect", file])
        #expect(run.output.contains("\nnote: verify-token dpop check verifies it\n"))
    }
}
#endif
