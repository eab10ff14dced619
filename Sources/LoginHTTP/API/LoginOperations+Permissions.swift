// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import HTTPTypes
internal import LoginAccounts
internal import LoginProviders

extension LoginOperations {
    /// The operation that revokes a permission of a login, or the whole login.
    var revokePermissions: Operation {
        Operation(
            name: "revokePermissions",
            method: .post,
            path: "/v1/permissions/revoke",
            summary: "Revokes a permission of a login, or the whole login, at its provider.",
            tag: "Account",
            session: .required,
            body: .json(
                .object([
                    .required("provider", Self.providerName, "The identity provider."),
                    .required(
                        "accessToken",
                        Self.shortToken,
                        "An access token of the user's login at the provider. It is used once and not stored."
                    ),
                    .optional(
                        "permission",
                        Self.permission,
                        "The provider's name of the permission. Required unless `all` is true."
                    ),
                    .optional(
                        "all",
                        .boolean,
                        "Whether to revoke the whole login. Only without `permission`."
                    ),
                ])
            ),
            answer: .init(summary: "The account.", schema: AccountAnswer.schema),
            problems: codes([.invalidCredential, .userMismatch, .operationNotAllowed, .providerUnavailable])
        ) { call in
            let permission = call.optionalText("permission").map(Permission.init(rawValue:))
            // A client that forgets the permission must not revoke the login.
            guard (permission == nil) == call.flag("all") else {
                throw Problem(.invalidRequest, "The body must have either `permission` or `\"all\": true`.")
            }
            let session = try call.session()
            try await session.revoke(
                permission,
                at: ProviderID(rawValue: call.text("provider")),
                accessToken: call.text("accessToken")
            )
            return jsonResponse(AccountAnswer(try await session.account()))
        }
    }
}
#endif
