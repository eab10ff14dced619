// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LimitedLogin
internal import LimitedLoginTesting
import LoginProviders
internal import LoginTesting
internal import LoginTokens
internal import Synchronization
internal import Testing

/// A server with logins at a stand-in for Facebook, and the browsers of its users.
struct LoginBench {
    /// The browser of a user.
    enum Browser: Sendable, Hashable {
        case ada, eve
        /// A browser that sends no cookies.
        case nobody
    }

    static let redirectURL = "https://example.com/login/callback"

    let facebook: FacebookStandIn
    let attempts: any AttemptStore
    let cookies: CookieJars
    let logins: LoginManager

    /// Creates a server.
    ///
    /// - Parameters:
    ///   - facebook: The stand-in for Facebook.
    ///   - attempts: The store of attempts; nil for one of its own.
    ///   - cookies: The cookies of the browsers; those of another server if both are parts of one site.
    ///   - withSecret: Whether the server has the app secret.
    ///   - redirectURL: The redirect URI.
    ///   - onVerdict: Called with each verdict on an ID token.
    /// - Throws: `LoginManagerError` for a mistake of the test.
    init(
        _ facebook: FacebookStandIn = FacebookStandIn(),
        attempts: (any AttemptStore)? = nil,
        cookies: CookieJars = CookieJars(),
        withSecret: Bool = true,
        redirectURL: String = redirectURL,
        onVerdict: (@Sendable (VerificationError?) -> Void)? = nil
    ) throws {
        self.facebook = facebook
        self.attempts = attempts ?? InMemoryAttemptStore(clock: facebook.clock)
        self.cookies = cookies
        logins = try LoginManager(
            provider: .facebook(try facebook.app(withSecret: withSecret), tracking: .enabled),
            metadata: nil,
            redirectURL: redirectURL,
            attempts: self.attempts,
            verification: LoginManager.Verification(
                keys: facebook.issuer.keys,
                clock: facebook.clock,
                onVerdict: onVerdict
            ),
            transport: facebook
        )
    }

    /// Begins a login, and stores its secret in the browser.
    ///
    /// - Returns: The URL for the browser.
    func begin(
        _ request: LoginRequest,
        purpose: NoncePurpose = .signIn,
        as browser: Browser = .ada,
        returnTo: String? = nil,
        expecting userID: String? = nil,
        lifetime: Duration = Limits.nonceLifetime.upperBound
    ) async throws -> String {
        let started = try await logins.begin(
            request,
            purpose: purpose,
            returnTo: returnTo,
            expecting: userID,
            lifetime: lifetime
        )
        cookies.keep(started.secret, state: try parameters(of: started.url)["state"], in: browser)
        return started.url
    }

    /// Returns the callback of the dialog to the user's browser.
    func answer(to url: String) throws -> Answer {
        Answer(url: try #require(facebook.open(url), "the dialog sends nobody back"))
    }

    /// Runs a login from its beginning to its end.
    func logIn(
        _ request: LoginRequest,
        expecting userID: String? = nil,
        _ change: (inout Answer) -> Void = { _ in }
    ) async throws -> LoginResult {
        var answer = try answer(to: try await begin(request, expecting: userID))
        change(&answer)
        return try await finish(answer)
    }

    /// Finishes a login in a browser, which sends the secret of the login with this state.
    ///
    /// A browser that began no such login sends its latest secret; a browser that began none sends an unknown secret.
    func finish(
        _ answer: Answer,
        purpose: NoncePurpose = .signIn,
        as browser: Browser = .ada
    ) async throws -> LoginResult {
        try await finish(answer.callback, state: answer["state"], purpose: purpose, as: browser)
    }

    /// Finishes a login with a callback of any form, like the other method.
    func finish(
        _ callback: LoginCallback,
        state: String?,
        purpose: NoncePurpose = .signIn,
        as browser: Browser = .ada
    ) async throws -> LoginResult {
        try await logins.finish(callback, purpose: purpose, secret: cookies.secret(for: state, in: browser))
    }
}

/// Creates logins at an OpenID provider.
///
/// - Parameters:
///   - issuer: The issuer of the tokens.
///   - provider: The provider whose tokens are accepted; nil for that of the issuer.
///   - metadata: The metadata of the provider.
///   - clientID: The client ID.
///   - authentication: The client authentication.
///   - attempts: The store of attempts; nil for one of its own.
///   - transport: The transport for requests to the provider.
///   - onVerdict: Called with each verdict on an ID token.
/// - Returns: The logins.
/// - Throws: `LoginManagerError` for a mistake of the test.
func openIDLogins(
    at issuer: TestIssuer,
    provider: Provider? = nil,
    metadata: ProviderMetadata,
    clientID: String = "client-1",
    authentication: ClientAuthentication = .none,
    attempts: (any AttemptStore)? = nil,
    transport: StubTransport = StubTransport(),
    onVerdict: (@Sendable (VerificationError?) -> Void)? = nil
) throws -> LoginManager {
    try LoginManager(
        provider: SignInProvider(
            ProviderID("issuer"),
            provider: provider ?? issuer.provider,
            displayName: "Issuer",
            clientID: clientID,
            authentication: authentication,
            request: try .openID()
        ),
        metadata: metadata,
        redirectURL: LoginBench.redirectURL,
        attempts: attempts ?? InMemoryAttemptStore(clock: issuer.clock),
        verification: LoginManager.Verification(keys: issuer.keys, clock: issuer.clock, onVerdict: onVerdict),
        transport: transport
    )
}

/// The secrets of logins, by browser.
final class CookieJars: Sendable {
    private let secrets = Mutex<[LoginBench.Browser: [(state: String, secret: String)]]>([:])

    func keep(_ secret: String, state: String?, in browser: LoginBench.Browser) {
        secrets.withLock { $0[browser, default: []].append((state ?? "", secret)) }
    }

    /// Returns the secret for this state, else the browser's latest, else an unknown one; nil for a browser without
    /// cookies.
    func secret(for state: String?, in browser: LoginBench.Browser) -> String? {
        guard browser != .nobody else { return nil }
        return secrets.withLock { secrets in
            let kept = secrets[browser, default: []]
            return (kept.last { $0.state == state } ?? kept.last)?.secret ?? AttemptSecret().text
        }
    }
}

/// The parameters of a callback, for the test to change.
struct Answer {
    var query: [(name: String, value: String)]
    var fragment: [(name: String, value: String)]

    init(query: [(name: String, value: String)] = [], fragment: [(name: String, value: String)] = []) {
        self.query = query
        self.fragment = fragment
    }

    init(url: String) {
        let parts = url.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        query = Answer.fields(parts[0].drop { $0 != "?" }.dropFirst())
        fragment = parts.count > 1 ? Answer.fields(parts[1]) : []
    }

    private static func fields(_ text: Substring) -> [(name: String, value: String)] {
        FormFields(reading: text.utf8)?.all ?? []
    }

    var callback: LoginCallback {
        LoginCallback(query: FormFields(query).encoded, fragment: FormFields(fragment).encoded)
    }

    /// The parameter in the query or the fragment; setting an absent one adds it to the query.
    subscript(name: String) -> String? {
        get { (query + fragment).first { $0.name == name }?.value }
        set {
            let isInFragment = fragment.contains { $0.name == name }
            query.removeAll { $0.name == name }
            fragment.removeAll { $0.name == name }
            guard let newValue else { return }
            if isInFragment { fragment.append((name, newValue)) } else { query.append((name, newValue)) }
        }
    }
}

/// Returns the parameters of a URL's query.
func parameters(of url: String) throws -> [String: String] {
    let query = url.drop { $0 != "?" }.dropFirst()
    let fields = try #require(FormFields(reading: query.utf8))
    return Dictionary(fields.all.map { ($0.name, $0.value) }, uniquingKeysWith: { _, _ in "twice" })
}

/// Expects that a login fails with this code, and that neither text contains the secrets.
@discardableResult
func expectFailure(
    _ code: LoginFailure.Code,
    _ result: LoginResult,
    hiding secrets: [String?] = [],
    sourceLocation: SourceLocation = #_sourceLocation
) -> LoginFailure? {
    guard case .failed(let failure) = result else {
        Issue.record("\(result), expected \(code)", sourceLocation: sourceLocation)
        return nil
    }
    #expect(failure.code == code, "\(failure)", sourceLocation: sourceLocation)
    #expect(failure.publicMessage.hasPrefix("\(code): "), sourceLocation: sourceLocation)
    for secret in secrets.compactMap({ $0 }) where secret.utf8.count > 8 {
        #expect(!"\(failure) \(failure.publicMessage)".contains(secret), sourceLocation: sourceLocation)
    }
    return failure
}

/// Expects that a login succeeded.
func success(_ result: LoginResult, sourceLocation: SourceLocation = #_sourceLocation) throws -> LoginSuccess {
    guard case .success(let login) = result else {
        Issue.record("\(result)", sourceLocation: sourceLocation)
        throw Unsuccessful()
    }
    return login
}

struct Unsuccessful: Error {}

/// The verdicts on ID tokens, in order.
final class Verdicts: Sendable {
    private let seen = Mutex<[VerificationCode?]>([])

    /// The codes of the refusals; nil for any other verdict.
    var refusals: [VerificationCode?] { seen.withLock { $0 } }

    func add(_ error: VerificationError?) {
        let code: VerificationCode? = if case .refused(let refusal) = error { refusal.code } else { nil }
        seen.withLock { $0.append(code) }
    }
}
