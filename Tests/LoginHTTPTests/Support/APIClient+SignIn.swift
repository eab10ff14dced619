// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import HTTPTypes
import LoginAccounts
import LoginProviders
import LoginTesting
import LoginTokens
import Testing

@testable import LoginHTTP

extension APIClient {
    /// Returns a credential with a token of this provider for this attempt, as JSON.
    func credential(_ name: String, of provider: ProviderID, attempt: Answer, email: String? = nil) throws -> String {
        let issuer = provider == .google ? fixture.google : fixture.facebook
        let nonce = try attempt.text("nonce")
        let token = issuer.token(nonce: nonce) { token in
            token.claims["sub"] = .string(
                provider == .google ? name : String(name.utf8.reduce(1) { $0 * 31 + Int($1) })
            )
            if let email {
                token.claims["email"] = .string(email)
                token.claims["email_verified"] = true
            }
        }
        return #"{"type":"id-token","token":"\#(token)","attempt":"\#(try attempt.text("attempt"))"}"#
    }

    /// Begins an attempt.
    func begin(_ provider: ProviderID, _ purpose: String = "sign-in", bearer: String? = nil) async throws -> Answer {
        try await ask(
            .post,
            "/v1/attempts",
            #"{"provider":"\#(provider.rawValue)","purpose":"\#(purpose)"}"#,
            bearer: bearer
        )
    }

    /// Signs in a user.
    func signIn(_ name: String, with provider: ProviderID = .google, email: String? = nil) async throws -> Answer {
        let shown = try credential(name, of: provider, attempt: try await begin(provider), email: email)
        return try await ask(.post, "/v1/sign-in", #"{"credential":\#(shown)}"#)
    }

    /// Signs in a user, and returns the session token.
    func session(of name: String, with provider: ProviderID = .google) async throws -> String {
        try await signIn(name, with: provider).text("tokens.sessionToken")
    }

    /// Links a login to an account.
    func link(_ name: String, of provider: ProviderID, to bearer: String) async throws -> Answer {
        let attempt = try await begin(provider, "link", bearer: bearer)
        let shown = try credential(name, of: provider, attempt: attempt)
        return try await ask(.post, "/v1/link", #"{"credential":\#(shown)}"#, bearer: bearer)
    }
}
#endif
