// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders
internal import LoginTokens

/// The rule for the claims of earlier sign-ins that are missing in a provider's new answer.
///
/// A provider that has permissions sends the claims of those that one login requested, so a login that requests one
/// more has few others. A missing claim of an earlier sign-in is kept, unless
///
/// - the new answer has another claim of the same permission, which then has them all;
/// - the login requested the permission, so that the user has no value, or shares it no longer;
/// - the permission is declined or expired afterwards;
/// - the provider reports all permissions, and this one is not granted.
///
/// At other providers, each answer has all claims, and replaces those of earlier ones.
struct ClaimMerge: Sendable {
    /// The permission that each claim proves.
    let permissionsByClaim: [String: Permission]
    /// The permissions that the new answer has claims of, or that its login requested.
    let answeredPermissions: Set<Permission>
    /// The permissions after the new answer; nil if none are known.
    let statuses: PermissionStatuses?
    /// Whether the provider has reported all permissions.
    let isComplete: Bool

    /// Creates the rule for a new answer.
    ///
    /// - Parameters:
    ///   - identity: The identity of the answer; nil if it has none.
    ///   - statuses: The permissions after it; nil if none are known.
    ///   - isComplete: Whether the provider has reported all permissions.
    ///   - provider: The provider; nil if it is no longer configured.
    init(
        _ identity: VerifiedIdentity?,
        statuses: PermissionStatuses?,
        isComplete: Bool,
        at provider: SignInProvider?
    ) {
        permissionsByClaim = provider?.permissionsByClaim ?? [:]
        let shown = identity?.claims.flatMap { provider?.impliedPermissions(in: $0) } ?? []
        answeredPermissions = shown.union(identity?.requestedPermissions ?? [])
        self.statuses = statuses
        self.isComplete = isComplete
    }

    /// Creates the rule for a permission that the user has revoked.
    init(revoking permission: Permission, at provider: SignInProvider) {
        permissionsByClaim = provider.permissionsByClaim
        answeredPermissions = []
        statuses = PermissionStatuses(granted: [], declined: [permission])
        isComplete = false
    }

    /// Whether the value of an earlier sign-in is kept for a claim that the new answer lacks.
    func keeps(_ claim: String) -> Bool {
        guard let permission = permissionsByClaim[claim] else { return false }
        guard !answeredPermissions.contains(permission) else { return false }
        guard let statuses else { return true }
        if isComplete { return statuses.granted.contains(permission) }
        return !statuses.declined.contains(permission) && !statuses.expired.contains(permission)
    }

    /// Returns the identity to store after a new answer.
    ///
    /// - Parameters:
    ///   - new: The identity of the new answer.
    ///   - stored: The stored identity; nil if there is none.
    /// - Returns: The identity, with the claims and the permissions of both.
    func merging(_ new: VerifiedIdentity, into stored: VerifiedIdentity?) -> VerifiedIdentity {
        VerifiedIdentity(
            providerID: new.providerID,
            subject: new.subject,
            claims: claims(new.claims, stored?.claims),
            permissions: permissions(new, stored),
            permissionSource: [new, stored].contains { $0?.permissionSource == .callback } && !isComplete
                ? .callback : new.permissionSource ?? stored?.permissionSource
        )
    }

    /// Returns a stored identity without the claims that are not kept.
    func pruning(_ stored: VerifiedIdentity) -> VerifiedIdentity {
        VerifiedIdentity(
            providerID: stored.providerID,
            subject: stored.subject,
            claims: claims(nil, stored.claims),
            permissions: stored.permissions.map { known in
                let lost = statuses?.declined ?? []
                return PermissionStatuses(
                    granted: known.granted,
                    declined: known.declined.union(lost),
                    expired: known.expired
                )
            },
            permissionSource: stored.permissionSource
        )
    }

    /// Returns the claims of a new answer, and those of an earlier one that are kept.
    ///
    /// Without new ones, for example after a sign-in with an access token, all others of the earlier answer stay too.
    private func claims(_ new: Claims?, _ stored: Claims?) -> Claims? {
        guard let old = stored?.value.members else { return new }
        let kept = old.filter { keeps($0.name) || new == nil && permissionsByClaim[$0.name] == nil }
        return (try? Claims(members: (new?.value.members ?? []) + kept)) ?? new
    }

    /// Returns the permissions of a new answer, and those of an earlier one that it does not mention.
    private func permissions(_ new: VerifiedIdentity, _ stored: VerifiedIdentity?) -> PermissionStatuses? {
        guard let old = stored?.permissions, !isComplete else { return new.permissions }
        guard let new = new.permissions else { return old }
        return PermissionStatuses(
            granted: old.granted.subtracting(new.declined.union(new.expired)).union(new.granted),
            declined: old.declined.subtracting(new.granted).union(new.declined),
            expired: old.expired.subtracting(new.granted).union(new.expired)
        )
    }
}
