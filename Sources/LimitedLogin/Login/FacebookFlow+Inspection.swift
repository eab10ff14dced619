// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders
internal import LoginTokens

extension FacebookFlow: AccessTokenInspector {
    /// Asks Facebook about an access token, its permissions and the user's profile.
    package func inspect(
        _ accessToken: String,
        transport: any HTTPTransport,
        clock: any WallClock,
        within limit: Duration
    ) async throws(AccessTokenFailure) -> InspectedAccessToken {
        let graph = GraphAPI(app: app, transport: transport, wallClock: clock).ending(within: limit)
        do throws(GraphError) {
            let received = try await graph.debug(accessToken)
            let token = received.with(try await graph.permissions(of: received), at: clock.now)
            let profile = try await graph.profile(of: token)
            return InspectedAccessToken(
                subject: token.userID,
                email: profile.email,
                name: profile.name,
                permissions: PermissionStatuses(
                    granted: token.permissions,
                    declined: token.declinedPermissions,
                    expired: token.expiredPermissions
                ),
                expirationDate: token.expirationDate,
                details: FacebookGrant(accessToken: token, profile: profile)
            )
        } catch {
            throw AccessTokenFailure(error)
        }
    }
}

extension AccessTokenFailure {
    /// Creates the failure of a call of the Graph API.
    init(_ error: GraphError) {
        let kind: Kind =
            switch error.category {
            case .relogin, .userMustAct, .foreignToken: .invalid
            case .appConfiguration: .notAllowed
            default: .unavailable
            }
        self.init(kind, error.description, retryAfter: error.retryAfter)
    }
}
