// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import LimitedLoginTesting
internal import LoginTesting
internal import LoginTokens
internal import Testing

/// Vector files with one vector of each kind, valid until a test changes them.
struct VectorBench {
    static let kinds = ["id-token", "jws", "signature", "key", "json", "access-token", "dpop", "secret"]

    let issuer = TestIssuer.facebook()
    let authorizationServer = TestIssuer(audience: "https://api.example")
    let prover = TestProver()

    /// A token with the claims that `test` expects.
    var token: String {
        issuer.token(nonce: "n-1") {
            $0.claims["name"] = "Ada"
            $0.claims["email"] = 5
        }
    }

    /// An access token with the claims that `test` expects.
    var accessToken: String {
        authorizationServer.token {
            $0.header["typ"] = "at+jwt"
            $0.claims["jti"] = "token-1"
            $0.claims["client_id"] = "client-1"
            $0.claims["scope"] = "write read"
        }
    }

    /// A proof for the request of `test`, with another ID each time.
    var proof: String { prover.proof(method: "GET", url: "https://api.example/", token: "access-token-1") }

    /// Returns the result of a valid input of this kind.
    static func accepted(_ kind: String) -> TestJSON {
        switch kind {
        case "key", "secret": "usable"
        case "json": "accepted"
        default: "verified"
        }
    }

    static func refused(_ kind: String) -> TestJSON {
        kind == "key" || kind == "secret" ? "unusable" : "refused"
    }

    /// Returns a valid test of this kind.
    func test(_ kind: String) -> TestJSON {
        var test: TestJSON = ["id": "test-1", "comment": "why", "result": Self.accepted(kind)]
        switch kind {
        case "id-token":
            test["token"] = .string(token)
            test["claims"] = ["name": "Ada"]
            test["profile"] = ["name": "Ada", "email": .null]
            test["notes"] = ["email"]
        case "jws":
            test["token"] = .string(token)
        case "signature":
            test["message"] = "00ff"
            test["signature"] = .string(hexadecimal(issuer.key.signature(of: [0, 255])))
        case "key":
            test["key"] = issuer.key.json
        case "access-token":
            test["token"] = .string(accessToken)
            test["claims"] = ["jti": "token-1"]
            test["client"] = "client-1"
            test["scopes"] = ["read", "write"]
        case "dpop":
            test["method"] = "GET"
            test["url"] = "https://api.example/"
            test["token"] = "access-token-1"
            test["cnf"] = prover.confirmation
            test["proofs"] = [.string(proof)]
            test["jkt"] = .string(prover.keyThumbprint)
        case "secret":
            test["secret"] = Self.secret
        default:
            test["text"] = "e30="
        }
        return test
    }

    /// Returns a group of this kind with one test.
    func group(_ kind: String, _ change: (inout TestJSON) -> Void = { _ in }) -> TestJSON {
        var test = test(kind)
        change(&test)
        var group: TestJSON = ["name": "group-1", "kind": .string(kind), "tests": [test]]
        if kind != "json" && kind != "secret" { group["policy"] = policy(kind) }
        if !["json", "key", "dpop", "secret"].contains(kind) { group["keys"] = issuer.keySet }
        return group
    }

    func policy(_ kind: String) -> TestJSON {
        let now = TestJSON.number(String(Int(issuer.clock.now.timeIntervalSince1970)))
        switch kind {
        case "id-token":
            return [
                "provider": "facebook", "audiences": [.string(issuer.audience)], "nonce": ["exactly": "n-1"],
                "now": now,
            ]
        case "access-token":
            return ["issuers": ["https://issuer.example"], "audiences": ["https://api.example"], "now": now]
        case "dpop": return ["algorithms": ["ES256"], "maxAge": 60, "now": now]
        default: return ["algorithms": ["RS256"]]
        }
    }

    /// A secret of 32 octets.
    static let secret: TestJSON = ["algorithm": "HS256", "octets": "MzIgb2N0ZXRzIHRoYXQgZXZlcnlib2R5IGNhbiBzZWU"]

    /// Returns a file in the third format, which has all kinds.
    static func file(_ groups: TestJSON...) -> TestJSON {
        ["format": "login-vectors/3", "generator": "a test", "groups": .array(groups)]
    }

    /// Runs the only test of the only group, and returns its failure; nil if the result was as expected.
    static func failure(_ group: TestJSON) async throws -> String? {
        let results = try await VectorFile(json: file(group).text.utf8).run()
        try #require(results.map(\.id) == ["test-1"])
        return results.first?.failure
    }
}
