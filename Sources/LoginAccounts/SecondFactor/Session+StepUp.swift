// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders

extension Session {
    /// Shows a second factor in an open session: it has level 2 then, and new secrets.
    ///
    /// When the person was last proven does not change: that is for the first factor to say.
    ///
    /// - Parameters:
    ///   - assertion: What was shown.
    ///   - origin: From where the request came.
    /// - Returns: The session as it is now, with its new secrets. The old ones are good for what they could do before, until these
    ///   are shown.
    /// - Throws: ``AuthError``: `invalid-verification-code`, which counts: ten in a row sign the device out; `missing-multi-factor-info`,
    ///   `multi-factor-info-not-found`, `invalid-verification-id`, `session-expired`, `too-many-requests`, `user-disabled`,
    ///   `invalid-user-token`.
    public func stepUp(with assertion: MultiFactorAssertion, from origin: RequestOrigin? = nil) async throws(AuthError)
        -> AuthDataResult
    {
        try await auth.settle { transaction in try transaction.factorSignIns.stepUp(self, assertion, from: origin) }
    }

    /// Sends a code to a phone that is a second factor of the account, for ``stepUp(with:from:)``.
    ///
    /// - Parameters:
    ///   - uid: Which phone, by its ``MultiFactorInfo/uid``.
    ///   - origin: From where the request came.
    /// - Returns: What the code belongs to.
    /// - Throws: ``AuthError``: `multi-factor-info-not-found`, `too-many-requests`, `quota-exceeded`, `operation-not-allowed`,
    ///   `provider-unavailable`, `user-disabled`, `invalid-user-token`.
    public func beginChallenge(factor uid: String, from origin: RequestOrigin? = nil) async throws(AuthError)
        -> MultiFactorChallenge
    {
        try await auth.sendChallenge { transaction in
            try transaction.factorSignIns.beginChallenge(in: self, factor: uid, from: origin)
        }
    }
}
