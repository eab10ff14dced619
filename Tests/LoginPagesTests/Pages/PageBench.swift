// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import Foundation
import HTTPTypes
import LimitedLogin
import LoginAccounts
import LoginHTTP
import LoginKeys
import LoginProviders
import LoginTesting
import LoginTokens
import Logging
import Synchronization
import TestSupport
import Testing

internal import LimitedLoginTesting
@testable import LoginPages

/// A service with its pages, two providers and passwords, and a clock that a test advances.
struct PageBench: Sendable {
    static let publicURL = "https://login.example.com"
    static let secrets = AccountSecrets(repeating: 7)

    /// The use of phones.
    enum Phones: Sendable {
        case off, secondFactor, signIn
    }

    /// Whether the other provider uses `response_mode=form_post`.
    let postsForm: Bool

    let clock = ManualClock()
    let store = BreakableStore()
    let mail = CapturedMail()
    let codes = CapturedCodes()
    let facebook: FacebookStandIn
    let other: FacebookStandIn
    let auth: Auth
    let login: LoginService

    /// The routes of the pages and of the API.
    let routes: LoginRoutes

    /// - Parameters:
    ///   - postsForm: Whether the other provider uses `response_mode=form_post`.
    ///   - phones: The use of phones.
    ///   - storesProfiles: Whether the profile of a login is stored.
    ///   - options: The options of the pages.
    ///   - limits: The limits of requests.
    ///   - sessionTokens: The lifetime of session tokens; nil for that of the session.
    ///   - change: Changes the providers, Facebook and the other.
    /// - Throws: Errors of the configuration.
    init(
        postsForm: Bool = false,
        phones: Phones = .off,
        storesProfiles: Bool = false,
        options: SignInPagesOptions = SignInPagesOptions(),
        limits: RequestLimits = RequestLimits(),
        sessionTokens: Duration? = nil,
        _ change: (inout [SignInProvider]) -> Void = { _ in }
    ) async throws {
        self.postsForm = postsForm
        facebook = FacebookStandIn(clock: clock)
        other = FacebookStandIn(appID: "9876543210", clock: clock, origin: "https://other.example")
        // The other provider verifies addresses, and has another address of the user.
        other.settings.person.claims["email"] = "grace@example.com"
        other.settings.changeIDToken = { $0.claims["email_verified"] = true }
        var policy = AuthPolicy(storesProfiles: storesProfiles)
        policy.sessions.tokenLifetime = sessionTokens
        policy.passwords.cost = try #require(PasswordCost(log2: 4))
        policy.factors.requiresVerifiedContact = false
        policy.factors.allowedNumberPrefixes = ["+1"]
        let request = try LoginRequest.facebook(permissions: [.publicProfile, .email], tracking: .enabled)
        var providers: [SignInProvider] = [
            try .facebook(facebook.app(), tracking: .enabled),
            try .facebook(other.app(), tracking: .enabled).with {
                $0.id = ProviderID("other")
                $0.displayName = "Other"
                $0.emailTrust = .verifiedClaimOfAnyDomain
            },
        ]
        for index in providers.indices { providers[index].request = request }
        if postsForm { providers[1].request.responseMode = .formPost }
        change(&providers)
        auth = Auth(
            store: store,
            providers: try SignInProviders(
                providers,
                keys: facebook.issuer.keys,
                transport: ByHost(standIn: other, rest: facebook),
                clock: clock
            ),
            secrets: Self.secrets,
            policy: policy,
            mail: mail,
            phoneCodes: phones == .off ? nil : codes,
            allowsPhoneSignIn: phones == .signIn,
            clock: clock
        )
        var login = LoginService(
            publicURL: Self.publicURL,
            auth: auth,
            keys: try KeyCache(providers: [], transport: StubTransport()),
            logger: Self.silent
        )
        login.limits = limits
        self.login = login
        routes = LoginRoutes(login.apiRoutes() + login.pageRoutes(options: options))
    }

    /// A logger without output.
    static var silent: Logger { Logger(label: "test") { _ in SwiftLogNoOpLogHandler() } }

    /// Returns a service whose logins at Facebook are Limited Logins.
    static func limited() async throws -> PageBench {
        let request = try LoginRequest.facebook(permissions: [.email], tracking: .limited)
        return try await PageBench { $0[0].request = request }
    }

    /// Responds to a request, as a server would that has no other routes.
    func respond(to request: ServerRequest) async throws -> ServerResponse {
        if let response = try await routes.respond(to: request) { return response }
        return try await login.refuseUnknownPath(of: request)
    }

    /// Runs a test with the browser of one user.
    func run(logger: Logger = silent, _ test: (PageBrowser) async throws -> Void) async throws {
        try await test(PageBrowser(bench: self, logger: logger) { try await respond(to: $0) })
    }
}

extension ServerRequest {
    /// Creates a request to a path.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: The target: path and query.
    ///   - headers: The header fields.
    ///   - body: The body.
    ///   - peer: The other end of the connection; by default one without an address, to which no limit applies.
    ///   - logger: The logger.
    init(
        _ method: HTTPRequest.Method,
        _ path: String,
        headers: HTTPFields = [:],
        body: String = "",
        from peer: Peer = .unixSocket,
        logger: Logger = PageBench.silent
    ) {
        let head = HTTPRequest(method: method, scheme: nil, authority: nil, path: path, headerFields: headers)
        self.init(head, from: peer, body: Body(Array(body.utf8)), logger: logger)
    }
}

extension ServerResponse {
    /// The body as text.
    var text: String { String(decoding: body.bytes, as: UTF8.self) }

    /// Returns the value of a cookie that the response sets; nil if it does not.
    func cookie(_ name: String) -> String? {
        headers[values: .setCookie].first { $0.hasPrefix("\(name)=") }
            .map { String($0.dropFirst(name.count + 1).prefix { $0 != ";" }) }
    }
}

/// A transport to two providers: a stand-in for Facebook at its own origin, and another transport for all other
/// origins.
struct ByHost: HTTPTransport {
    let standIn: FacebookStandIn
    let rest: any HTTPTransport

    func send(_ request: TransportRequest) async throws(TransportFailure) -> TransportResponse {
        try await request.url.origin == standIn.origin ? standIn.send(request) : rest.send(request)
    }
}

/// A browser without scripts: it keeps cookies, follows redirects, and submits the forms of the current page.
///
/// It checks the page rules on each page.
final class PageBrowser: Sendable {
    private struct State {
        var cookies: [String: String] = [:]
        /// The names of the cookies that are sent with cross-site form posts.
        var crossSiteCookies: Set<String> = []
        var page: StrictHTML.Element?
        var path = "/"
        var status = 0
        var headers = HTTPFields()
        var body = ""
        /// The parameters in the fragment of the last redirect of a provider.
        var fragment: [String: String] = [:]
        /// A request that is made before the browser returns from a provider, and the form that it posts.
        var detour: (path: String, form: [String: String]?)?
        /// The paths that were requested.
        var visited: [String] = []
        /// Whether the browser stops when it returns from a provider, before the callback.
        var stopsAtCallback = false
    }

    struct Missing: Error, CustomStringConvertible {
        var description: String
    }

    /// Responds to the requests of the browser.
    typealias Server = @Sendable (ServerRequest) async throws -> ServerResponse

    let bench: PageBench
    private let logger: Logger
    private let server: Server
    private let state = Mutex(State())

    init(bench: PageBench, logger: Logger = PageBench.silent, server: @escaping Server) {
        (self.bench, self.logger, self.server) = (bench, logger, server)
    }

    var path: String { state.withLock(\.path) }
    var status: Int { state.withLock(\.status) }
    var body: String { state.withLock(\.body) }
    var headers: HTTPFields { state.withLock(\.headers) }
    var cookies: [String: String] {
        get { state.withLock(\.cookies) }
        set { state.withLock { $0.cookies = newValue } }
    }

    /// The parameters in the fragment of the last redirect of a provider.
    var fragment: [String: String] {
        get { state.withLock(\.fragment) }
        set { state.withLock { $0.fragment = newValue } }
    }

    /// Whether the browser stops when it returns from a provider, before the callback: ``path`` is the callback then.
    var stopsAtCallback: Bool {
        get { state.withLock(\.stopsAtCallback) }
        set { state.withLock { $0.stopsAtCallback = newValue } }
    }

    /// The paths that were requested, without the provider's.
    var visited: [String] { state.withLock(\.visited) }

    /// Makes another request before the next callback of a provider, as another site may cause the browser to do.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - form: The form that the other site posts; nil for a link.
    func goAstray(to path: String, posting form: [String: String]? = nil) {
        state.withLock { $0.detour = (path, form) }
    }

    /// Returns another browser without cookies.
    func another() -> PageBrowser { PageBrowser(bench: bench, logger: logger, server: server) }

    /// Returns the current page.
    func page() throws -> StrictHTML.Element {
        guard let page = state.withLock(\.page) else {
            throw Missing(description: "no page at \(path): \(status) \(body)")
        }
        return page
    }

    /// Returns the heading of the page.
    func heading() throws -> String { try page().all("h1").first?.text ?? "" }

    /// Returns the success message of the page.
    func notice() throws -> String? { try page().all("p").first { $0["role"] == "status" }?.text }

    /// Returns the error messages of the page.
    func problems() throws -> [String] {
        try page().all("div").first { $0["role"] == "alert" }?.all("li").map(\.text) ?? []
    }

    /// Requests a page, and follows redirects on the service and at a provider.
    func get(_ path: String) async throws {
        try await send(path, .get, [:], nil)
    }

    /// Fills in the form of the page with this action, and submits it.
    ///
    /// - Parameters:
    ///   - action: The action of the form.
    ///   - typed: The values of fields by their names; each field must exist.
    ///   - change: Changes the submitted fields, as an attacker would.
    ///   - isIt: Whether a form is the right one, if several have this action.
    /// - Throws: ``Missing``
    func submit(
        _ action: String,
        _ typed: [String: String] = [:],
        change: (inout [String: String]) -> Void = { _ in },
        where isIt: (StrictHTML.Element) -> Bool = { _ in true }
    ) async throws {
        guard let form = try page().all("form").first(where: { $0["action"] == action && isIt($0) }) else {
            throw Missing(description: "no form to \(action) at \(path)")
        }
        var fields: [String: String] = [:]
        for input in form.all("input") {
            guard let name = input["name"] else { continue }
            let isChoice = input["type"] == "radio" || input["type"] == "checkbox"
            if !isChoice { fields[name] = input["value"] ?? "" }
        }
        for (name, value) in typed {
            guard form.all("input").contains(where: { $0["name"] == name && $0["type"] != "hidden" }) else {
                throw Missing(description: "no field \(name)")
            }
            fields[name] = value
        }
        change(&fields)
        try await send(action, .post, fields, "same-origin")
    }

    /// Posts the parameters of the fragment to the path of the page, as its script does.
    ///
    /// - Parameter change: Changes the parameters, as an attacker would.
    /// - Throws: ``Missing``
    func postFragment(change: (inout [String: String]) -> Void = { _ in }) async throws {
        guard try page().all("script").count == 1 else { throw Missing(description: "no script at \(path)") }
        var fields = fragment
        change(&fields)
        try await send(path, .post, fields, "same-origin")
    }

    /// Sends a request with the cookies, and follows redirects.
    func send(_ path: String, _ method: HTTPRequest.Method, _ fields: [String: String], _ site: String?) async throws {
        var (path, method, body, site, isPosted) = (path, method, Self.encoded(fields), site, false)
        for _ in 0..<10 {
            var headers = HTTPFields()
            headers[.cookie] = cookies(from: method == .post ? site : nil)
            headers[.accept] = "text/html,application/xhtml+xml,*/*;q=0.8"
            headers[.userAgent] = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
            if method == .post {
                headers[.contentType] = "application/x-www-form-urlencoded"
                headers[.secFetchSite] = site
            }
            let response = try await server(
                ServerRequest(method, path, headers: headers, body: body, logger: logger)
            )
            keep(response, of: path)
            guard response.status == .seeOther, let location = response.headers[.location] else {
                try read(response)
                return
            }
            (path, method, body) = (try follow(location), .get, "")
            if path.contains("/callback"), stopsAtCallback {
                state.withLock { [path] in $0.path = path }
                return
            }
            if path.contains("/callback?"), let detour = state.withLock({ $0.detour.take() }) {
                try await send(detour.path, detour.form == nil ? .get : .post, detour.form ?? [:], "cross-site")
            }
            if bench.postsForm, path.hasPrefix("/login/other/callback?"), !path.contains("?login=") {
                // The provider posts the parameters that would otherwise be in the URL.
                let parts = path.split(separator: "?", maxSplits: 1)
                guard method != .post, !isPosted else { continue }
                (path, method, body, site, isPosted) = (String(parts[0]), .post, String(parts[1]), "cross-site", true)
            }
        }
        throw Missing(description: "it leads around in circles")
    }

    /// Returns the cookies that a browser sends: with a cross-site post only those with `SameSite=None`.
    private func cookies(from site: String?) -> String {
        state.withLock { state in
            state.cookies.filter { site != "cross-site" || state.crossSiteCookies.contains($0.key) }
                .map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
        }
    }

    private func keep(_ response: ServerResponse, of path: String) {
        state.withLock { state in
            state.path = path
            state.visited.append(path)
            state.status = response.status.code
            state.headers = response.headers
            for line in response.headers[values: .setCookie] {
                let pair = line.prefix { $0 != ";" }.split(
                    separator: "=",
                    maxSplits: 1,
                    omittingEmptySubsequences: false
                )
                guard pair.count == 2 else { continue }
                #expect(line.contains("; Path=/; Secure; HttpOnly; SameSite=") && line.hasPrefix("__Host-"))
                if line.contains("SameSite=None") { state.crossSiteCookies.insert(String(pair[0])) }
                state.cookies[String(pair[0])] = line.contains("Max-Age=0") ? nil : String(pair[1])
            }
        }
    }

    private func read(_ response: ServerResponse) throws {
        let text = response.text
        state.withLock {
            $0.body = text
            $0.page = nil
        }
        guard response.headers[.contentType]?.hasPrefix("text/html") ?? false else { return }
        let page = try StrictHTML.page(text)
        let broken = try PageRules.broken(byMarkup: text)
        #expect(broken == [], "\(path)")
        #expect(response.headers[.contentSecurityPolicy]?.hasPrefix("default-src 'none'; style-src 'self';") ?? false)
        #expect(response.headers[.cacheControl] == "no-store")
        state.withLock { $0.page = page }
    }

    /// Returns the local path of a redirect; opens a provider's dialog, which redirects the browser back.
    private func follow(_ location: String) throws -> String {
        if LocalPath(location) != nil { return location }
        for provider in [bench.facebook, bench.other] where location.hasPrefix(provider.origin) {
            let back = try #require(provider.open(location))
            #expect(back.hasPrefix(PageBench.publicURL))
            let parts = back.dropFirst(PageBench.publicURL.count).split(separator: "#", maxSplits: 1)
            state.withLock { $0.fragment = parts.count > 1 ? Self.decoded(String(parts[1])) : [:] }
            return String(parts[0])
        }
        throw Missing(description: "it leads to \(location)")
    }

    static func decoded(_ query: String) -> [String: String] {
        var components = URLComponents()
        components.percentEncodedQuery = query
        let fields = (components.queryItems ?? []).map { ($0.name, $0.value ?? "") }
        return Dictionary(fields) { first, _ in first }
    }

    static func encoded(_ fields: [String: String]) -> String {
        var query = URLComponents()
        query.queryItems = fields.map { URLQueryItem(name: $0.key, value: $0.value) }
        return (query.percentEncodedQuery ?? "").replacing("+", with: "%2B")
    }
}

extension PageBrowser {
    static let password = "correct horse battery"
    static let number = "+14155550100"

    /// Creates an account with a password.
    func signUp(_ email: String = "ada@example.com") async throws {
        try await get("/sign-up")
        try await submit("/sign-up", ["email": email, "password": Self.password])
    }

    /// Opens the link in the last verification message, and returns to the account.
    func verifyAddress() async throws {
        try await get("/verify-email?token=\(try #require(bench.mail.token(.verifyEmail)))")
        try await submit("/verify-email")
        try await get("/")
    }

    /// Signs in with the password.
    func signIn(_ email: String = "ada@example.com", password: String = PageBrowser.password) async throws {
        try await get("/login")
        try await submit("/login/password", ["email": email, "password": password])
    }

    /// Types a number on a page, which sends a code to it.
    ///
    /// - Returns: The code.
    func sendCode(at path: String, to number: String = PageBrowser.number, name: String? = nil) async throws -> String {
        try await get(path)
        var typed = ["number": number]
        typed["name"] = name
        try await submit(path, typed)
        return try #require(bench.codes.last(to: number)).code
    }

    /// Enrols an authenticator app on the page, or on the way to another path.
    func enroll(at path: String = "/second-factor") async throws -> AuthenticatorApp {
        try await get(path)
        try await submit("/second-factor", ["name": "Ada's phone"])
        let key = try #require(try page().all("code").first?.text)
        let app = try AuthenticatorApp(secret: key)
        try await submit("/second-factor", ["code": app.code(at: bench.clock.now)])
        return app
    }
}
#endif
