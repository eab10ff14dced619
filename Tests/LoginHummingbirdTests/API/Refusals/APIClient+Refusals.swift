// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
import Foundation
import HTTPTypes
import Hummingbird
import LimitedLogin
import LoginAccounts
import LoginProviders
import LoginTesting
import LoginTokens
import Testing

@testable import LoginHummingbird

/// One request, as a table of them has it.
struct TableRequest: Sendable {
    var method = HTTPRequest.Method.post
    let path: String
    var body: String?
    var bearer: String?
    var headers: HTTPFields = [:]
}

/// An app that is a second factor, and the session in which it became one.
struct EnrolledApp: Sendable {
    let uid: String
    let app: AuthenticatorApp
    let sessionToken: String

    /// What shows it, with the code of now or with a wrong one.
    func assertion(at date: Date, isWrong: Bool = false) -> String {
        let code = app.code(at: date)
        let shown = isWrong ? (code == "000000" ? "111111" : "000000") : code
        return #"{"type":"totp","uid":"\#(uid)","code":"\#(shown)"}"#
    }
}

// The steps that most tests of refusals begin with.
extension APIClient {
    static let password = "correct horse battery"
    static let phone = "+14155550100"

    /// Asks for what stands in a table.
    @discardableResult
    func ask(_ request: TableRequest, sourceLocation: SourceLocation = #_sourceLocation) async throws -> Answer {
        try await ask(
            request.method,
            request.path,
            request.body,
            bearer: request.bearer,
            headers: request.headers,
            sourceLocation: sourceLocation
        )
    }

    /// Asks for what stands in a table, and wants it to be done.
    @discardableResult
    func accepted(_ request: TableRequest, sourceLocation: SourceLocation = #_sourceLocation) async throws -> Answer {
        let answer = try await ask(request, sourceLocation: sourceLocation)
        #expect(answer.status.kind == .successful, "\(request.path): \(answer.text)", sourceLocation: sourceLocation)
        return answer
    }

    /// Asks for what stands in a table, and wants it to be refused for this reason.
    @discardableResult
    func refused(
        _ code: AuthError.Code,
        _ request: TableRequest,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Answer {
        try await refused(
            code,
            request.method,
            request.path,
            request.body,
            bearer: request.bearer,
            headers: request.headers,
            sourceLocation: sourceLocation
        )
    }

    /// Signs somebody in whose address is proven, and returns the session token.
    func proven(_ name: String = "ada") async throws -> String {
        try await signIn(name, email: "\(name)@example.com").text("tokens.sessionToken")
    }

    /// Makes an account with a password.
    func signUp(_ email: String) async throws -> Answer {
        try await ask(.post, "/v1/sign-up", #"{"email":"\#(email)","password":"\#(Self.password)"}"#)
    }

    /// The body of a credential: an address with its password.
    func password(of email: String, _ password: String = password) -> String {
        #"{"type":"password","email":"\#(email)","password":"\#(password)"}"#
    }

    /// The body of a credential of a login that is good, for an attempt that begins now.
    func good(
        _ name: String,
        of provider: ProviderID = .google,
        for purpose: String = "sign-in",
        bearer: String? = nil,
        email: String? = nil
    ) async throws -> String {
        let attempt = try await begin(provider, purpose, bearer: purpose == "sign-in" ? nil : bearer)
        return try credential(name, of: provider, attempt: attempt, email: email)
    }

    /// Has a code sent to a number, and returns the body of a credential with it, or with a wrong one.
    func phoneCredential(
        _ number: String,
        for purpose: String = "sign-in",
        bearer: String? = nil,
        isWrong: Bool = false
    ) async throws -> String {
        let body = #"{"number":"\#(number)","purpose":"\#(purpose)"}"#
        let sent = try await ask(.post, "/v1/phone-codes", body, bearer: purpose == "sign-in" ? nil : bearer)
        let id = try sent.text("id")
        return #"{"type":"phone","verificationID":"\#(id)","code":"\#(try code(to: number, isWrong: isWrong))"}"#
    }

    /// The code that was sent to a number last, or another one.
    func code(to number: String = phone, isWrong: Bool = false) throws -> String {
        let code = try #require(fixture.codes.last(to: number)).code
        return isWrong ? (code == "000000" ? "111111" : "000000") : code
    }

    /// Enrols an app; the session has other tokens then, where it is the first factor.
    func enrolApp(_ bearer: String) async throws -> EnrolledApp {
        let begun = try await ask(.post, "/v1/second-factors/totp", #"{"issuer":"Notes"}"#, bearer: bearer)
        let app = EnrolledApp(
            uid: try begun.text("uid"),
            app: try AuthenticatorApp(secret: try begun.text("secret")),
            sessionToken: ""
        )
        let body = #"{"assertion":\#(app.assertion(at: fixture.clock.now))}"#
        let confirmed = try await ask(.post, "/v1/second-factors/confirm", body, bearer: bearer)
        let token = try confirmed.json()["tokens"]?["sessionToken"]?.string ?? bearer
        return EnrolledApp(uid: app.uid, app: app.app, sessionToken: token)
    }

    /// Enrols a phone; the session has other tokens then, where it is the first factor.
    func enrolPhone(_ bearer: String, _ number: String = phone) async throws -> (uid: String, sessionToken: String) {
        let begun = try await ask(.post, "/v1/second-factors/phone", #"{"number":"\#(number)"}"#, bearer: bearer)
        let shown = try phoneAssertion(begun, number)
        let confirmed = try await ask(
            .post,
            "/v1/second-factors/confirm",
            #"{"assertion":\#(shown)}"#,
            bearer: bearer
        )
        let token = try confirmed.json()["tokens"]?["sessionToken"]?.string ?? bearer
        return (try begun.text("uid"), token)
    }

    /// What shows a phone, by the code that was sent last.
    func phoneAssertion(_ challenge: Answer, _ number: String = phone) throws -> String {
        #"{"type":"phone","challengeID":"\#(try challenge.text("id"))","code":"\#(try code(to: number))"}"#
    }

    /// Signs in with the first factor, and returns what asks for the second.
    func resolver(of name: String = "ada") async throws -> String {
        let shown = try await good(name, email: "\(name)@example.com")
        let held = try await refused(.secondFactorRequired, .post, "/v1/sign-in", #"{"credential":\#(shown)}"#)
        return try held.text("resolver.token")
    }
}

extension LoginFixture {
    /// The API of other accounts, or with something before it.
    func router(
        of auth: Auth,
        after middleware: [any MiddlewareProtocol<Request, Response, BasicLoginRequestContext>] = []
    ) -> Router<BasicLoginRequestContext> {
        let router = Router(context: BasicLoginRequestContext.self)
        router.addMiddleware {
            OriginMiddleware()
            ProblemMiddleware(publicURL: Self.publicURL)
        }
        for middleware in middleware { router.add(middleware: middleware) }
        LoginAPI<BasicLoginRequestContext>(auth: auth, options: options).addRoutes(to: router)
        return router
    }
}
#endif
