// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import LoginAccounts
internal import LoginHTTP
internal import LoginProviders

/// Shows the permissions of the account's logins at a provider, requests them again, and revokes them.
///
/// Every change is a login at the provider, whose tokens make it.
struct PermissionActions: Sendable {
    let providers: SignInProviders
    let frames: PageFrames
    let choices: ProviderChoices

    func permissions(_ request: PageRequest, provider name: String?) async throws -> PageReply {
        let session = try request.signedIn()
        let (provider, manager) = try managed(name)
        let account = try await session.account()
        let logins = account.providerData.filter { $0.providerID == provider.id }
        guard !logins.isEmpty else { throw Problem(.notFound) }
        return .page(
            PermissionsPage(
                frame: frames.user(request, account),
                provider: choices.choice(provider.id),
                logins: logins.map { login($0, provider, manager) },
                canRevokeSinglePermission: manager.obstacleToRevokingSinglePermission(after: provider.request) == nil
            )
        )
    }

    private func login(_ info: UserInfo, _ provider: SignInProvider, _ manager: any PermissionManager)
        -> PermissionsPage.Login
    {
        let names = Self.names(info, of: provider, manager)
        let entries = names.map { permission in
            PermissionsPage.Entry(
                permission: permission.rawValue,
                status: PermissionsPage.Status(of: permission, info.permissions),
                isBasic: manager.basicPermissions.contains(permission),
                reason: provider.permissionReasons[permission]
            )
        }
        return PermissionsPage.Login(name: info.shownName, permissions: entries)
    }

    /// Returns the permissions that the service requests, and those that are stored, by their names.
    private static func names(_ info: UserInfo, of provider: SignInProvider, _ manager: any PermissionManager)
        -> [Permission]
    {
        var all = manager.permissions(of: provider.request)
        if let known = info.permissions { all.formUnion(known.granted.union(known.declined).union(known.expired)) }
        return all.sorted { $0.rawValue.utf8.lexicographicallyPrecedes($1.rawValue.utf8) }
    }

    func request(_ request: PageRequest, provider name: String?) async throws -> PageReply {
        try await begin(request, provider: name) { .request($0) }
    }

    func revoke(_ request: PageRequest, provider name: String?) async throws -> PageReply {
        try await begin(request, provider: name) { .revoke($0) }
    }

    func revokeAll(_ request: PageRequest, provider name: String?) throws -> PageReply {
        let session = try request.signedIn()
        return begin(.revokeAll, at: try managed(name).provider, in: session)
    }

    /// Begins the change of the permission in the form, which must be one of the page.
    private func begin(
        _ request: PageRequest,
        provider name: String?,
        change: (Permission) -> PermissionChange
    ) async throws -> PageReply {
        let session = try request.signedIn()
        let (provider, manager) = try managed(name)
        let permission = Permission(rawValue: request.form["permission"] ?? "")
        let logins = try await session.account().providerData.filter { $0.providerID == provider.id }
        guard !manager.basicPermissions.contains(permission),
            logins.contains(where: { Self.names($0, of: provider, manager).contains(permission) })
        else { throw Problem(.invalidRequest) }
        let change = change(permission)
        // Otherwise the user would log in at the provider only to be refused afterwards.
        if case .revoke = change,
            let obstacle = manager.obstacleToRevokingSinglePermission(after: provider.request)
        {
            throw AuthError(.operationNotAllowed, obstacle, provider: provider.id)
        }
        return begin(change, at: provider, in: session)
    }

    private func begin(_ change: PermissionChange, at provider: SignInProvider, in session: Session) -> PageReply {
        PageReply(
            body: .provider(
                provider.id,
                .reauthenticate(session),
                returnTo: .permissions(at: provider.id.rawValue),
                changing: change
            )
        )
    }

    /// Returns the provider with this name, if it has permissions.
    private func managed(_ name: String?) throws(Problem) -> (provider: SignInProvider, manager: any PermissionManager)
    {
        guard let provider = providers.offeringBrowserLogin(named: name ?? ""),
            let manager = provider.permissionManager
        else { throw Problem(.notFound) }
        return (provider, manager)
    }
}

extension PermissionsPage.Status {
    /// Creates the status of a permission.
    fileprivate init(of permission: Permission, _ statuses: PermissionStatuses?) {
        self =
            if statuses?.granted.contains(permission) == true {
                .granted
            } else if statuses?.declined.contains(permission) == true {
                .declined
            } else if statuses?.expired.contains(permission) == true {
                .expired
            } else {
                .unknown
            }
    }
}
#endif
