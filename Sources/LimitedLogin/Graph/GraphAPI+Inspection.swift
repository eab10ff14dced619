// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

package import LoginProviders
package import LoginTokens

extension GraphAPI: AccessTokenInspector {
    /// Asks Facebook whose an access token is, what it permits, and for the user's profile.
    package func inspect(_ accessToken: String, clock: any WallClock, within limit: Duration)
        async throws(AccessTokenFailure) -> InspectedAccessToken
    {
        let graph = ending(within: limit)
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
                expirationDate: token.expirationDate
            )
        } catch {
            throw AccessTokenFailure(error)
        }
    }
}

extension AccessTokenFailure {
    fileprivate init(_ error: GraphError) {
        let kind: Kind =
            switch error.category {
            case .relogin, .userMustAct, .foreignToken: .invalid
            case .appConfiguration: .notAllowed
            default: .unavailable
            }
        self.init(kind, error.description, retryAfter: error.retryAfter)
    }
}
