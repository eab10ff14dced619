// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders

extension Session {
    /// Verifies a second factor in an open session, which raises it to level 2.
    ///
    /// ``authenticatedAt`` does not change, because it is the time of the first factor.
    ///
    /// - Parameters:
    ///   - assertion: The second factor.
    ///   - origin: The origin of the request.
    /// - Returns: The account, and the session with new tokens. The previous tokens stay valid until the new ones are
    ///   used, with their previous rights.
    /// - Throws: ``AuthError``: `invalid-verification-code`, which is counted: ten in a row sign the device out;
    ///   `missing-multi-factor-info`, `multi-factor-info-not-found`, `invalid-verification-id`, `session-expired`,
    ///   `too-many-requests`, `user-disabled`, `invalid-user-token`.
    public func stepUp(with assertion: MultiFactorAssertion, from origin: RequestOrigin? = nil) async throws(AuthError)
        -> AuthDataResult
    {
        try await auth.commit { transaction in try transaction.factorSignIns.stepUp(self, assertion, from: origin) }
    }

    /// Sends a code to a phone that is a second factor of the account, for ``stepUp(with:from:)``.
    ///
    /// - Parameters:
    ///   - uid: The ``MultiFactorInfo/uid`` of the phone.
    ///   - origin: The origin of the request.
    /// - Returns: The challenge.
    /// - Throws: ``AuthError``: `multi-factor-info-not-found`, `too-many-requests`, `quota-exceeded`,
    ///   `operation-not-allowed`, `provider-unavailable`, `user-disabled`, `invalid-user-token`.
    public func beginChallenge(factor uid: String, from origin: RequestOrigin? = nil) async throws(AuthError)
        -> MultiFactorChallenge
    {
        try await auth.sendChallenge { transaction in
            try transaction.factorSignIns.beginChallenge(in: self, factor: uid, from: origin)
        }
    }
}
