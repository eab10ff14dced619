// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import Foundation
import HTTPTypes
import LimitedLogin
import LoginAccounts
import LoginProviders
import LoginTesting
import LoginTokens
import Testing

@testable import LoginHTTP

/// A request in a table of requests.
struct TableRequest: Sendable {
    var method = HTTPRequest.Method.post
    let path: String
    var body: String?
    var bearer: String?
    var headers: HTTPFields = [:]
}

/// An enrolled authenticator app, and the session in which it was enrolled.
struct EnrolledApp: Sendable {
    let uid: String
    let app: AuthenticatorApp
    let sessionToken: String

    /// Returns an assertion with the current code or with a wrong one.
    func assertion(at date: Date, isWrong: Bool = false) -> String {
        let code = app.code(at: date)
        let shown = isWrong ? (code == "000000" ? "111111" : "000000") : code
        return #"{"type":"totp","uid":"\#(uid)","code":"\#(shown)"}"#
    }
}

// The steps with which most tests of refusals begin.
extension APIClient {
    static let password = "correct horse battery"
    static let phone = "+14155550100"

    /// Sends a request of a table.
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

    /// Sends a request of a table, and expects that it succeeds.
    @discardableResult
    func accepted(_ request: TableRequest, sourceLocation: SourceLocation = #_sourceLocation) async throws -> Answer {
        let answer = try await ask(request, sourceLocation: sourceLocation)
        #expect(answer.status.kind == .successful, "\(request.path): \(answer.text)", sourceLocation: sourceLocation)
        return answer
    }

    /// Sends a request of a table, and expects that it is refused with this code.
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

    /// Signs in a user with a verified address, and returns the session token.
    func proven(_ name: String = "ada") async throws -> String {
        try await signIn(name, email: "\(name)@example.com").text("tokens.sessionToken")
    }

    /// Creates an account with a password.
    func signUp(_ email: String) async throws -> Answer {
        try await ask(.post, "/v1/sign-up", #"{"email":"\#(email)","password":"\#(Self.password)"}"#)
    }

    /// Returns a credential with an address and its password, as JSON.
    func password(of email: String, _ password: String = password) -> String {
        #"{"type":"password","email":"\#(email)","password":"\#(password)"}"#
    }

    /// Begins an attempt, and returns a valid credential for it, as JSON.
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

    /// Requests a code for a number, and returns a credential with it or with a wrong one, as JSON.
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

    /// Returns the code last sent to a number, or another one.
    func code(to number: String = phone, isWrong: Bool = false) throws -> String {
        let code = try #require(fixture.codes.last(to: number)).code
        return isWrong ? (code == "000000" ? "111111" : "000000") : code
    }

    /// Enrols an app; if it is the first second factor, the session gets new tokens.
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

    /// Enrols a phone; if it is the first second factor, the session gets new tokens.
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

    /// Returns an assertion with the code last sent to a phone.
    func phoneAssertion(_ challenge: Answer, _ number: String = phone) throws -> String {
        #"{"type":"phone","challengeID":"\#(try challenge.text("id"))","code":"\#(try code(to: number))"}"#
    }

    /// Signs in with the first factor, and returns the token of the resolver for the second.
    func resolver(of name: String = "ada") async throws -> String {
        let shown = try await good(name, email: "\(name)@example.com")
        let held = try await refused(.secondFactorRequired, .post, "/v1/sign-in", #"{"credential":\#(shown)}"#)
        return try held.text("resolver.token")
    }
}
#endif
