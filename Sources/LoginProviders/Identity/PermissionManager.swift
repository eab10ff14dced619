// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

package import LoginTokens

/// Requests and revokes permissions at a provider that has them.
package protocol PermissionManager: Sendable {
    /// The permissions of every login, which can neither be declined nor be revoked on their own.
    var basicPermissions: Set<Permission> { get }

    /// Returns the permissions that a request asks for.
    func permissions(of request: LoginRequest) -> Set<Permission>

    /// Returns a request for one permission, even if the user declined it before.
    ///
    /// - Parameters:
    ///   - permission: The permission.
    ///   - request: The request whose other properties it has.
    /// - Returns: The request.
    /// - Throws: ``LoginManagerError`` with the code `request`.
    func requesting(_ permission: Permission, like request: LoginRequest) throws(LoginManagerError) -> LoginRequest

    /// Returns the reason why a login with a request cannot revoke a single permission.
    ///
    /// Every login can revoke itself as a whole.
    ///
    /// - Parameter request: The request of the login.
    /// - Returns: The reason, for the operator; nil if ``revoke(_:of:idToken:transport:clock:within:)`` accepts a
    ///   permission after the login.
    func obstacleToRevokingSinglePermission(after request: LoginRequest) -> String?

    /// Revokes a permission of a user, or the whole login, at the provider.
    ///
    /// - Parameters:
    ///   - permission: The permission; nil for the whole login.
    ///   - identity: The identity that the user has just proven, with its access token if there is one.
    ///   - idToken: The ID token that proved the identity; nil if an access token did.
    ///   - transport: The transport for requests to the provider.
    ///   - clock: The clock for expiry checks.
    ///   - limit: The maximum time for all requests.
    /// - Throws: ``AccessTokenFailure``
    func revoke(
        _ permission: Permission?,
        of identity: VerifiedIdentity,
        idToken: String?,
        transport: any HTTPTransport,
        clock: any WallClock,
        within limit: Duration
    ) async throws(AccessTokenFailure)
}
