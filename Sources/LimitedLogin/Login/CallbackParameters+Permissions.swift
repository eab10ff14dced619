// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders
internal import LoginTokens

extension CallbackParameters {
    /// Returns the permissions that the browser reports as granted and declined.
    ///
    /// Only requested permissions count, since Facebook also lists those of earlier logins. The lists must not
    /// contradict the token, whose claims prove permissions.
    ///
    /// - Parameters:
    ///   - requested: The requested permissions. The public profile is part of every login.
    ///   - token: The verified token.
    /// - Returns: The statuses and their source.
    /// - Throws: ``LoginFailure`` with the code `permissions`.
    func permissions(
        requested: Set<Permission>,
        token: VerifiedToken
    ) throws(LoginFailure) -> (PermissionStatuses, PermissionSource) {
        let told = try list("granted_scopes")
        let declined = try list("denied_scopes") ?? []
        let shown = token.claims.permissions(Permission.byClaim)
        guard declined.isDisjoint(with: shown) else {
            throw LoginFailure(.permissions, "a permission is listed as declined, but the token contains its claim")
        }
        let asked = requested.union([.publicProfile])
        guard let told else {
            let granted = shown.intersection(asked)
            return (PermissionStatuses(granted: granted, declined: declined.intersection(requested)), .token)
        }
        guard declined.isDisjoint(with: told) else {
            throw LoginFailure(.permissions, "a permission is listed as both granted and declined")
        }
        guard shown.intersection(requested).subtracting([.publicProfile]).isSubset(of: told) else {
            throw LoginFailure(.permissions, "a permission is not listed as granted, but the token contains its claim")
        }
        let granted = told.intersection(asked)
        return (PermissionStatuses(granted: granted, declined: declined.intersection(requested)), .callback)
    }

    /// Returns the permissions of a comma-separated list; nil if the parameter is missing, and none if it is empty.
    private func list(_ name: String) throws(LoginFailure) -> Set<Permission>? {
        guard let text = values[name] else { return nil }
        guard !text.isEmpty else { return [] }
        let permissions = text.split(separator: ",", omittingEmptySubsequences: false)
            .map { Permission(rawValue: String($0)) }
        guard permissions.allSatisfy(\.isWellFormed) else {
            throw LoginFailure(.permissions, "\(name) contains an invalid permission name")
        }
        return Set(permissions)
    }
}
