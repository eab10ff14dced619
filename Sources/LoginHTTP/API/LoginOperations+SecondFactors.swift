// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import HTTPTypes
internal import LoginAccounts
internal import LoginTokens

extension LoginOperations {
    /// The operations for second factors.
    var secondFactors: [Operation] {
        [challenge, resolve, enrollTOTP, enrollPhone, confirm, unenroll, recoveryCodes, stepUp, stepUpChallenge]
    }

    /// The schema of a second factor that a client presents.
    private static var assertion: Schema {
        .named(
            "SecondFactorAssertion",
            .oneOf([
                (
                    "totp",
                    [
                        factorID,
                        .required("code", .text(1...32), "The code from the authenticator app."),
                    ]
                ),
                (
                    "phone",
                    [
                        .required("challengeID", secret, "The challenge."),
                        .required("code", .text(1...32), "The code that was sent."),
                    ]
                ),
                ("recovery-code", [.required("code", .text(1...64), "A recovery code.")]),
            ])
        )
    }

    /// The ID of an enrolled second factor.
    private static var factorID: Field { .required("uid", .text(1...64), "The ID of the factor.") }

    /// The schema of a code that was sent to the phone of a second factor.
    private static var challengeSchema: Schema {
        .named("Challenge", .object(sentCode(factorID)))
    }

    private func assertion(_ call: Call) -> MultiFactorAssertion {
        guard let shown = call.body?["assertion"] else {
            preconditionFailure("the schema of the operation requires an assertion")
        }
        func text(_ name: String) -> String { shown[name]?.string ?? "" }
        return switch text("type") {
        case "totp": .totp(text("uid"), code: text("code"))
        case "phone": .phone(challengeID: text("challengeID"), code: text("code"))
        default: .recoveryCode(text("code"))
        }
    }

    /// The error codes for a rejected second factor.
    private static var assertionCodes: [AuthError.Code] {
        [
            .invalidVerificationCode, .invalidVerificationID, .sessionExpired, .multiFactorInfoNotFound,
            .storeUnavailable, .conflictRetry,
        ]
    }

    /// The error codes for a code that cannot be sent.
    private static var challengeCodes: [AuthError.Code] {
        [
            .multiFactorInfoNotFound, .quotaExceeded, .providerUnavailable, .operationNotAllowed, .storeUnavailable,
            .conflictRetry,
        ]
    }

    private var challenge: Operation {
        Operation(
            name: "beginChallenge",
            method: .post,
            path: "/v1/second-factors/challenge",
            summary: "Sends a code to a phone, for a sign-in that waits for its second factor.",
            tag: "Second factors",
            body: .json(
                .object([
                    .required("resolver", Self.secret, "The token of the refusal `second-factor-required`."),
                    Self.factorID,
                ])
            ),
            answer: .init(status: .created, summary: "The challenge.", schema: Self.challengeSchema),
            problems: codes(Self.challengeCodes + [.invalidMultiFactorSession]),
            isListed: auth.sendsPhoneCodes
        ) { call in
            let challenge = try await auth.beginChallenge(
                call.text("resolver"),
                factor: call.text("uid"),
                from: call.origin
            )
            return jsonResponse(challenge, status: .created)
        }
    }

    private var resolve: Operation {
        Operation(
            name: "resolveSignIn",
            method: .post,
            path: "/v1/second-factors/resolve",
            summary: "Completes a sign-in with the second factor.",
            tag: "Second factors",
            body: .json(
                .object([
                    .required("resolver", Self.secret, "The token of the refusal `second-factor-required`."),
                    .required("assertion", Self.assertion, "The second factor."), Self.cookies,
                ])
            ),
            answer: .signedIn,
            problems: [.crossSite]
                + codes(Self.assertionCodes + [.invalidMultiFactorSession, .invalidCredential, .userDisabled])
        ) { call in
            try requireOwnPage(call)
            let result = try await auth.resolveSignIn(call.text("resolver"), with: assertion(call), from: call.origin)
            return signedIn(result, call)
        }
    }

    private var enrollTOTP: Operation {
        Operation(
            name: "enrollTOTP",
            method: .post,
            path: "/v1/second-factors/totp",
            summary: "Begins to enrol an authenticator app. Requires a recent sign-in.",
            tag: "Second factors",
            session: .required,
            body: .json(
                .object([
                    .required("issuer", .text(1...64), "The name of the service, for the authenticator app."),
                    .optional("displayName", .text(1...64), "A name for the factor."),
                    .optional("accountName", .text(1...64), "The name of the account, for the authenticator app."),
                ])
            ),
            answer: .init(
                status: .created,
                summary: "The secret for the authenticator app.",
                schema: .named(
                    "TOTPEnrollment",
                    .object([
                        .required("uid", .text(1...64), "The ID that the factor will have."),
                        .required("secret", Self.secret, "The secret in base32, for typing."),
                        .required("uri", .text(1...2048), "The secret as an `otpauth` URI, for a QR code."),
                        .required("expiresAt", .time, "When the enrolment expires, unless it is confirmed."),
                    ])
                )
            ),
            problems: codes([
                .requiresRecentLogin, .secondFactorRequired, .unverifiedEmail, .maximumSecondFactorCountExceeded,
                .unsupportedFirstFactor,
            ])
        ) { call in
            let factor = NewTOTPFactor.totp(
                issuer: call.text("issuer"),
                displayName: call.optionalText("displayName"),
                accountName: call.optionalText("accountName")
            )
            let begun = try await call.session().multiFactor.beginEnrollment(factor)
            return jsonResponse(TOTPAnswer(begun), status: .created)
        }
    }

    private var enrollPhone: Operation {
        Operation(
            name: "enrollPhone",
            method: .post,
            path: "/v1/second-factors/phone",
            summary: "Begins to enrol a phone that receives codes. Requires a recent sign-in.",
            tag: "Second factors",
            session: .required,
            body: .json(
                .object([
                    .required("number", .text(1...32), "The phone number, with the country code."),
                    .optional("displayName", .text(1...64), "A name for the factor."),
                ])
            ),
            answer: .init(status: .created, summary: "The challenge.", schema: Self.challengeSchema),
            problems: codes([
                .requiresRecentLogin, .secondFactorRequired, .unverifiedEmail, .maximumSecondFactorCountExceeded,
                .secondFactorAlreadyEnrolled, .invalidPhoneNumber, .operationNotAllowed, .providerUnavailable,
                .quotaExceeded, .unsupportedFirstFactor,
            ]),
            isListed: auth.sendsPhoneCodes
        ) { call in
            let factor = NewPhoneFactor.phone(call.text("number"), displayName: call.optionalText("displayName"))
            let begun = try await call.session().multiFactor.beginEnrollment(factor, from: call.origin)
            return jsonResponse(begun.challenge, status: .created)
        }
    }

    private var confirm: Operation {
        Operation(
            name: "confirmEnrollment",
            method: .post,
            path: "/v1/second-factors/confirm",
            summary: "Enrols a factor by its first code. After the first factor of an account all other sessions end.",
            tag: "Second factors",
            session: .required,
            body: .json(.object([.required("assertion", Self.assertion, "A code of the new factor.")])),
            answer: .init(
                summary: "The factor and the session.",
                schema: .named(
                    "EnrolledFactor",
                    .object([
                        .required("factor", FactorAnswer.schema, "The factor."),
                        .required("session", SessionAnswer.schema, "The session."),
                        .optional(
                            "tokens",
                            TokensAnswer.schema,
                            "The new tokens, if there are any and they were not set as cookies."
                        ),
                    ])
                )
            ),
            problems: codes(
                Self.assertionCodes + [
                    .missingMultiFactorInfo, .secondFactorRequired, .maximumSecondFactorCountExceeded,
                    .unsupportedFirstFactor, .unverifiedEmail,
                ]
            )
        ) { call in
            let enrolled = try await call.session().multiFactor.confirmEnrollment(assertion(call))
            let isCookie = call.visit.transport == .cookie
            var response = jsonResponse(
                EnrolledAnswer(
                    factor: FactorAnswer(enrolled.factor),
                    session: SessionAnswer(enrolled.session),
                    tokens: isCookie ? nil : enrolled.tokens.map(TokensAnswer.init)
                )
            )
            if isCookie, let tokens = enrolled.tokens {
                SessionCookies.set(tokens, of: enrolled.session, at: auth.clock.now, in: &response.headers)
            }
            return response
        }
    }

    private var unenroll: Operation {
        Operation(
            name: "unenroll",
            method: .delete,
            path: "/v1/second-factors/{uid}",
            summary: "Removes a second factor. Requires a session of level 2.",
            tag: "Second factors",
            session: .required,
            parameters: [Self.factorID],
            answer: .done,
            problems: codes([.requiresRecentLogin, .secondFactorRequired, .multiFactorInfoNotFound])
        ) { call in
            try await call.session().multiFactor.unenroll(call.parameter("uid"))
            return .noContent
        }
    }

    private var recoveryCodes: Operation {
        Operation(
            name: "generateRecoveryCodes",
            method: .post,
            path: "/v1/second-factors/recovery-codes",
            summary: "Generates recovery codes for a lost second factor. Earlier codes become invalid.",
            tag: "Second factors",
            session: .required,
            answer: .init(
                status: .created,
                summary: "The codes, which cannot be retrieved again.",
                schema: .object([.required("codes", .array(.text(1...64), most: 100), "The codes.")])
            ),
            problems: codes([.requiresRecentLogin, .secondFactorRequired])
        ) { call in
            jsonResponse(["codes": try await call.session().multiFactor.generateRecoveryCodes()], status: .created)
        }
    }

    private var stepUp: Operation {
        Operation(
            name: "stepUp",
            method: .post,
            path: "/v1/step-up",
            summary: "Raises the session to level 2 with a second factor.",
            tag: "Second factors",
            session: .required,
            body: .json(.object([.required("assertion", Self.assertion, "The second factor.")])),
            answer: .signedIn,
            problems: codes(Self.assertionCodes)
        ) { call in
            let session = try call.session()
            return signedIn(try await session.stepUp(with: assertion(call), from: call.origin), call)
        }
    }

    private var stepUpChallenge: Operation {
        Operation(
            name: "beginStepUpChallenge",
            method: .post,
            path: "/v1/step-up/challenge",
            summary: "Sends a code to a phone, for `/v1/step-up`.",
            tag: "Second factors",
            session: .required,
            body: .json(.object([Self.factorID])),
            answer: .init(status: .created, summary: "The challenge.", schema: Self.challengeSchema),
            problems: codes(Self.challengeCodes),
            isListed: auth.sendsPhoneCodes
        ) { call in
            let session = try call.session()
            return jsonResponse(
                try await session.beginChallenge(factor: call.text("uid"), from: call.origin),
                status: .created
            )
        }
    }
}
#endif
