// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders
internal import LoginText
internal import LoginTokens

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Facebook's two browser logins.
///
/// Limited Login responds with the ID token in the fragment. The classic login, with tracking, responds with a code, so
/// that no token passes through the browser.
struct FacebookFlow: AuthorizationFlow {
    let app: FacebookApp

    var clientName: String { "facebook \(app.id)" }

    var mustNameIssuer: Bool { false }

    func isIssuer(_ issuer: String) -> Bool { Provider.facebook.issuers.contains { isEqual($0, issuer) } }

    var origins: [String] {
        let origins = [app.endpoints.dialog.origin, app.endpoints.limitedDialog.origin]
        // Facebook redirects phones to a separate host.
        return app.endpoints == .live ? origins + ["https://m.facebook.com"] : origins
    }

    /// Returns the request for Facebook's dialog.
    ///
    /// Parameters for phones only (version, SDK, app switch) are omitted.
    func authorization(for request: LoginRequest, _ parts: AuthorizationParts) throws(LoginManagerError)
        -> Authorization
    {
        guard let content = request.content as? FacebookRequest else { throw LoginManagerError.otherProvider }
        let configuration = content.configuration
        let isLimited = configuration.tracking == .limited
        let scopes = Set(configuration.requestedPermissions.map(\.rawValue)).union([Permission.openID.rawValue])
        var parameters = [
            ("client_id", app.id), ("redirect_uri", parts.redirectURL), ("state", parts.state),
            ("response_type", isLimited ? "id_token" : "code"),
            // Facebook separates scopes by commas. They are sorted, so that equal requests have equal URLs.
            ("scope", scopes.sorted().joined(separator: ",")),
            ("nonce", parts.nonce), ("return_scopes", "true"),
        ]
        if isLimited {
            parameters.append(("tp", "ios_14_do_not_track"))
        } else {
            parameters += parts.codeVerifier.challengeParameters
        }
        if let authType = configuration.authType { parameters.append(("auth_type", authType.rawValue)) }
        if let page = configuration.messengerPageID { parameters.append(("messenger_page_id", page)) }
        let base = (isLimited ? app.endpoints.limitedDialog : app.endpoints.dialog).description
        return Authorization(
            endpoint: "\(base)\(base.hasSuffix("/") ? "" : "/")\(app.graphVersion)/dialog/oauth",
            parameters: parameters,
            replacements: parts.replacements,
            scopes: scopes,
            variant: configuration.tracking.rawValue
        )
    }

    func finish(_ response: AuthorizationResponse) async throws(LoginFailure) -> LoginSuccess {
        response.attempt.variant == LoginTracking.limited.rawValue
            ? try await finishLimited(response) : try await finishTracked(response)
    }

    /// Verifies the ID token of the response.
    private func finishLimited(_ response: AuthorizationResponse) async throws(LoginFailure) -> LoginSuccess {
        let idToken = try response.parameters.only("id_token")
        let token = try await response.verified(idToken)
        let permissions = try response.parameters.permissions(requested: response.attempt.permissions, token: token)
        return response.success(token, idToken: idToken, permissions: permissions)
    }

    /// Exchanges the code of the response, verifies the ID token, and asks Facebook for the permissions.
    private func finishTracked(_ response: AuthorizationResponse) async throws(LoginFailure) -> LoginSuccess {
        let code = try response.parameters.only("code")
        let graph = GraphAPI(app: app, transport: response.transport, wallClock: response.clock)
            .ending(within: GraphLimits.loginDeadline)
        let exchange: CodeExchange
        do throws(GraphError) {
            let redirectURL = response.attempt.redirectURL
            exchange = try await graph.exchange(
                code: code,
                redirectURL: redirectURL,
                verifier: response.codeVerifier.value
            )
        } catch {
            // Facebook responded; a retry would get the same response.
            let isAnswer = error.category == .unavailable && error.status == 200
            if isAnswer { throw LoginFailure(.exchangeResponse, error.finding) }
            throw LoginFailure(error, otherwise: .exchangeRefused)
        }
        guard let idToken = exchange.idToken, !idToken.isEmpty else {
            throw LoginFailure(.exchangeResponse, "the response has no ID token")
        }
        let token = try await response.verified(idToken, accessToken: exchange.accessToken, code: code)
        let accessToken = try await accessToken(exchange, of: token, graph, at: response.clock.now)
        let permissions = PermissionStatuses(
            granted: accessToken.permissions.subtracting([.openID]),
            declined: accessToken.declinedPermissions,
            expired: accessToken.expiredPermissions
        )
        return response.success(
            token,
            idToken: idToken,
            permissions: (permissions, .provider),
            details: FacebookGrant(accessToken: accessToken, profile: nil)
        )
    }

    /// Asks Facebook about the access token of a code exchange.
    ///
    /// An access token alone proves nothing: logins that Facebook limits by itself have one too, which the Graph API
    /// does not accept. If the app has a secret, Facebook also returns the app and the user of the token.
    private func accessToken(
        _ exchange: CodeExchange,
        of token: VerifiedToken,
        _ graph: GraphAPI,
        at now: Date
    ) async throws(LoginFailure) -> AccessToken {
        var accessToken = AccessToken(
            tokenString: exchange.accessToken,
            permissions: [],
            appID: app.id,
            userID: token.subject,
            expirationDate: exchange.lifetime.map { now.addingTimeInterval($0 / .seconds(1)) },
            refreshDate: now,
            dataAccessExpirationDate: nil
        )
        do throws(GraphError) {
            if app.secret != nil { accessToken = try await graph.debug(exchange.accessToken) }
            guard isEqual(accessToken.userID, token.subject) else {
                throw GraphError(.foreignToken, "the access token and the ID token belong to different users")
            }
            let statuses = try await graph.permissions(of: accessToken)
            accessToken = accessToken.with(statuses, at: now)
        } catch {
            throw LoginFailure(error, otherwise: error.category == .foreignToken ? .userMismatch : .accessToken)
        }
        guard app.secret != nil || exchange.lifetime != nil else {
            throw LoginFailure(.exchangeResponse, "the response has no lifetime of the access token")
        }
        return accessToken
    }
}

extension AttemptContent {
    /// The requested permissions.
    fileprivate var permissions: Set<Permission> {
        Set(scopes.map(Permission.init(rawValue:))).subtracting([.openID])
    }
}

extension LoginFailure {
    /// Creates the failure of a login from an error of the Graph API.
    fileprivate init(_ error: GraphError, otherwise code: Code) {
        // The remedy of the error is for callers of the Graph API, and does not apply to a login.
        self.init(
            error.category.isPassing ? .unavailable : code,
            error.finding,
            isMisconfigured: error.category == .appConfiguration
        )
    }
}
