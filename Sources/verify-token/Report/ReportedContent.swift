// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import LimitedLogin
internal import LoginTokens

/// The content of a verified token or proof, for a report.
struct ReportedContent {
    /// The first line of the report, which begins with `verified: `.
    let summary: String

    /// The claims.
    let claims: Claims

    /// The profile of a Facebook user, if it is shown.
    var profile: Profile?

    /// The facts about an access token; nil for other content.
    var access: AccessTokenFacts?

    /// The facts about a proof; nil if there is none.
    var proof: ProofFacts?
}

extension ReportedContent {
    /// Creates the content of a verified ID token.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - showsClaims: Whether the values of claims, and the profile, are shown.
    init(_ token: VerifiedToken, showsClaims: Bool) {
        let line = "verified: ID token of \(quoted(token.issuer)) for \(quoted(token.audience))"
        let warning =
            if case .notChecked(let reason) = token.nonceCheck { ", NONCE NOT CHECKED: \(quoted(reason))" } else { "" }
        self.init(
            summary: line + warning,
            claims: token.claims,
            profile: showsClaims ? AuthenticationTokenClaims(token).map(Profile.init) : nil
        )
    }

    /// Creates the content of an accepted access token.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - proof: The verified proof of the request; nil if there is none.
    ///   - isProven: Whether the client has proven possession of what the token is bound to.
    ///   - showsClaims: Whether the values of claims are shown.
    init(_ token: AcceptedAccessToken, proof: DPoPProof?, isProven: Bool, showsClaims: Bool) {
        let issuer = token.issuer.map { quoted($0) } ?? "an unnamed issuer"
        let audience = token.audience.map { quoted($0) } ?? "an unnamed audience"
        let line = "verified: access token of \(issuer) for \(audience)"
        let facts = AccessTokenFacts(token, isProven: isProven, showsClaims: showsClaims)
        self.init(
            summary: line + (facts.possession == .notProven ? ", POSSESSION NOT PROVEN" : ""),
            claims: token.claims,
            access: facts,
            proof: proof.map { ProofFacts($0, token: .verified) }
        )
    }
}
#endif
