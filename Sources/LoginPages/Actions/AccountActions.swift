// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import LoginAccounts
internal import LoginProviders

/// The account page, the export of personal data, and the deletion of the account.
struct AccountActions: Sendable {
    let auth: Auth
    let frames: PageFrames
    let choices: ProviderChoices
    let forms: FormChecks

    private var text: SharedText { frames.text }

    func account(_ request: PageRequest) async throws -> PageReply {
        let session = try request.signedIn()
        let account = try await session.account()
        let remaining = account.enrolledFactors.isEmpty ? 0 : try await session.multiFactor.remainingRecoveryCodes()
        let linked = Set(account.providerData.map(\.providerID))
        return .page(
            AccountPage(
                frame: frames.user(request, account),
                name: account.displayName,
                email: account.email,
                isEmailVerified: account.isEmailVerified,
                canVerifyEmail: auth.passwordMinimum != nil && linked.contains(.password),
                isGuest: account.isAnonymous,
                hasPassword: auth.passwordMinimum.map { _ in account.hasPassword },
                createdAt: account.createdAt,
                logins: account.providerData.map { login($0, of: account) },
                linkable: choices.offered.filter { !linked.contains(ProviderID(rawValue: $0.id)) },
                canLinkPhone: auth.offersPhoneLogin(to: account),
                canEnrollPhone: auth.offersPhoneFactor(to: account),
                factors: account.enrolledFactors.map { AccountPage.Factor(uid: $0.uid, name: $0.shownName(text)) },
                recoveryCodes: remaining
            )
        )
    }

    private func login(_ info: UserInfo, of account: Account) -> AccountPage.Login {
        func isThis(_ method: SignInMethod) -> Bool { method.providerID == info.providerID && method.uid == info.uid }
        let method = account.signInMethods.first(where: isThis)
        let obstacle: String? = method?.obstacle.map { obstacle in
            switch obstacle {
            case .notConfigured: text.account.notConfigured
            case .revoked: text.account.revoked
            case .withoutPassword: text.account.withoutPassword
            }
        }
        let provider = auth.providers.offeringBrowserLogin(named: info.providerID.rawValue)
        return AccountPage.Login(
            provider: choices.choice(info.providerID),
            uid: info.uid,
            name: info.shownName,
            linkedAt: info.linkedAt,
            lastUsedAt: info.lastSignInAt,
            permissions: info.permissions?.granted.map(\.rawValue).sorted() ?? [],
            declinedPermissions: info.permissions?.declined.map(\.rawValue).sorted() ?? [],
            hasPermissionsPage: provider?.permissionManager != nil,
            obstacle: obstacle,
            canLinkAgain: method?.obstacle == .revoked && provider != nil,
            canUnlink: account.usableSignInMethods.contains { !isThis($0) }
        )
    }

    func data(_ request: PageRequest) async throws -> PageReply {
        let data = try await request.signedIn().exportPersonalData()
        return PageReply(body: .file(data, name: "account.json", type: "application/json"))
    }

    func deletionForm(_ request: PageRequest) async throws -> PageReply {
        let session = try request.signedIn()
        try await session.requireRecentLogin()
        return .page(DeletionPage(frame: frames.user(request, try await session.account())))
    }

    func delete(_ request: PageRequest) async throws -> PageReply {
        let session = try request.signedIn()
        let problems = forms.missing(request, ["sure": text.deletion.sureMissing])
        guard problems.isEmpty else {
            try await session.requireRecentLogin()
            let account = try await session.account()
            return .page(DeletionPage(frame: frames.user(request, account), problems: problems), status: 422)
        }
        try await session.deleteAccount()
        var reply = PageReply.redirect(LocalPath("/signed-out").with("account", "deleted")).pendingStep(nil)
        reply.session = .clear
        return reply
    }
}
#endif
