// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginProviders
public import LoginTokens

extension SignInProvider {
    /// Returns Facebook: Limited Login by its ID token, and where a Graph API is given, login with tracking by its access token.
    ///
    /// - Parameters:
    ///   - verifier: The verifier of its ID tokens.
    ///   - graph: The Graph API that is asked about access tokens; nil to accept none.
    /// - Returns: The provider.
    public static func facebook(verifier: TokenVerifier, graph: GraphAPI? = nil) -> Self {
        Self(
            id: .facebook,
            verifier: verifier,
            accessTokens: graph,
            impliedPermissions: { AuthenticationTokenClaims($0)?.impliedPermissions }
        )
    }

    /// Returns Facebook, with the verifier of Limited Login that the rest of the service has.
    ///
    /// - Parameters:
    ///   - verifier: The verifier of its ID tokens.
    ///   - graph: The Graph API that is asked about access tokens; nil to accept none.
    /// - Returns: The provider.
    public static func facebook(verifier: LimitedLoginVerifier, graph: GraphAPI? = nil) -> Self {
        facebook(verifier: verifier.verifier, graph: graph)
    }
}
