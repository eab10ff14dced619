// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import LoginAccounts
internal import LoginHummingbird
internal import LoginProviders

/// Looking after the account.
extension PageActions {
    func account(_ request: PageRequest) async throws -> PageReply {
        let session = try signedIn(request)
        let account = try await session.account()
        let remaining = account.enrolledFactors.isEmpty ? 0 : try await session.multiFactor.remainingRecoveryCodes()
        let linked = Set(account.providerData.map(\.providerID))
        return .page(
            AccountPage(
                frame: frame(request, account),
                name: account.displayName,
                email: account.email,
                isEmailProven: account.isEmailVerified,
                canProveEmail: passwordMinimum != nil && linked.contains(.password),
                isGuest: account.isAnonymous,
                createdAt: account.createdAt,
                logins: account.providerData.map { login($0, of: account) },
                linkable: choices.filter { !linked.contains(ProviderID(rawValue: $0.id)) },
                factors: account.enrolledFactors.map { AccountPage.Factor(uid: $0.uid, name: name(of: $0)) },
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
        return AccountPage.Login(
            provider: choice(info.providerID),
            uid: info.uid,
            name: shownName(of: info),
            linkedAt: info.linkedAt,
            lastUsedAt: info.lastSignInAt,
            permissions: info.permissions?.granted.map(\.rawValue).sorted() ?? [],
            obstacle: obstacle,
            canUnlink: account.usableSignInMethods.contains { !isThis($0) }
        )
    }

    /// What people know a login by.
    func shownName(of info: UserInfo) -> String { info.email ?? info.phoneNumber ?? info.displayName ?? info.uid }

    /// What people know a factor by.
    func name(of factor: MultiFactorInfo) -> Phrase {
        if let name = factor.displayName, !name.isEmpty { return Phrase(value: name) }
        return switch factor.factorID {
        case .totp: Phrase(stringLiteral: text.account.app)
        case .phone: text.account.phone(factor.phoneNumberSuffix ?? "")
        }
    }

    func beginLink(_ request: PageRequest, provider name: String?) async throws -> PageReply {
        let session = try signedIn(request)
        // Refused here, and not after the user has logged in at the provider.
        try await session.requireRecentLogin()
        return PageReply(body: .provider(try provider(named: name), .link(session), returnTo: .home))
    }

    func unlink(_ request: PageRequest) async throws -> PageReply {
        let session = try signedIn(request)
        let result = try await session.unlink(
            fromProvider: ProviderID(rawValue: request.form["provider"] ?? ""),
            uid: request.form["uid"]
        )
        return PageReply.redirect(LocalPath.home.saying(.unlinked)).with(result)
    }

    func data(_ request: PageRequest) async throws -> PageReply {
        let session = try signedIn(request)
        // It is all there is to know about a person: an unattended browser does not hand it out.
        try await session.requireRecentLogin()
        let data = try await auth.exportPersonalData(of: session.accountID)
        return PageReply(body: .file(data, name: "account.json", type: "application/json"))
    }

    func deletionForm(_ request: PageRequest) async throws -> PageReply {
        let session = try signedIn(request)
        try await session.requireRecentLogin()
        return .page(DeletionPage(frame: frame(request, try await session.account())))
    }

    func delete(_ request: PageRequest) async throws -> PageReply {
        let session = try signedIn(request)
        try await session.requireRecentLogin()
        let problems = missing(request, ["sure": text.deletion.sureMissing])
        guard problems.isEmpty else {
            let account = try await session.account()
            return .page(DeletionPage(frame: frame(request, account), problems: problems), status: 422)
        }
        try await auth.delete(session.accountID)
        var reply = PageReply.redirect(LocalPath("/signed-out").with("account", "deleted")).waiting(nil)
        reply.session = .clear
        return reply
    }
}

/// The sessions.
extension PageActions {
    func sessions(_ request: PageRequest) async throws -> PageReply {
        let session = try signedIn(request)
        let account = try await session.account()
        let entries = try await session.sessions().map { info in
            SessionsPage.Entry(
                id: info.id.rawValue,
                device: info.device,
                network: info.addressPrefix,
                isConfirmed: info.level > 1,
                openedAt: info.createdAt,
                lastSeenAt: info.lastSeenAt,
                isCurrent: info.isCurrent
            )
        }
        return .page(SessionsPage(frame: frame(request, account), sessions: entries))
    }

    func close(_ request: PageRequest, session id: String?) async throws -> PageReply {
        // One that is closed already is what was wanted.
        try await signedIn(request).signOut(SessionID(rawValue: id ?? ""))
        return .redirect(LocalPath("/sessions").saying(.sessionClosed))
    }

    func closeOthers(_ request: PageRequest) async throws -> PageReply {
        try await signedIn(request).signOutOthers()
        return .redirect(LocalPath("/sessions").saying(.othersClosed))
    }
}

/// Proving once more who is there.
extension PageActions {
    func reauthenticateForm(_ request: PageRequest) async throws -> PageReply {
        let session = try signedIn(request)
        let account = try await session.account()
        if let way = request.query["way"] {
            return .page(stepUpPage(request, account, way: way, factor: request.query["factor"]))
        }
        return .page(reauthenticatePage(request, account))
    }

    private func reauthenticatePage(_ request: PageRequest, _ account: Account, _ problems: [FieldProblem] = [])
        -> ReauthenticatePage
    {
        let methods = account.usableSignInMethods
        let offered = Set(methods.map(\.providerID))
        return ReauthenticatePage(
            frame: frame(request, account),
            providers: choices.filter { offered.contains(ProviderID(rawValue: $0.id)) },
            email: methods.first { $0.providerID == .password }?.uid,
            returnTo: request.returnTo,
            problems: problems
        )
    }

    func beginReauthentication(_ request: PageRequest, provider name: String?) throws -> PageReply {
        let session = try signedIn(request)
        return PageReply(
            body: .provider(try provider(named: name), .reauthenticate(session), returnTo: request.returnTo)
        )
    }

    func reauthenticate(_ request: PageRequest) async throws -> PageReply {
        let session = try signedIn(request)
        if request.form["way"] != nil { return try await stepUp(request, session) }
        var problems = missing(request, ["password": text.login.passwordMissing])
        if problems.isEmpty {
            let credential = AuthCredential.password(
                email: request.form["email"] ?? "",
                password: request.form["password"] ?? ""
            )
            do throws(AuthError) {
                let result = try await session.reauthenticate(with: credential, from: request.origin)
                return PageReply.redirect(request.returnTo.saying(.confirmed)).with(result)
            } catch {
                problems = try self.problems(of: error, [.wrongPassword: "password", .userMismatch: "email"], request)
            }
        }
        let account = try await session.account()
        return .page(reauthenticatePage(request, account, problems), status: 422)
    }
}
#endif
