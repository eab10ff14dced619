// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LimitedLogin
public import LoginTesting
public import LoginTokens
internal import Synchronization

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A simulation of Facebook for tests: its dialogs, the code exchange, its keys, and a part of the Graph API.
///
/// Its signatures are real, its codes are single-use, and it validates its input: the app, the app secret, the redirect
/// URI, the code verifier, the proof of the app secret, permissions and times. It can also simulate failures.
///
/// It is a transport, so that a test needs no network:
///
/// ```swift
/// let facebook = FacebookStandIn()
/// let providers = try SignInProviders(
///     [.facebook(facebook.app(), tracking: .enabled)], keys: facebook.issuer.keys,
///     transport: facebook, clock: facebook.clock)
/// let logins = try await providers.loginManager(
///     for: .facebook, redirectURL: "https://example.com/login/callback",
///     attempts: InMemoryAttemptStore(clock: facebook.clock))
/// let graph = GraphAPI(app: try facebook.app(), transport: facebook, wallClock: facebook.clock)
/// facebook.failNext(with: .graphError(code: 4, headers: ["Retry-After": "60"]))
/// ```
///
/// In tests it has the role that the Graph API Explorer has in Facebook's documentation.
/// ``makeAccessToken(permissions:appID:)`` issues an access token, `debug_token` inspects it,
/// `DELETE me/permissions/{permission}` revokes one permission, and `DELETE me/permissions` or ``removeApp()`` removes
/// the app. It also answers reads of `me`, `me/permissions`, `me/friends` and `me/feed`, and posts to `me/feed`. The
/// user's ID may replace `me`; the deletions then also accept the app access token.
///
/// Its clock stands still at a moment in 2025 until you advance it. Pass this clock to all components under test, or
/// create it with `ManualClock(Date())`: by the system clock, all tokens of the stand-in have long expired.
///
/// `FacebookStandIn.run` of the module `LoginTestServers` serves it over HTTP on this machine.
public final class FacebookStandIn: HTTPTransport {
    /// The ID of the only app that the stand-in knows.
    public let appID: String

    /// The app secret.
    public let appSecret: String

    /// The issuer of its ID tokens; its clock is the stand-in's.
    public let issuer: TestIssuer

    /// The origin of all its URLs: scheme, host and port.
    public let origin: String

    let state = Mutex(StandInState())

    /// Creates a stand-in with one app and one user.
    ///
    /// - Parameters:
    ///   - appID: The app ID.
    ///   - appSecret: The app secret.
    ///   - clock: The clock; `ManualClock(Date())` starts at the current time.
    ///   - key: The signing key for ID tokens.
    ///   - origin: The origin of its URLs: scheme, host and port. As a transport it accepts any origin here; over HTTP
    ///     it must be that of the server.
    public init(
        appID: String = "1234567890",
        appSecret: String = "0123456789abcdef0123456789abcdef",
        clock: ManualClock = ManualClock(),
        key: TestKey = .shared,
        origin: String = "https://facebook.invalid"
    ) {
        self.appID = appID
        self.appSecret = appSecret
        self.issuer = .facebook(appID: appID, clock: clock, key: key)
        self.origin = origin
    }

    /// The clock of the stand-in and its issuer.
    public var clock: ManualClock { issuer.clock }

    /// The URLs of its endpoints.
    public var endpoints: FacebookEndpoints {
        FacebookEndpoints(
            dialog: url("/classic/"),
            limitedDialog: url("/limited/"),
            graph: url("/graph/"),
            uninstall: url("/platform/uninstall/")
        )
    }

    /// The URL of its key set.
    public var keySetURL: String { origin + "/.well-known/oauth/openid/jwks/" }

    /// Facebook as a provider, with the stand-in's key set URL, which may be an `http` URL if ``origin`` is one.
    ///
    /// The tokens carry Facebook's issuer, so a verifier for Facebook accepts them.
    public var provider: Provider {
        var provider = Provider.facebook.with(keySetURL: keySetURL)
        provider.allowsLoopbackHTTP = origin.hasPrefix("http://")
        return provider
    }

    /// Returns the app that the stand-in knows, with the stand-in's endpoints.
    ///
    /// - Parameters:
    ///   - withSecret: Whether the app has its secret.
    ///   - graphVersion: The version of the dialogs and the Graph API; the stand-in accepts any.
    /// - Returns: The app.
    /// - Throws: `FacebookAppError` if the app ID or the app secret is invalid.
    public func app(
        withSecret: Bool = true,
        graphVersion: String = FacebookApp.defaultGraphVersion
    ) throws(FacebookAppError) -> FacebookApp {
        try FacebookApp(
            id: appID,
            secret: withSecret ? appSecret : nil,
            graphVersion: graphVersion,
            endpoints: endpoints
        )
    }

    private func url(_ path: String) -> EndpointURL {
        guard let url = try? EndpointURL(origin + path, allowsLoopbackHTTP: true) else {
            preconditionFailure("the origin of a stand-in is a scheme, a host and a port, without a path")
        }
        return url
    }
}

// MARK: - Behaviour

extension FacebookStandIn {
    /// The behaviour of the stand-in, and its user.
    public var settings: StandInSettings {
        get { state.withLock(\.settings) }
        set { state.withLock { $0.settings = newValue } }
    }

    /// The user of the login dialog.
    public var person: StandInPerson {
        get { state.withLock(\.settings.person) }
        set { state.withLock { $0.settings.person = newValue } }
    }

    /// Makes the next responses fail.
    ///
    /// - Parameters:
    ///   - count: The number of responses.
    ///   - path: The suffix of the request path, for example `me/permissions`; nil for all requests.
    ///   - fault: The simulated failure.
    public func failNext(_ count: Int = 1, path: String? = nil, with fault: StandInFault) {
        state.withLock { $0.faults.append((path, count, fault)) }
    }

    /// Cancels all simulated failures.
    public func clearFaults() {
        state.withLock { $0.faults = [] }
    }

    /// Returns a new access token, as a login would have issued it.
    ///
    /// - Parameters:
    ///   - permissions: The permissions that the user grants; they are granted from now on.
    ///   - appID: The app that the token was issued to; nil for the stand-in's app.
    /// - Returns: The token.
    public func makeAccessToken(permissions: [String] = ["public_profile"], appID: String? = nil) -> String {
        state.withLock { state in
            state.connect(state.settings.person.id, granted: permissions, declined: [])
            return state.addAccessToken(appID: appID ?? self.appID, now: now)
        }
    }

    /// Invalidates an access token, as a password change does.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - subcode: The reason, as the subcode of error 190 in later responses.
    public func endAccessToken(_ token: String, subcode: Int = 460) {
        state.withLock { $0.accessTokens[token]?.subcode = subcode }
    }

    /// Sets the status of a permission, as the user does in Facebook's settings.
    ///
    /// - Parameters:
    ///   - status: `granted`, `declined` or `expired`; any other text is passed through.
    ///   - permission: The permission.
    public func set(_ status: String, for permission: String) {
        state.withLock { $0.set(status, for: permission, of: $0.settings.person.id) }
    }

    /// Removes the app from the user's account, as the user does in Facebook's settings.
    public func removeApp() {
        state.withLock { $0.disconnect($0.settings.person.id) }
    }

    /// The current time, in whole seconds since 1970.
    var now: Int { Int(clock.now.timeIntervalSince1970) }
}

// MARK: - Recorded requests

extension FacebookStandIn {
    /// The recorded requests, in order.
    ///
    /// As a transport it also records requests to other origins, so that a test can detect a token sent elsewhere.
    public var requests: [StandInRequest] { state.withLock(\.requests) }

    /// Returns the number of requests.
    ///
    /// - Parameter path: The suffix of the request path, for example `me/permissions`; nil for all requests.
    /// - Returns: The number of requests.
    public func requestCount(of path: String? = nil) -> Int {
        state.withLock { $0.requests.count { path.map($0.path.hasSuffix) ?? true } }
    }
}

// MARK: - Transport

extension FacebookStandIn {
    /// Responds from memory.
    ///
    /// It never waits: a response that would exceed the deadline fails at once.
    public func send(_ request: TransportRequest) async throws(TransportFailure) -> TransportResponse {
        if Task.isCancelled { throw TransportFailure(.interrupted, "the task was cancelled") }
        let answer = answer(to: StandInRequest(request))
        if let failure = answer.failure { throw TransportFailure(failure, "simulated failure") }
        guard request.url.origin == origin else {
            throw TransportFailure(.connection, "not the origin of the stand-in")
        }
        guard answer.delay < request.deadline else { throw TransportFailure(.deadline, "simulated failure") }
        guard answer.body.count <= request.responseLimit else {
            throw TransportFailure(.tooLarge, "more than \(request.responseLimit) bytes")
        }
        return TransportResponse(status: answer.status, headers: answer.headers, body: answer.body)
    }

    /// Opens a URL in the user's browser.
    ///
    /// - Parameter url: The URL of one of the dialogs.
    /// - Returns: The URL that the browser is redirected to; nil if there is no redirect.
    public func open(_ url: String) -> String? {
        guard let url = try? EndpointURL(url, allowsLoopbackHTTP: true), url.origin == origin else { return nil }
        let request = StandInRequest(method: "GET", origin: url.origin, target: url.target, headers: [], body: [])
        return answer(to: request).headers.first { $0.name == "Location" }?.value
    }

    /// Records a request, and returns its response.
    package func answer(to request: StandInRequest) -> StandInAnswer {
        let fault = state.withLock { state in
            state.requests.append(request)
            return state.takeFault(for: request.path)
        }
        guard let fault else { return route(request) }
        switch fault.kind {
        case .answer(let answer): return answer
        case .failure(let code): return StandInAnswer(failure: code)
        case .delay(let delay):
            var answer = route(request)
            answer.delay = delay
            return answer
        }
    }

    private func route(_ request: StandInRequest) -> StandInAnswer {
        let parts = request.path.split(separator: "/").map(String.init)
        switch (request.method, parts.first) {
        case ("GET", "classic") where isDialog(parts): return dialog(request, isLimited: false)
        case ("GET", "limited") where isDialog(parts): return dialog(request, isLimited: true)
        case (_, "graph") where parts.count > 2 && isVersion(parts[1]):
            return graph(request, path: parts.dropFirst(2).joined(separator: "/"))
        case ("GET", ".well-known") where request.path == "/.well-known/oauth/openid/jwks/":
            return StandInAnswer(json: issuer.keySet, headers: [("Cache-Control", "max-age=3600")])
        case ("POST", "platform") where request.path == "/platform/uninstall/": return uninstall(request)
        default: return StandInAnswer(status: 404)
        }
    }

    private func isDialog(_ parts: [String]) -> Bool {
        parts.count == 4 && isVersion(parts[1]) && parts[2...] == ["dialog", "oauth"]
    }

    private func isVersion(_ text: String) -> Bool {
        text.hasPrefix("v") && text.dropFirst().contains(".")
    }
}
