// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import Foundation
import HTTPTypes
import LoginAccounts
import LoginTesting
import LoginTokens
import TestSupport
import Testing

@testable import LoginHTTP

/// Invalid addresses and passwords, in every request that takes them.
@Suite struct PasswordRefusalTests {
    private static let email = "ada@example.com"

    private func signUp(_ email: String, _ password: String) -> TableRequest {
        TableRequest(path: "/v1/sign-up", body: #"{"email":"\#(email)","password":"\#(password)"}"#)
    }

    private func setPassword(_ password: String, _ email: String? = nil, bearer: String) -> TableRequest {
        let more = email.map { #","email":"\#($0)""# } ?? ""
        return TableRequest(
            method: .put,
            path: "/v1/account/password",
            body: #"{"password":"\#(password)"\#(more)}"#,
            bearer: bearer
        )
    }

    @Test
    func `a sign-up requires a valid, unused address and a password that is not weak`()
        async throws
    {
        try await LoginFixture().run { client in
            for (code, email, password) in [
                (AuthError.Code.invalidEmail, "ada", APIClient.password),
                (.invalidEmail, "ada@localhost", APIClient.password),
                (.weakPassword, Self.email, "1234567"), (.weakPassword, Self.email, "password"),
                (.weakPassword, Self.email, Self.email), (.weakPassword, Self.email, "aaaaaaaaaaaa"),
            ] {
                try await client.refused(code, signUp(email, password))
            }
            try await client.accepted(signUp(Self.email, "1234567x"))
            for email in [Self.email, "ADA@Example.com"] {
                try await client.refused(.emailAlreadyInUse, signUp(email, APIClient.password))
            }
        }
    }

    @Test func `a password reset requires a valid address`() async throws {
        try await LoginFixture().run { client in
            let path = "/v1/password-resets"
            try await client.refused(.invalidEmail, .post, path, #"{"email":"ada@"}"#)
            try await client.accepted(TableRequest(path: path, body: #"{"email":"\#(Self.email)"}"#))
        }
    }

    @Test func `a first password requires a valid, unused address, and later passwords keep that address`() async throws
    {
        try await LoginFixture().run { client in
            _ = try await client.signUp("grace@example.com")
            // The login has no address.
            let token = try await client.session(of: "ada")
            for (code, password, email) in [
                (AuthError.Code.invalidEmail, APIClient.password, String?.none),
                (.invalidEmail, APIClient.password, "ada@"), (.weakPassword, "password", Self.email),
                (.emailAlreadyInUse, APIClient.password, "grace@example.com"),
            ] {
                try await client.refused(code, setPassword(password, email, bearer: token))
            }
            let set = try await client.accepted(setPassword(APIClient.password, Self.email, bearer: token))
            let next = try set.text("tokens.sessionToken")
            try await client.refused(
                .providerAlreadyLinked,
                setPassword("another horse battery", "other@example.com", bearer: next)
            )
            try await client.accepted(setPassword("another horse battery", Self.email, bearer: next))
        }
    }

    @Test func `a verification token verifies an address once, and only for the account that requested it`()
        async throws
    {
        let fixture = try await LoginFixture()
        try await fixture.run { client in
            let token = try await client.signUp(Self.email).text("tokens.sessionToken")
            let other = try await client.signUp("grace@example.com").text("tokens.sessionToken")
            func confirm(_ proof: String, _ bearer: String) -> TableRequest {
                TableRequest(
                    path: "/v1/account/email-verification/confirm",
                    body: #"{"token":"\#(proof)"}"#,
                    bearer: bearer
                )
            }
            try await client.refused(.invalidCredential, confirm("made-up", token))
            try await client.ask(.post, "/v1/account/email-verification", bearer: token)
            let proof = try #require(fixture.mail.token(.verifyEmail))
            try await client.refused(.invalidCredential, confirm(proof, other))
            let proven = try await client.accepted(confirm(proof, token))
            let next = try proven.text("tokens.sessionToken")
            try await client.refused(.invalidCredential, confirm(proof, next))
            let google = try await client.session(of: "joan")
            try await client.refused(.noSuchProvider, .post, "/v1/account/email-verification", bearer: google)
        }
    }

    /// Creates an account with an unverified address and another account that has verified the same address.
    ///
    /// The first account has a password for the address and a linked login with another address.
    ///
    /// - Returns: The session of the first account, and the ID of the second.
    private func contested(_ client: APIClient) async throws -> (token: String, owner: AccountID) {
        let first = try await client.signUp(Self.email).text("tokens.sessionToken")
        let shown = try await client.good("ada", for: "link", bearer: first, email: "other@example.com")
        let linked = try await client.ask(.post, "/v1/link", #"{"credential":\#(shown)}"#, bearer: first)
        let token = try linked.text("tokens.sessionToken")
        try await client.ask(.post, "/v1/account/email-verification", bearer: token)
        let owner = try await client.signIn("grace", email: Self.email)
        return (token, AccountID(rawValue: try owner.text("account.id")))
    }

    @Test func `an unverified address cannot be taken from the account that has verified it`() async throws {
        let fixture = try await LoginFixture()
        try await fixture.run { client in
            let (token, _) = try await contested(client)
            let proof = try #require(fixture.mail.token(.verifyEmail))
            try await client.refused(
                .emailAlreadyInUse,
                .post,
                "/v1/account/email-verification/confirm",
                #"{"token":"\#(proof)"}"#,
                bearer: token
            )
            try await client.ask(.post, "/v1/password-resets", #"{"email":"\#(Self.email)"}"#)
            let reset = try #require(fixture.mail.token(.resetPassword))
            for (code, password) in [
                (AuthError.Code.weakPassword, "password"), (.emailAlreadyInUse, "another horse battery"),
            ] {
                try await client.refused(
                    code,
                    .post,
                    "/v1/password-resets/confirm",
                    #"{"token":"\#(reset)","password":"\#(password)"}"#
                )
            }
        }
    }

    @Test func `a password reset that joins another account's verified address requires that account to be enabled`()
        async throws
    {
        let fixture = try await LoginFixture(policy: AuthPolicy(linking: LinkPolicy(emailMatching: .verifiedBoth)))
        try await fixture.run { client in
            let (_, owner) = try await contested(client)
            try await client.ask(.post, "/v1/password-resets", #"{"email":"\#(Self.email)"}"#)
            let reset = try #require(fixture.mail.token(.resetPassword))
            let request = TableRequest(
                path: "/v1/password-resets/confirm",
                body: #"{"token":"\#(reset)","password":"another horse battery"}"#
            )
            try await fixture.auth.disable(owner)
            try await client.refused(.userDisabled, request)
            try await fixture.auth.enable(owner)
            try await client.accepted(request)
            let shown = client.password(of: Self.email, "another horse battery")
            let signedIn = try await client.ask(.post, "/v1/sign-in", #"{"credential":\#(shown)}"#)
            #expect(try signedIn.text("account.id") == owner.rawValue)
        }
    }
}
#endif
