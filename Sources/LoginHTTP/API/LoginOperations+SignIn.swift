// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import HTTPTypes
internal import LoginAccounts
internal import LoginProviders

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension LoginOperations {
    /// The sign-in operations.
    var signIn: [Operation] {
        [begin, signInOperation, guest, signUp, phoneCode, passwordReset, newPassword]
    }

    /// Returns the purpose of a new attempt.
    private static func purpose(_ call: Call) throws -> AttemptPurpose {
        switch call.optionalText("purpose") {
        case "link": .link(try call.session())
        case "reauthenticate": .reauthenticate(try call.session())
        default: .signIn
        }
    }

    private var begin: Operation {
        Operation(
            name: "begin",
            method: .post,
            path: "/v1/attempts",
            summary: "Begins an attempt to sign in, to link a login or to reauthenticate.",
            tag: "Sign-in",
            session: .optional,
            body: .json(
                .object([
                    .required("provider", Self.providerName, "The provider that will issue the ID token."),
                    .optional(
                        "purpose",
                        .choice(["sign-in", "link", "reauthenticate"]),
                        "The purpose of the attempt; `sign-in` by default. The others require a session."
                    ),
                ])
            ),
            answer: .init(
                status: .created,
                summary: "The attempt.",
                schema: .named(
                    "Attempt",
                    .object([
                        .required("attempt", Self.secret, "A secret, with which the client completes the attempt."),
                        .required("nonce", Self.secret, "The nonce for the ID token."),
                        .required("expiresAt", .time, "When the attempt expires."),
                        .optional(
                            "configuration",
                            .anyObject,
                            "At Facebook: the configuration for its SDK, with the nonce, the permissions and the tracking."
                        ),
                    ])
                )
            ),
            problems: [.missingSession, ProblemCode(.operationNotAllowed)]
        ) { call in
            let provider = ProviderID(rawValue: call.text("provider"))
            let attempt = try await auth.begin(Self.purpose(call), with: provider)
            return jsonResponse(
                AttemptAnswer(attempt),
                status: .created
            )
        }
    }

    private var signInOperation: Operation {
        Operation(
            name: "signIn",
            method: .post,
            path: "/v1/sign-in",
            summary: "Signs in. An unknown login creates an account.",
            tag: "Sign-in",
            body: .json(
                .object([.required("credential", Self.credential, "The credential."), Self.cookies])
            ),
            answer: .signedIn,
            problems: Self.credentialProblems + [
                .crossSite, ProblemCode(.accountExistsWithDifferentCredential),
            ]
        ) { call in
            try requireOwnPage(call)
            switch try await auth.signIn(with: credential(call), from: call.origin) {
            case .signedIn(let result): return signedIn(result, call)
            case .secondFactorRequired(let resolver): throw Problem(resolver)
            case .accountExists(let conflict):
                RefusalLog(call.visit.logger).record(conflict)
                throw Problem(conflict)
            }
        }
    }

    private var guest: Operation {
        Operation(
            name: "signInAnonymously",
            method: .post,
            path: "/v1/sign-in/anonymous",
            summary:
                "Creates an anonymous account. The first linked login makes it permanent.",
            tag: "Sign-in",
            body: .json(.object([Self.cookies])),
            answer: .signedIn,
            problems: [
                .crossSite, ProblemCode(.operationNotAllowed), ProblemCode(.storeUnavailable),
                ProblemCode(.conflictRetry),
            ]
        ) { call in
            try requireOwnPage(call)
            guard options.allowsGuests else { throw Problem(ProblemCode(.operationNotAllowed)) }
            return signedIn(try await auth.signInAnonymously(from: call.origin), call)
        }
    }

    private var signUp: Operation {
        Operation(
            name: "signUp",
            method: .post,
            path: "/v1/sign-up",
            summary: "Creates an account with an e-mail address and a password.",
            tag: "Sign-in",
            body: .json(
                .object([
                    .required("email", Self.typed, "The e-mail address."),
                    .required("password", .text(1...1024), "The password."), Self.cookies,
                ])
            ),
            answer: .signedIn,
            problems: [
                .crossSite, ProblemCode(.operationNotAllowed), ProblemCode(.emailAlreadyInUse),
                ProblemCode(.weakPassword), ProblemCode(.invalidEmail), ProblemCode(.storeUnavailable),
                ProblemCode(.conflictRetry),
            ]
        ) { call in
            try requireOwnPage(call)
            let (email, password) = (call.text("email"), call.text("password"))
            return signedIn(
                try await auth.createAccount(email: email, password: password, from: call.origin),
                call
            )
        }
    }

    private var phoneCode: Operation {
        Operation(
            name: "sendPhoneCode",
            method: .post,
            path: "/v1/phone-codes",
            summary:
                "Sends a code to a phone, to sign in, to link the number or to reauthenticate.",
            tag: "Sign-in",
            session: .optional,
            body: .json(
                .object([
                    .required("number", .text(1...32), "The phone number, with the country code: +49 30 123456."),
                    .optional(
                        "purpose",
                        .choice(["sign-in", "link", "reauthenticate"]),
                        "The purpose of the code; `sign-in` by default."
                    ),
                ])
            ),
            answer: .init(
                status: .created,
                summary: "The challenge.",
                schema: .named("PhoneVerification", .object(Self.sentCode()))
            ),
            problems: [
                .missingSession, ProblemCode(.operationNotAllowed), ProblemCode(.invalidPhoneNumber),
                ProblemCode(.quotaExceeded), ProblemCode(.providerUnavailable), ProblemCode(.storeUnavailable),
            ],
            isListed: auth.allows(.phone)
        ) { call in
            let sent = try await auth.sendPhoneCode(
                to: call.text("number"),
                for: Self.purpose(call),
                from: call.origin
            )
            return jsonResponse(sent, status: .created)
        }
    }

    private var passwordReset: Operation {
        Operation(
            name: "sendPasswordReset",
            method: .post,
            path: "/v1/password-resets",
            summary:
                "Sends a message to reset the password. The response does not reveal whether there is an account.",
            tag: "Sign-in",
            body: .json(.object([.required("email", Self.typed, "The e-mail address.")])),
            answer: .init(
                status: .accepted,
                summary: "A message will be sent if there is an account with this address."
            ),
            problems: [
                ProblemCode(.operationNotAllowed), ProblemCode(.invalidEmail), ProblemCode(.storeUnavailable),
                ProblemCode(.conflictRetry),
            ]
        ) { call in
            try await auth.sendPasswordReset(to: call.text("email"), from: call.origin)
            return ServerResponse(status: .accepted, headers: [.cacheControl: "no-store"])
        }
    }

    private var newPassword: Operation {
        Operation(
            name: "resetPassword",
            method: .post,
            path: "/v1/password-resets/confirm",
            summary: "Sets a new password with the token from the message. Closes all earlier sessions.",
            tag: "Sign-in",
            body: .json(
                .object([
                    .required("token", Self.secret, "The token from the message."),
                    .required("password", .text(1...1024), "The new password."),
                ])
            ),
            answer: .done,
            problems: [
                ProblemCode(.operationNotAllowed), ProblemCode(.invalidCredential), ProblemCode(.weakPassword),
                ProblemCode(.userDisabled), ProblemCode(.emailAlreadyInUse), ProblemCode(.storeUnavailable),
                ProblemCode(.conflictRetry),
            ]
        ) { call in
            try await auth.resetPassword(token: call.text("token"), to: call.text("password"), from: call.origin)
            return .noContent
        }
    }
}

/// An attempt, with the member names of the API.
private struct AttemptAnswer: Encodable {
    private let attempt, nonce: String
    private let expiresAt: Date
    private let configuration: ProviderAnswer?

    init(_ begun: AuthAttempt) {
        attempt = begun.token
        nonce = begun.nonce
        expiresAt = begun.expiresAt
        configuration = begun.configuration.map { ProviderAnswer(value: $0) }
    }
}
#endif
