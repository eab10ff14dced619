// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A verifier of the access tokens that an API receives, in JWT form or in any other: an ``AccessTokenVerifier``, or a
/// ``TokenIntrospector``.
///
/// An API is the same with both, for example a `ProtectedResource` of `LoginHTTP`. Only these two create a
/// ``VerifiedAccessToken``, so a type of your own that conforms can only pass to one of them.
public protocol BearerTokenVerifier: Sendable {
    /// The requirements that tokens must meet, as far as both kinds share them: issuer, audiences, scopes, clients, values,
    /// leeway and age.
    var requirements: AccessTokenPolicy { get }

    /// The clock used for time checks.
    var clock: any WallClock { get }

    /// Verifies a token.
    ///
    /// - Parameter text: The token, without the scheme `Bearer` or `DPoP`.
    /// - Returns: The verified token, whose ``VerifiedAccessToken/confirmation`` the caller must check.
    /// - Throws: ``VerificationError/refused(_:)`` if the token is not acceptable; ``VerificationError/undecided(_:)`` if
    ///   keys or the introspection endpoint are unavailable.
    func verified(_ text: String) async throws(VerificationError) -> VerifiedAccessToken
}

extension BearerTokenVerifier {
    /// Checks how and when the user of a verified token was authenticated, for a request that requires more than the
    /// policy does (RFC 9470 §3).
    ///
    /// - Parameters:
    ///   - token: A token that this verifier has accepted.
    ///   - maximumAge: The maximum time since the authentication, `auth_time`, to which the leeway of the policy is added;
    ///     nil for no limit.
    ///   - acceptedACRs: The accepted authentication context classes, `acr`; empty to accept any.
    /// - Throws: ``TokenRefusal`` with the code `acr` or `auth-time`.
    package func checkAuthentication(
        of token: VerifiedAccessToken,
        maximumAge: Duration?,
        acceptedACRs: [String]
    ) throws(TokenRefusal) {
        let claims = token.claims
        do throws(TokenRefusal) {
            if !acceptedACRs.isEmpty { try claims.checkAuthenticationContext(among: acceptedACRs) }
            if let maximumAge {
                let now = clock.now.timeIntervalSince1970
                try claims.checkAuthenticationTime(maximumAge: maximumAge, requirements.times, now: now)
            }
        } catch {
            throw error.ofAccessToken
        }
    }
}

extension AccessTokenVerifier: BearerTokenVerifier {
    /// The policy that tokens must meet, the same as ``policy``.
    public var requirements: AccessTokenPolicy { policy }

    /// Verifies a token as ``verify(_:explain:)`` does.
    public func verified(_ text: String) async throws(VerificationError) -> VerifiedAccessToken {
        try await verify(text)
    }
}

extension TokenIntrospector: BearerTokenVerifier {
    /// The requirements of the policy that tokens in JWT form can meet too.
    public var requirements: AccessTokenPolicy { policy.tokens }

    /// Verifies a token as ``verify(_:)-(String)`` does.
    ///
    /// - Throws: Also `missing-claim` if the answer names no subject, whatever the policy makes optional: a route could take
    ///   all clients without users for one user.
    public func verified(_ text: String) async throws(VerificationError) -> VerifiedAccessToken {
        try await verdict(on: text) { token throws(TokenRefusal) in
            try VerifiedAccessToken(token, by: policy.tokens)
        }
    }
}
