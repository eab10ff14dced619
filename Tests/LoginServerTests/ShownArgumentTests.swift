// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
internal import Testing

@testable import LoginServer

/// The arguments that messages of the command show.
@Suite struct ShownArgumentTests {
    @Test func `an argument that contains a token is withheld`() {
        let token = TestIssuer().token()
        let arguments = [
            token, "Bearer \(token)", "bearer abc", "authorization: x", "./\(token).jwt", "/tmp/\(token)",
            "\"\(token)\"",
            #"{"id_token":"\#(token)","token_type":"Bearer"}"#, #"{ "id_token" : "x" }"#, "id_token=x",
            "https://app.example/#id_token=\(token)", "https://app.example/?access_token=1",
            String(token.prefix(20)), String(token.prefix(300)), " \(token)\n", "x\n\(token)",
        ]
        for argument in arguments {
            let shown = ShownArgument(argument)
            #expect(shown.isWithheld && shown.description == ShownArgument.placeholder, "\(argument.prefix(24))")
        }
    }

    @Test(arguments: [
        // A Facebook access token, a Google access token, a session token, 256 bits in Base64 and an app secret.
        "EAAGm0PX4ZCpsBO7ZBk2LhJ9vQ3rTn5xYw8uKc1dMfEaRgHs",
        "ya29.a0AfH6SMBx7Qz3kLmN9pRtVwXy2bCdEf4GhJk",
        "lls_1_q8Zt0WmXy7Lr4Vn2Bc9KdHs6Jf3Gp5TaQeUiOoPzRx",
        "Zk3-9xQ_7LmT4vWb2RsY8nC1pHdE6gJfKaUo5iXtMqA",
        "0123456789abcdef0123456789abcdef", "0123456789ABCDEF0123456789ABCDEF",
        "postgresql://user:hunter2@127.0.0.1:1/db", "https://user:hunter2@login.example.com/",
        "postgresql:host=db password=hunter2", "postgresql://user:12345678@db/x",
        "z9UQausuiEM+IydOqQOb7MAqNZeGrOH/ccpLP6mEfBQ=",
        "GOCSPX-hunter2secretpw", "lle_" + String(repeating: "a", count: 43), "HIOMGXXAZ2QK7MFRGEZDGNBVGY3TQOJQ",
        String(repeating: "a", count: 256),
    ])
    func `an argument that contains another secret, or is too long, is withheld`(argument: String) {
        #expect(ShownArgument(argument).isWithheld)
    }

    @Test(arguments: [
        "", "-", "token.jwt", "id_token", "id_token.txt", "access-token.json", "eyJ.txt", "bearer.txt", "[draft].jwt",
        "Tokens From Support/Customer-2026-11-23-MyVeryLongTokenFileName2.jwt",
        "/var/folders/zz/zyxvpxvq6csfxvn_n0000000000000/T/9F8E7D6C-1B2A-4C3D-8E7F-0A1B2C3D4E5F",
        "123e4567-e89b-12d3-a456-426614174000", "/nix/store/7vx5z9hkq3lw2r8mcnj4bd1fsy0gap6i-keys/keys.json",
        "2026-11-23T07-45-27Z-TokenOfTheCustomerFromSupport", "VectorsOfTheThirdGeneratorRun20261123",
        "/etc/limited-login/accounts.keys", "postgresql", "https://login.example.com:8443/a@b", "llm_notes.txt",
        "TestVectors/attacks.json",
    ])
    func `a name or address without a secret is shown unchanged`(argument: String) {
        let shown = ShownArgument(argument)
        #expect(!shown.isWithheld && shown.description == "\"\(argument)\"")
    }

    @Test func `tokens in a message are withheld, and the rest of it is unchanged`() {
        let token = TestIssuer().token()
        let messages = [
            ("unknown key %; did you mean tweaks?", true), ("https://issuer.example/%: no answer", true),
            ("provider.%.kind is required", true), ("%", true), ("", false),
            ("é % é\n\"%\"", true),
        ]
        for (message, hasToken) in messages {
            let shown = ShownArgument.withholdingTokens(in: message.replacing("%", with: token))
            #expect(!shown.contains("eyJ"), "\(message)")
            #expect(shown.contains(ShownArgument.placeholder) == hasToken, "\(message)")
        }
        let plain = "cannot read \"/tmp/2026-11-23-token.jwt\": https://login.example.com:8443/keys (é)\n"
        #expect(ShownArgument.withholdingTokens(in: plain) == plain)
        #expect(
            ShownArgument.withholdingTokens(in: "https://issuer.example/\(token)?")
                == "https://issuer.example/\(ShownArgument.placeholder)?"
        )
    }

    @Test(arguments: [
        "cannot open postgresql://user:hunter2@127.0.0.1:1/db: refused",
        "https://user:hunter/2@login.example.com/ is none",
        "no database postgresql:host=db password=hunter2",
    ])
    func `passwords in the addresses of a message are withheld`(message: String) {
        #expect(!ShownArgument.withholdingTokens(in: message).contains("hunter"))
    }

    @Test func `a name that looks random is withheld, but does not count as a token`() {
        let name = "0123456789abcdef0123456789abcdef"
        #expect(ShownArgument(name).isWithheld && !ShownArgument(name).hasToken)
        #expect(ShownArgument(TestIssuer().token()).hasToken)
    }

    @Test func `an argument of 255 characters is shown truncated, with its length`() {
        let shown = ShownArgument(String(repeating: "x", count: 255))
        #expect(!shown.isWithheld && shown.description.hasSuffix("of 255 characters"))
    }
}
