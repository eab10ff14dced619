// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

// The code of the guide "Permissions: ask, check, ask again, revoke".

import LimitedLogin
import LoginKeys
import LoginProviders
import LoginTokens

func scheduleDeletion(of userID: String?, as confirmationCode: String) {}

#if HTTPClient
func setUp(appSecret: String) async throws -> (LoginManager, GraphAPI, KeyCache) {
    let app = try FacebookApp(id: "1234567890", secret: appSecret)
    let transport = AsyncHTTPClientTransport()
    let keys = try KeyCache(providers: [.facebook], transport: transport)
    let providers = try SignInProviders(
        [.facebook(app, permissions: [.email, .userAgeRange], tracking: .limited)],
        keys: keys,
        transport: transport
    )
    let logins = try await providers.loginManager(
        for: .facebook,
        redirectURL: "https://example.com/login/callback",
        attempts: InMemoryAttemptStore()
    )
    return (logins, GraphAPI(app: app, transport: transport), keys)
}
#endif

func cookie(for started: StartedLogin) -> String {
    "__Host-attempt=\(started.secret); Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=600"
}

func explain(_ permissions: Set<Permission>) -> [String] {
    permissions.map { permission in
        permission.claims.isEmpty ? "\(permission)" : "\(permission) shows \(permission.claims.joined(separator: ", "))"
    }
}

func begin(_ logins: LoginManager) async throws -> StartedLogin {
    try await logins.begin(purpose: .signIn, returnTo: "/welcome")  // redirect the browser to its `url`
}

func finish(_ logins: LoginManager, url: String, purpose: NoncePurpose, secret: String?) async throws -> String {
    switch try await logins.finish(LoginCallback(url: url), purpose: purpose, secret: secret) {
    case .success(let login):
        // The source is .provider (Facebook's response), .callback (reported by the browser) or .token (its claims).
        let (permissions, source) = (login.identity.permissions, login.identity.permissionSource)
        print(permissions?.granted ?? [], permissions?.declined ?? [], source?.rawValue ?? "unknown")
        return login.returnTo ?? "/"
    case .cancelled(let cancellation):
        return cancellation.returnTo ?? "/"
    case .failed(let failure):
        print(failure)  // for the operator; failure.publicMessage is for the user
        return "/login"
    }
}

func check(_ received: String, graph: GraphAPI) async throws(GraphError) -> Bool {
    let token = try await graph.debug(received)  // throws unless it is a valid user access token of this app
    return try await graph.permissions(of: token).hasGranted(.userFriends)
}

func askAgain(
    _ logins: LoginManager,
    _ login: LoginSuccess,
    tracking: LoginTracking,
    session: String
) async throws -> StartedLogin {
    let declined = login.identity.permissions?.declined ?? []
    return try await logins.begin(
        .facebook(permissions: declined, tracking: tracking, authType: .rerequest),
        purpose: .reauthenticate(session: session),  // the ID of the user's session at your service
        expecting: login.identity.subject  // the login of another user fails with `user-mismatch`
    )
}

func react(to error: GraphError) -> String {
    switch error.category {
    case .relogin: "sign in again"
    case .permission: "continue without it"
    case .throttle: "wait \(error.retryAfter ?? .seconds(300))"
    case .transient, .unavailable: "continue without it, and retry later"
    default: error.remedy
    }
}

func publish(_ message: String, graph: GraphAPI, token: AccessToken) async throws(GraphError) -> String? {
    do throws(GraphError) {
        let post = try await graph.post(["me", "feed"], parameters: ["message": message], token: token)
        return post["id"]?.string
    } catch {
        guard error.category == .permission else { throw error }
        return nil  // error 200: request the permission, or continue without it
    }
}

func messages(_ graph: GraphAPI, of token: AccessToken) async throws(GraphError) -> [String] {
    let posts = try await graph.list(["me", "feed"], parameters: ["fields": "message"], first: 10, token: token)
    return posts.compactMap { $0["message"]?.string }
}

func leave(_ graph: GraphAPI, _ login: LoginSuccess) async throws(GraphError) {
    if let accessToken = login.identity.accessToken {
        try await graph.revoke(.userFriends, of: accessToken)  // one permission
        try await graph.revokeAll(of: accessToken)  // all permissions; the next login is a first login
    } else if let token = login.authenticationToken {
        try await graph.uninstall(token)
    }
}

func remove(_ graph: GraphAPI, userID: String) async throws(GraphError) {
    try await graph.revokeAll(ofUser: userID)
}

func deleteData(
    formBody: [UInt8],
    app: FacebookApp,
    statusPage: EndpointURL,
    clock: any WallClock = .system
) throws -> [UInt8] {
    let text = try SignedRequest.field(inFormBody: formBody)
    let request = try SignedRequest(verifying: text, app: app, clock: clock)
    let response = try DataDeletionResponse(url: statusPage)
    scheduleDeletion(of: request.userID, as: response.confirmationCode)
    return response.json
}
