// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

// What the guide "Permissions: ask, check, ask again, revoke" is made of.

import LimitedLogin
import LoginKeys
import LoginProviders
import LoginTokens

func scheduleDeletion(of userID: String?, as confirmationCode: String) {}

#if HTTPClient
func setUp(appSecret: String) throws -> (LoginManager, GraphAPI, KeyCache) {
    let app = try FacebookApp(id: "1234567890", secret: appSecret)
    let transport = AsyncHTTPClientTransport()
    let keys = try KeyCache(providers: [.facebook], transport: transport)
    let logins = try LoginManager(
        client: .facebook(app),
        redirectURL: "https://example.com/login/callback",
        attempts: InMemoryAttemptStore(),
        keys: keys,
        transport: transport
    )
    return (logins, GraphAPI(app: app, transport: transport), keys)
}
#endif

func attemptCookie() -> (secret: String, header: String) {
    let secret = Nonce.random()
    return (secret, "__Host-attempt=\(secret); Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=600")
}

func explain(_ permissions: Set<Permission>) -> [String] {
    permissions.map { permission in
        permission.claims.isEmpty ? "\(permission)" : "\(permission) shows \(permission.claims.joined(separator: ", "))"
    }
}

func begin(_ logins: LoginManager, secret: String) async throws -> String {
    let request = try LoginRequest.facebook(permissions: [.email, .userAgeRange], tracking: .limited)
    let started = try await logins.begin(
        request,
        purpose: .signIn,
        binding: NonceBinding(secret: secret),
        returnTo: "/welcome"
    )
    return started.url  // redirect the browser there; the secret is its cookie `__Host-attempt`
}

func finish(_ logins: LoginManager, url: String, purpose: NoncePurpose, secret: String) async throws -> String {
    let callback = LoginCallback(url: url)
    switch try await logins.finish(callback, purpose: purpose, binding: NonceBinding(secret: secret)) {
    case .success(let login):
        // .graph: Facebook told us just now. .callback and .token: what the browser says, and what the token shows.
        print(login.grantedPermissions, login.declinedPermissions, login.permissionSource)
        return login.returnTo ?? "/"
    case .cancelled(let cancellation):
        return cancellation.returnTo ?? "/"
    case .failed(let failure):
        print(failure)  // for you; failure.publicMessage is for the person
        return "/login"
    }
}

func check(_ received: String, graph: GraphAPI) async throws(GraphError) -> Bool {
    let token = try await graph.debug(received)  // ours, in force, and a person's: or an error
    return try await graph.permissions(of: token).hasGranted(.userFriends)
}

func askAgain(
    _ logins: LoginManager,
    _ login: LoginSuccess,
    tracking: LoginTracking,
    session: String,
    secret: String
) async throws -> String {
    let request = try LoginRequest.rerequesting(login.declinedPermissions, tracking: tracking)
    let started = try await logins.begin(
        request,
        purpose: .reauthenticate(session: session),  // the ID of the session that the person has with you
        binding: NonceBinding(secret: secret),
        expecting: login.token.subject  // another person's login ends as `user-mismatch`
    )
    return started.url
}

func react(to error: GraphError) -> String {
    switch error.category {
    case .relogin: "sign in again"
    case .permission: "do without"
    case .throttle: "wait \(error.retryAfter ?? .seconds(300))"
    case .transient, .unavailable: "go on without, and try later"
    default: error.remedy
    }
}

func leave(_ graph: GraphAPI, _ login: LoginSuccess) async throws(GraphError) {
    if let accessToken = login.accessToken {
        try await graph.revoke(.userFriends, of: accessToken)  // one
        try await graph.revokeAll(of: accessToken)  // or all: the person has to log in anew
    } else if let token = login.authenticationToken {
        try await graph.uninstall(token)
    }
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
