// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LimitedLogin
public import LoginTokens
internal import Synchronization

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Plays Facebook for tests: its dialogs, the exchange of codes, its keys, and so much of the Graph API as a login needs.
///
/// What it signs is really signed, what it gives out once works once, and what it is given it checks: the app, its secret, the
/// redirect URL, the code verifier, the proof of the app secret, permissions and times. It can also be told to fail.
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
/// Its clock stands still at a moment in 2025, until you move it. Give it to all that ask what time it is, or begin with
/// `ManualClock(Date())`: what the stand-in signs is long expired by the clock of the machine.
///
/// With `run` it also answers over HTTP on this machine, where there is the trait `HTTPClient`.
public final class FacebookStandIn: HTTPTransport {
    /// The app that it knows; there is no other.
    public let appID: String

    /// The app's secret.
    public let appSecret: String

    /// Who signs its ID tokens; its clock is the stand-in's.
    public let issuer: TestIssuer

    /// The scheme, host and port of all its addresses.
    public let origin: String

    let state = Mutex(StandInState())

    /// A Facebook that knows one app and one person.
    ///
    /// - Parameters:
    ///   - appID: The app's ID.
    ///   - appSecret: The app's secret.
    ///   - clock: What time it is; `ManualClock(Date())` begins with now.
    ///   - key: The key to sign ID tokens with.
    ///   - origin: The scheme, host and port of its addresses. As a transport it answers at any; with HTTP it must be where the
    ///     server listens.
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

    /// What time it is.
    public var clock: ManualClock { issuer.clock }

    /// Where it answers.
    public var endpoints: FacebookEndpoints {
        FacebookEndpoints(
            dialog: url("/classic/"),
            limitedDialog: url("/limited/"),
            graph: url("/graph/"),
            uninstall: url("/platform/uninstall/"),
            tokenStatus: url("/platform/oidc/status")
        )
    }

    /// Where it publishes its keys.
    public var keySetURL: String { origin + "/.well-known/oauth/openid/jwks/" }

    /// Facebook as a provider, its keys to be fetched from here.
    ///
    /// Its tokens carry Facebook's issuer, and so a verifier for Facebook takes them.
    public var provider: Provider { .facebook.with(keySetURL: keySetURL) }

    /// The app that it knows, at its addresses.
    ///
    /// - Parameters:
    ///   - withSecret: Whether the app was given its secret.
    ///   - graphVersion: The version of the dialogs and the Graph API; it answers to any.
    /// - Returns: The app.
    /// - Throws: `FacebookAppError` where the ID or the secret given cannot be one.
    public func app(
        withSecret: Bool = true,
        graphVersion: String = "v21.0"
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

// MARK: - What it does

extension FacebookStandIn {
    /// How it behaves, and whom it knows.
    public var settings: StandInSettings {
        get { state.withLock(\.settings) }
        set { state.withLock { $0.settings = newValue } }
    }

    /// The person who sits before the dialog.
    public var person: StandInPerson {
        get { state.withLock(\.settings.person) }
        set { state.withLock { $0.settings.person = newValue } }
    }

    /// Spoils the next answers.
    ///
    /// - Parameters:
    ///   - count: How many.
    ///   - path: How the path of those requests ends, for example `me/permissions`; nil for all.
    ///   - fault: What happens in their place.
    public func failNext(_ count: Int = 1, path: String? = nil, with fault: StandInFault) {
        state.withLock { $0.faults.append((path, count, fault)) }
    }

    /// Spoils no answer any more.
    public func mend() {
        state.withLock { $0.faults = [] }
    }

    /// Makes an access token as a login would have given it.
    ///
    /// - Parameters:
    ///   - permissions: What the person granted; they are granted from now on.
    ///   - appID: Whose token it is; nil for the app that the stand-in knows.
    /// - Returns: The token.
    public func makeAccessToken(permissions: [String] = ["public_profile"], appID: String? = nil) -> String {
        state.withLock { state in
            state.connect(state.settings.person.id, granted: permissions, declined: [])
            return state.addAccessToken(appID: appID ?? self.appID, now: now)
        }
    }

    /// Ends an access token, as a changed password does.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - subcode: The reason, by the subcode of error 190 that is answered from now on.
    public func endAccessToken(_ token: String, subcode: Int = 460) {
        state.withLock { $0.accessTokens[token]?.subcode = subcode }
    }

    /// Sets what became of a permission, as the person does in the settings of Facebook.
    ///
    /// - Parameters:
    ///   - status: `granted`, `declined` or `expired`; any other text is passed on.
    ///   - permission: The permission.
    public func set(_ status: String, for permission: String) {
        state.withLock { $0.set(status, for: permission, of: $0.settings.person.id) }
    }

    /// Ends the connection of the app and the person, as the person does in the settings of Facebook.
    public func removeApp() {
        state.withLock { $0.disconnect($0.settings.person.id) }
    }

    /// The time now, in whole seconds.
    var now: Int { Int(clock.now.timeIntervalSince1970) }
}

// MARK: - What it saw

extension FacebookStandIn {
    /// What it was asked, in order.
    ///
    /// As a transport it writes down everything, so that a test can look for a token that went elsewhere.
    public var requests: [StandInRequest] { state.withLock(\.requests) }

    /// How often it was asked for something.
    ///
    /// - Parameter path: How the path ends, for example `me/permissions`; nil for anything.
    /// - Returns: The number.
    public func requestCount(of path: String? = nil) -> Int {
        state.withLock { $0.requests.count { path.map($0.path.hasSuffix) ?? true } }
    }
}

// MARK: - As a transport

extension FacebookStandIn {
    /// Answers from memory.
    ///
    /// Nothing waits: what would come after the deadline fails at once.
    public func send(_ request: TransportRequest) async throws(TransportFailure) -> TransportResponse {
        if Task.isCancelled { throw TransportFailure(.interrupted, "the task was cancelled") }
        let answer = answer(to: StandInRequest(request))
        if let failure = answer.failure { throw TransportFailure(failure, "as the test wants it") }
        guard request.url.origin == origin else { throw TransportFailure(.connection, "not the stand-in's address") }
        guard answer.delay < request.deadline else { throw TransportFailure(.deadline, "as the test wants it") }
        guard answer.body.count <= request.responseLimit else {
            throw TransportFailure(.tooLarge, "more than \(request.responseLimit) bytes")
        }
        return TransportResponse(status: answer.status, headers: answer.headers, body: answer.body)
    }

    /// Opens an address in the person's browser.
    ///
    /// - Parameter url: The address, of one of the dialogs.
    /// - Returns: Where the browser is sent; nil where it stays.
    public func open(_ url: String) -> String? {
        guard let url = try? EndpointURL(url, allowsLoopbackHTTP: true), url.origin == origin else { return nil }
        let request = StandInRequest(method: "GET", origin: url.origin, target: url.target, headers: [], body: [])
        return answer(to: request).headers.first { $0.name == "Location" }?.value
    }

    /// Answers, and writes down what was asked.
    func answer(to request: StandInRequest) -> StandInAnswer {
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
        case ("GET", "platform") where request.path == "/platform/oidc/status": return tokenStatus(request)
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
