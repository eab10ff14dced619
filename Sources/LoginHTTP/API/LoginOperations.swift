// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import HTTPTypes
internal import LoginAccounts
internal import LoginProviders
internal import LoginTokens

/// The operations of the API, in groups: one file each.
struct LoginOperations: Sendable {
    let login: LoginService

    var auth: Auth { login.auth }
    var options: LoginAPIOptions { login.api }

    /// The schema of a secret that a client presents.
    static var secret: Schema { .text(1...200) }

    /// Returns the members of a response to a request that sends a code to a phone.
    ///
    /// - Parameter factor: The members that follow the ID.
    /// - Returns: The members.
    static func sentCode(_ factor: Field...) -> [Field] {
        [Field.required("id", secret, "The ID of the challenge, to be sent with the code.")] + factor + [
            .required("expiresAt", .time, "When it expires."),
            .required("resendAt", .time, "When another code can be requested."),
        ]
    }

    /// The schema of a token that a verifier limits further.
    static var token: Schema { .text(1...Limits.tokenBytesRange.upperBound) }

    /// The schema of a proof, or of an access token of Facebook.
    static var shortToken: Schema { .text(1...Limits.tokenBytes) }

    /// The schema of a provider's configured name.
    static var providerName: Schema { .text(1...64) }

    /// The schema of a permission, by the provider's name.
    static var permission: Schema { .text(1...Limits.permissionBytes) }

    /// The schema of text that a user types.
    static var typed: Schema { .text(1...256) }

    /// The schema of a credential.
    static var credential: Schema {
        .named(
            "Credential",
            .oneOf([
                (
                    "id-token",
                    [
                        .required("token", token, "The ID token."),
                        .required("attempt", secret, "The attempt from `/v1/attempts`."),
                        .optional(
                            "accessToken",
                            token,
                            "The access token that the provider issued with the ID token; `at_hash` must be its hash."
                        ),
                    ]
                ),
                (
                    "access-token",
                    [
                        .required("token", shortToken, "The access token of a Facebook login with tracking."),
                        .required("attempt", secret, "The attempt from `/v1/attempts`."),
                    ]
                ),
                (
                    "password",
                    [
                        .required("email", typed, "The e-mail address."),
                        .required("password", .text(1...1024), "The password."),
                    ]
                ),
                (
                    "phone",
                    [
                        .required("verificationID", secret, "The `id` from the response of `/v1/phone-codes`."),
                        .required("code", .text(1...32), "The code that was sent to the phone."),
                    ]
                ),
                (
                    "pending",
                    [
                        .required("token", secret, "The pending credential of a conflict."),
                        .required("provider", providerName, "The identity provider."),
                    ]
                ),
            ])
        )
    }

    /// The problems of a rejected credential.
    static var credentialProblems: [ProblemCode] {
        let codes: [AuthError.Code] = [
            .invalidCredential, .missingOrInvalidNonce, .operationNotAllowed, .providerUnavailable, .wrongPassword,
            .invalidVerificationID, .invalidVerificationCode, .sessionExpired, .storeUnavailable, .conflictRetry,
            .userDisabled, .secondFactorRequired,
        ]
        return codes.map { ProblemCode($0) }
    }

    /// Returns the credential of a validated body.
    func credential(_ call: Call) -> AuthCredential {
        guard let shown = call.body?["credential"] else {
            preconditionFailure("the schema of the operation requires a credential")
        }
        func text(_ name: String) -> String { shown[name]?.string ?? "" }
        return switch text("type") {
        case "id-token":
            .idToken(text("token"), attempt: text("attempt"), accessToken: shown["accessToken"]?.string)
        case "access-token": .accessToken(text("token"), attempt: text("attempt"))
        case "password": .password(email: text("email"), password: text("password"))
        case "phone": .phone(verificationID: text("verificationID"), code: text("code"))
        default:
            .pending(PendingCredential(token: text("token"), providerID: ProviderID(rawValue: text("provider"))))
        }
    }

    /// The member that requests the tokens as cookies.
    static var cookies: Field {
        .optional(
            "cookies",
            .boolean,
            "Whether to set the tokens as cookies. Only pages of the same origin may ask for this."
        )
    }

    /// Returns the response with a session and its new tokens.
    ///
    /// A client that authenticates by cookie gets the tokens only as cookies, which scripts cannot read.
    func signedIn(_ result: AuthDataResult, _ call: Call) -> ServerResponse {
        answer(
            SignedInAnswer(
                account: AccountAnswer(result.account),
                session: SessionAnswer(result.session),
                tokens: TokensAnswer(result.tokens),
                outcome: result.outcome.rawValue,
                identity: result.identity.map { IdentityAnswer($0, profile: auth.providers.profile(in: $0)) }
            ),
            tokens: result.tokens,
            of: result.session,
            call
        )
    }

    /// Returns the response with a session, and with its tokens if they are new.
    func answer(
        _ body: SignedInAnswer,
        tokens: SessionTokens?,
        of session: Session,
        _ call: Call
    ) -> ServerResponse {
        guard usesCookies(call), let tokens else { return jsonResponse(body) }
        var silent = body
        silent.tokens = nil
        var response = jsonResponse(silent)
        SessionCookies.set(tokens, of: session, at: auth.clock.now, in: &response.headers)
        return response
    }

    private func usesCookies(_ call: Call) -> Bool {
        call.flag("cookies") || call.visit.transport == .cookie
    }

    /// Verifies that a request for cookies was made by a page of this site.
    ///
    /// Otherwise another site could sign a user in to an account of its choice (login CSRF). The check precedes all
    /// effects of the operation.
    func requireOwnPage(_ call: Call) throws(Problem) {
        guard call.flag("cookies") else { return }
        try login.sameOrigin.check(call.request)
    }
}

extension Operation.Answer {
    /// A session, with tokens that replace earlier ones.
    static var signedIn: Self { Self(summary: "The account and the session.", schema: SignedInAnswer.schema) }

    /// An empty response with status 204.
    static var done: Self { Self(status: .noContent, summary: "The operation succeeded.", schema: nil) }
}
#endif
