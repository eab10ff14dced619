// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders
internal import LoginTokens

extension FacebookFlow: PermissionManager {
    package var basicPermissions: Set<Permission> { [.openID, .publicProfile] }

    package func permissions(of request: LoginRequest) -> Set<Permission> {
        (request.content as? FacebookRequest)?.configuration.requestedPermissions ?? []
    }

    package func requesting(
        _ permission: Permission,
        like request: LoginRequest
    ) throws(LoginManagerError) -> LoginRequest {
        guard let content = request.content as? FacebookRequest else { throw LoginManagerError.otherProvider }
        do throws(LoginConfigurationError) {
            return try .facebook(
                permissions: [permission],
                tracking: content.configuration.tracking,
                authType: .rerequest,
                messengerPageID: content.configuration.messengerPageID
            )
        } catch {
            throw LoginManagerError(.request, error.description)
        }
    }

    /// Returns nil if the login has an access token, or the app has the secret that its own token consists of.
    package func obstacleToRevokingSinglePermission(after request: LoginRequest) -> String? {
        let hasToken = (request.content as? FacebookRequest)?.configuration.tracking == .enabled
        guard app.secret == nil, !hasToken else { return nil }
        return "after a Limited Login, revoking a single permission requires the app secret"
    }

    /// Revokes a permission, or the whole login, with the token of the login.
    ///
    /// A Limited Login has no access token. With the app secret, the app revokes in its own name. Without it, the ID
    /// token removes the whole login, and a single permission cannot be revoked.
    package func revoke(
        _ permission: Permission?,
        of identity: VerifiedIdentity,
        idToken: String?,
        transport: any HTTPTransport,
        clock: any WallClock,
        within limit: Duration
    ) async throws(AccessTokenFailure) {
        let graph = GraphAPI(app: app, transport: transport, wallClock: clock).ending(within: limit)
        do throws(GraphError) {
            switch (identity.accessToken, permission) {
            case (let token?, let permission?): try await graph.revoke(permission, of: token)
            case (let token?, nil): try await graph.revokeAll(of: token)
            case (nil, let permission?): try await graph.revoke(permission, ofUser: identity.subject)
            case (nil, nil):
                // The ID token disconnects the user without revoking any permission; the app's own call revokes all.
                let token = idToken.flatMap { text in
                    identity.token.flatMap { AuthenticationToken(tokenString: text, $0) }
                }
                if app.secret == nil, let token {
                    try await graph.uninstall(token)
                } else {
                    try await graph.revokeAll(ofUser: identity.subject)
                }
            }
        } catch {
            throw AccessTokenFailure(error)
        }
    }
}
