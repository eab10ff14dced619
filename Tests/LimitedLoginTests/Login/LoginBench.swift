// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LimitedLogin
import LoginProviders
internal import LoginTesting
internal import LoginTokens
internal import Testing

/// A server that lets people log in at a Facebook for tests, and the browser of one of them.
struct LoginBench {
    static let redirectURL = "https://example.com/login/callback"
    static let ada = NonceBinding(secret: "the cookie of Ada")
    static let eve = NonceBinding(secret: "the cookie of Eve")

    let facebook: FacebookStandIn
    let attempts: any AttemptStore
    let logins: LoginManager

    init(
        _ facebook: FacebookStandIn = FacebookStandIn(),
        attempts: (any AttemptStore)? = nil,
        withSecret: Bool = true,
        redirectURL: String = redirectURL
    ) throws {
        self.facebook = facebook
        self.attempts = attempts ?? InMemoryAttemptStore(clock: facebook.clock)
        logins = try LoginManager(
            client: .facebook(try facebook.app(withSecret: withSecret)),
            redirectURL: redirectURL,
            attempts: self.attempts,
            keys: facebook.issuer.keys,
            transport: facebook,
            clock: facebook.clock
        )
    }

    /// Begins a login, and says where the browser is sent.
    func begin(
        _ request: LoginRequest,
        purpose: NoncePurpose = .signIn,
        binding: NonceBinding = ada,
        returnTo: String? = nil,
        expecting userID: String? = nil
    ) async throws -> String {
        try await logins.begin(request, purpose: purpose, binding: binding, returnTo: returnTo, expecting: userID).url
    }

    /// What the person's browser brings back from the dialog.
    func answer(to url: String) throws -> Answer {
        Answer(url: try #require(facebook.open(url), "the dialog sends nobody back"))
    }

    /// A login from its beginning to its end.
    func logIn(
        _ request: LoginRequest,
        expecting userID: String? = nil,
        _ change: (inout Answer) -> Void = { _ in }
    ) async throws -> LoginResult {
        var answer = try answer(to: try await begin(request, expecting: userID))
        change(&answer)
        return try await finish(answer)
    }

    func finish(
        _ answer: Answer,
        purpose: NoncePurpose = .signIn,
        binding: NonceBinding = ada
    ) async throws -> LoginResult {
        try await logins.finish(answer.callback, purpose: purpose, binding: binding)
    }
}

/// What a browser brings back, to be changed.
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

    /// A parameter, wherever it stands; setting adds it to the query where it stands nowhere.
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

/// The parameters of a URL's query.
func parameters(of url: String) throws -> [String: String] {
    let query = url.drop { $0 != "?" }.dropFirst()
    let fields = try #require(FormFields(reading: query.utf8))
    return Dictionary(fields.all.map { ($0.name, $0.value) }, uniquingKeysWith: { _, _ in "twice" })
}

/// Expects that a login was refused for this reason, and that neither text holds what should stay secret.
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
