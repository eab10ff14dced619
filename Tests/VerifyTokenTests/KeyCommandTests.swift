// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import Foundation
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// Public keys in PEM form: for `--keys`, and converted.
@Suite struct KeyCommandTests {
    @Test(arguments: [SignatureAlgorithm.rs256, .es256, .es384, .es512, .edDSA])
    func `a key set converted to PEM and back has the same key`(algorithm: SignatureAlgorithm) throws {
        let workspace = try Workspace()
        let key = TestKey(algorithm)
        let set = try workspace.write((["keys": [key.json]] as TestJSON).text, "set.json").path()
        let pem = try CommandLineRun(["key", "convert", set])
        #expect(pem.status == 0 && pem.output.hasPrefix("-----BEGIN PUBLIC KEY-----\n"))
        let file = try workspace.write(pem.output, "public.pem").path()
        let back = try CommandLineRun(["key", "convert", file, "--key-id", "key-1"])
        let keys = try JSONWebKeySet(json: Array(back.outputBytes), allowPublishedTestKeys: true)
        let thumbprint = try key.publicKey().thumbprint
        #expect(back.status == 0 && keys.keys.map(\.thumbprint) == [thumbprint])
        #expect(keys.keys.map(\.keyID) == ["key-1"])
        let listed = try CommandLineRun(["keys", "--keys", file])
        #expect(listed.status == 0 && listed.output.contains("usable  no ID"))
    }

    @Test func `a key in an unusual spelling is converted to the same PEM`() throws {
        let workspace = try Workspace()
        var key = TestKey.shared.json
        let pem = try CommandLineRun(["key", "convert", workspace.write(key.text, "key.json").path()]).output
        key["e"] = "AAEAAQ==\n"
        let file = try workspace.write("\u{FEFF}" + key.text, "spelled.json").path()
        let run = try CommandLineRun(["key", "convert", file])
        #expect(run.status == 0 && run.output == pem)
    }

    @Test func `a PEM key verifies tokens without a key ID, and is not found for tokens with one`() throws {
        let workspace = try Workspace(issuer: TestIssuer())
        let pem = try CommandLineRun(["key", "convert", workspace.path("keys.json")]).output
        let keys = try workspace.write(pem, "public.pem").path()
        let options = [
            "--issuer", "https://issuer.example", "--audience", "client-1", "--nonce-absent", "--at", "1760000000",
        ]
        for (name, status) in [(nil, 0), (TestJSON.string("other"), 1)] as [(TestJSON?, Int32)] {
            let token = try workspace.write(workspace.issuer.token { $0.header["kid"] = name }, "token.jwt").path()
            let run = try CommandLineRun(["verify", token, "--keys", keys] + options)
            #expect(run.status == status)
            #expect(run.output.contains("hint: a key in PEM form has no ID") == (status == 1))
        }
    }

    @Test(arguments: [
        ("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", "private key"),
        ("-----BEGIN RSA PUBLIC KEY-----\nAAAA\n-----END RSA PUBLIC KEY-----\n", "openssl rsa -RSAPublicKey_in"),
        ("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n", "malformed"),
        ("-----BEGIN PUBLIC KEY-----\nAAAA\n", "it has 0 complete PEM blocks"),
        ("-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----\n", "not a public key"),
    ])
    func `input without a public key is refused with the reason`(pem: String, words: String) throws {
        let workspace = try Workspace()
        let file = try workspace.write(pem, "key.pem").path()
        let converted = try CommandLineRun(["key", "convert", file])
        #expect(converted.status == 2 && converted.output == "" && converted.errors.contains(words))
        let listed = try CommandLineRun(["keys", "--keys", file])
        #expect(listed.status == 2 && listed.output.contains(words))
    }

    @Test func `a private key in JSON is not converted, and one of several keys must be selected`() throws {
        let workspace = try Workspace()
        var leaked = TestKey.shared.json
        leaked["d"] = "AQAB"
        let leakedFile = try workspace.write(leaked.text, "leaked.json").path()
        let run = try CommandLineRun(["key", "convert", leakedFile])
        #expect(run.status == 2 && run.output == "" && run.errors.contains("private-key"))
        let set = try workspace.write(
            (["keys": [TestKey.shared.json, TestKey(.es256).json]] as TestJSON).text,
            "set.json"
        ).path()
        #expect(try CommandLineRun(["key", "convert", set]).errors.contains("2 keys match; select one with --key-id"))
        #expect(try CommandLineRun(["key", "convert", set, "--key-id", TestKey.shared.keyID]).status == 0)
    }
}
#endif
