// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import HTTPTypes
internal import LoginAccounts

extension LoginOperations {
    /// The operations on the user's own account.
    var account: [Operation] {
        [
            readAccount, updateProfile, deleteAccount, personalData, setPassword, sendVerification, verifyEmail,
            revokePermissions,
        ]
    }

    private var readAccount: Operation {
        Operation(
            name: "account",
            method: .get,
            path: "/v1/account",
            summary: "Returns the account of the session, with the stored profile of each login.",
            tag: "Account",
            session: .required,
            answer: .init(summary: "The account.", schema: AccountAnswer.schema)
        ) { call in
            let (account, stored) = try await call.session().accountWithIdentities()
            return jsonResponse(AccountAnswer(account, stored: stored, of: auth.providers))
        }
    }

    private var updateProfile: Operation {
        Operation(
            name: "updateProfile",
            method: .patch,
            path: "/v1/account",
            summary: "Sets the name and the picture of the account, which override those of the providers.",
            tag: "Account",
            session: .required,
            body: .json(
                .object([
                    .optional(
                        "displayName",
                        .text(0...1000),
                        "The name, on one line of 1 to 512 bytes."
                    ),
                    .optional(
                        "photoURL",
                        .text(0...2048),
                        "The https address of a picture."
                    ),
                ])
            ),
            answer: .init(summary: "The account.", schema: AccountAnswer.schema),
            problems: [ProblemCode(.invalidProfile)]
        ) { call in
            let account = try await call.session().updateProfile(
                displayName: call.optionalText("displayName"),
                photoURL: call.optionalText("photoURL")
            )
            return jsonResponse(AccountAnswer(account))
        }
    }

    private var deleteAccount: Operation {
        Operation(
            name: "deleteAccount",
            method: .delete,
            path: "/v1/account",
            summary: "Deletes the account and all its data. Requires a recent sign-in.",
            tag: "Account",
            session: .required,
            answer: .done,
            problems: [
                ProblemCode(.requiresRecentLogin), ProblemCode(.secondFactorRequired), ProblemCode(.userNotFound),
                ProblemCode(.accountMerged),
            ]
        ) { call in
            try await call.session().deleteAccount()
            var response = ServerResponse.noContent
            if call.visit.transport == .cookie { SessionCookies.clear(in: &response.headers) }
            return response
        }
    }

    private var personalData: Operation {
        Operation(
            name: "personalData",
            method: .get,
            path: "/v1/account/data",
            summary: "Exports all data of the account. Requires a recent sign-in.",
            tag: "Account",
            session: .required,
            answer: .init(summary: "The data.", schema: .anyObject),
            problems: [
                ProblemCode(.requiresRecentLogin), ProblemCode(.secondFactorRequired), ProblemCode(.userNotFound),
            ]
        ) { call in
            let data = try await call.session().exportPersonalData()
            return ServerResponse(
                status: .ok,
                headers: [
                    .contentType: "application/json", .cacheControl: "no-store",
                    .contentDisposition: #"attachment; filename="personal-data.json""#,
                ],
                body: ServerResponse.Body(data)
            )
        }
    }

    private var setPassword: Operation {
        Operation(
            name: "setPassword",
            method: .put,
            path: "/v1/account/password",
            summary: "Sets or changes the password of the account. Closes all other sessions.",
            tag: "Account",
            session: .required,
            body: .json(
                .object([
                    .required("password", .text(1...1024), "The password."),
                    .optional(
                        "email",
                        Self.typed,
                        "The e-mail address of the password. Required if the account has no password yet."
                    ),
                ])
            ),
            answer: .signedIn,
            problems: codes([
                .weakPassword, .invalidEmail, .emailAlreadyInUse, .providerAlreadyLinked, .requiresRecentLogin,
                .secondFactorRequired, .operationNotAllowed,
            ])
        ) { call in
            let session = try call.session()
            return signedIn(
                try await session.setPassword(
                    call.text("password"),
                    email: call.optionalText("email"),
                    from: call.origin
                ),
                call
            )
        }
    }

    private var sendVerification: Operation {
        Operation(
            name: "sendEmailVerification",
            method: .post,
            path: "/v1/account/email-verification",
            summary: "Sends a message to verify the e-mail address of the password.",
            tag: "Account",
            session: .required,
            answer: .init(status: .accepted, summary: "The message will be sent."),
            problems: codes([.noSuchProvider, .providerUnavailable, .operationNotAllowed])
        ) { call in
            try await call.session().sendEmailVerification(from: call.origin)
            return ServerResponse(status: .accepted, headers: [.cacheControl: "no-store"])
        }
    }

    private var verifyEmail: Operation {
        Operation(
            name: "verifyEmail",
            method: .post,
            path: "/v1/account/email-verification/confirm",
            summary: "Verifies the e-mail address with the token from the message.",
            tag: "Account",
            session: .required,
            body: .json(.object([.required("token", Self.secret, "The token from the message.")])),
            answer: .signedIn,
            problems: codes([.invalidCredential, .emailAlreadyInUse])
        ) { call in
            signedIn(try await call.session().verifyEmail(token: call.text("token")), call)
        }
    }

    /// Returns the problem codes for codes of account errors.
    func codes(_ codes: [AuthError.Code]) -> [ProblemCode] { codes.map { ProblemCode($0) } }
}
#endif
