// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import LimitedLogin
public import LoginAccounts

extension Session {
    /// Runs an operation with the user's stored profile as `Profile.current`, if the session was opened with Facebook.
    ///
    /// ```swift
    /// try await context.session.withStoredProfile { "Welcome, \(Profile.current?.firstName ?? "reader")" }
    /// ```
    ///
    /// The profile is the one that is stored with the login, and is stored only if `AuthPolicy.storesProfiles` is set.
    /// `AuthenticationToken.current` and `AccessToken.current` are nil, because accounts store no token of a provider.
    /// It reads one row.
    ///
    /// - Parameter operation: The operation, which runs without a profile if none is stored.
    /// - Returns: The result of the operation.
    /// - Throws: `AuthError` if the store is unavailable; rethrows the errors of the operation.
    public func withStoredProfile<Success>(operation: () async throws -> Success) async throws -> Success {
        guard let profile = try await storedIdentity()?.profile else { return try await operation() }
        return try await withIdentity(nil, accessToken: nil, profile: profile, operation: operation)
    }
}
#endif
