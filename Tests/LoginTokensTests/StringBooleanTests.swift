// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// Boolean claims, and the providers that write them as strings.
@Suite struct StringBooleanTests {
    private func read(_ claim: String, _ value: TestJSON?, from provider: Provider) throws -> Bool? {
        let bench = try Bench(issuer: TestIssuer(provider: provider))
        return try bench.verify { $0.claims[claim] = value }.boolean(claim)
    }

    private static let apple = Provider.apple
    private static let others = [
        Provider.google, .facebook, .openID(issuers: ["https://appleid.apple.com"]),
        Provider(
            name: "apple",
            issuers: ["https://appleid.apple.com"],
            stringBooleans: ["email_verifie", "is_private_emai"]
        ),
    ]

    @Test(.rule("T-142"), arguments: [true, false])
    func `true and false are read from every provider and in every claim`(value: Bool) throws {
        for provider in [Self.apple] + Self.others {
            for claim in ["email_verified", "is_private_email", "anything"] {
                #expect(try read(claim, .boolean(value), from: provider) == value)
            }
        }
    }

    @Test(.rule("T-142"), arguments: ["email_verified", "phone_number_verified"], [("true", true), ("false", false)])
    func `the strings true and false are read in the verification claims of every provider`(
        claim: String,
        value: (String, Bool)
    ) throws {
        for provider in [Self.apple] + Self.others {
            #expect(try read(claim, .string(value.0), from: provider) == value.1)
        }
    }

    @Test(.rule("T-142"), arguments: [("true", true), ("false", false)])
    func `the strings true and false state a private address only at Apple`(value: (String, Bool)) throws {
        #expect(try read("is_private_email", .string(value.0), from: Self.apple) == value.1)
        for provider in Self.others { #expect(try read("is_private_email", .string(value.0), from: provider) == nil) }
    }

    @Test(.rule("T-142"), arguments: ["nonce_supported", "Email_verified", "email_verified ", "active"])
    func `the strings true and false are Booleans in no other claim`(claim: String) throws {
        #expect(try read(claim, "true", from: Self.apple) == nil)
        #expect(try read(claim, true, from: Self.apple) == true)
    }

    @Test(
        .rule("T-142"),
        arguments: [
            "True", "TRUE", "False", "yes", "no", "1", "0", "", "null", " true", "true ", "true\0", "tru", "truee",
            "\u{FF54}rue", 1, 0, .null, [true], ["true"], ["true": true], .number("1.0"),
        ] as [TestJSON]
    )
    func `no other value is a Boolean`(value: TestJSON) throws {
        for provider in [Self.apple] + Self.others { #expect(try read("email_verified", value, from: provider) == nil) }
    }

    @Test(.rule("T-142"))
    func `an absent claim is neither true nor false`() throws {
        #expect(try read("email_verified", nil, from: Self.apple) == nil)
        let token = try Bench().verify()
        #expect(token.boolean("email_verified") == nil && token.boolean("") == nil)
    }

    @Test(.rule("T-142"))
    func `any provider can declare claims with Boolean strings`() throws {
        let provider = Provider(name: "p", issuers: ["https://p.example"], stringBooleans: ["is_employee"])
        #expect(try read("is_employee", "true", from: provider) == true)
        #expect(try read("is_private_email", "true", from: provider) == nil)
    }
}
