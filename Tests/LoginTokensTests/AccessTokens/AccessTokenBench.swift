// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
internal import LoginTokens

/// A test issuer of access tokens, and a verifier for one API, so that a test only sets what is special about its token.
struct AccessTokenBench {
    static let audience = "https://orders.example"

    let form: AccessTokenIssuer
    let issuer: TestIssuer
    let policy: AccessTokenPolicy

    var verifier: AccessTokenVerifier {
        AccessTokenVerifier(policy: policy, keys: issuer.keys, clock: issuer.clock)
    }

    init(
        _ form: AccessTokenIssuer = .rfc9068(issuers: ["https://issuer.example"]),
        requiredScopes: [String] = [],
        allowedClients: [String] = [],
        requiredValues: [String: [String]] = [:],
        leeway: Duration = .zero,
        maximumAge: Duration? = nil,
        limits: TokenLimits = .standard
    ) throws {
        self.form = form
        issuer = TestIssuer(accessTokensOf: form, audience: Self.audience)
        policy = try AccessTokenPolicy(
            issuer: form,
            audiences: [Self.audience],
            requiredScopes: requiredScopes,
            allowedClients: allowedClients,
            requiredValues: requiredValues,
            algorithms: [.rs256],
            leeway: leeway,
            maximumAge: maximumAge,
            limits: limits
        )
    }

    /// Issues a token, and verifies it.
    @discardableResult
    func verify(
        scopes: [String] = ["orders:read"],
        _ change: (inout TestToken) -> Void = { _ in }
    ) throws(TokenRefusal) -> VerifiedAccessToken {
        try verifier.verify(issuer.accessToken(form, scopes: scopes, change), with: issuer.keys)
    }

    /// Issues a token, verifies it, and returns the reports.
    func reports(_ change: (inout TestToken) -> Void = { _ in }) -> (reports: [CheckReport], code: VerificationCode?) {
        var reports: [CheckReport] = []
        let text = issuer.accessToken(form, scopes: ["orders:read"], change)
        do throws(TokenRefusal) {
            _ = try verifier.verify(text, with: issuer.keys) { reports.append($0) }
            return (reports, nil)
        } catch {
            return (reports, error.code)
        }
    }
}
