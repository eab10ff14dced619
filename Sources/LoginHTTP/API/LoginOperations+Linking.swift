// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import HTTPTypes
internal import LoginAccounts
internal import LoginProviders
internal import LoginTokens

extension LoginOperations {
    /// The operations that link logins and merge accounts.
    var linking: [Operation] { [link, unlink, reauthenticate, previewMerge, merge] }

    private static var idempotencyKey: Field {
        .optional(
            "Idempotency-Key",
            .text(1...64),
            "The idempotency key, in printable ASCII. A request that is repeated with the same key is executed once."
        )
    }

    private var link: Operation {
        Operation(
            name: "link",
            method: .post,
            path: "/v1/link",
            summary: "Links a login to the account. Requires a recent sign-in.",
            tag: "Linking",
            session: .required,
            headers: [Self.idempotencyKey],
            body: .json(.object([.required("credential", Self.credential, "The credential.")])),
            answer: .signedIn,
            problems: Self.credentialProblems
                + codes([
                    .credentialAlreadyInUse, .emailAlreadyInUse, .providerAlreadyLinked, .requiresRecentLogin,
                    .unsupportedFirstFactor, .idempotencyMismatch, .accountMerged, .userNotFound,
                ])
        ) { call in
            let session = try call.session()
            let result = try await session.link(
                with: credential(call),
                idempotencyKey: call.idempotencyKey(),
                from: call.origin
            )
            return signedIn(result, call)
        }
    }

    private var unlink: Operation {
        Operation(
            name: "unlink",
            method: .post,
            path: "/v1/unlink",
            summary:
                "Unlinks a login from the account, unless it is the last one. Requires a recent sign-in.",
            tag: "Linking",
            session: .required,
            headers: [Self.idempotencyKey],
            body: .json(
                .object([
                    .required("provider", Self.providerName, "The identity provider."),
                    .optional(
                        "uid",
                        .text(1...255),
                        "The user's ID at the provider. Required if the account has several logins of this provider."
                    ),
                    .optional("closeOtherSessions", .boolean, "Whether to close all other sessions."),
                ])
            ),
            answer: .signedIn,
            problems: codes([
                .noSuchProvider, .ambiguousProvider, .lastProvider, .requiresRecentLogin, .secondFactorRequired,
                .idempotencyMismatch,
            ])
        ) { call in
            let session = try call.session()
            let result = try await session.unlink(
                fromProvider: ProviderID(rawValue: call.text("provider")),
                uid: call.optionalText("uid"),
                closingOtherSessions: call.flag("closeOtherSessions"),
                idempotencyKey: call.idempotencyKey()
            )
            return signedIn(result, call)
        }
    }

    private var reauthenticate: Operation {
        Operation(
            name: "reauthenticate",
            method: .post,
            path: "/v1/reauthenticate",
            summary: "Reauthenticates the user, or records the result of a login that requested further permissions.",
            tag: "Linking",
            session: .required,
            body: .json(
                .object([
                    .required("credential", Self.credential, "A login of the account."),
                    .optional(
                        "permissions",
                        .array(Self.permission, most: Limits.requestedPermissions),
                        "The further permissions that the login requested. Such a login does not count as recent."
                    ),
                ])
            ),
            answer: .signedIn,
            problems: Self.credentialProblems
                + codes([.userMismatch, .accountMerged, .userNotFound, .requiresRecentLogin])
        ) { call in
            let session = try call.session()
            let permissions = call.body?["permissions"]?.elements?.compactMap(\.string) ?? []
            let result = try await session.reauthenticate(
                with: credential(call),
                requesting: Set(permissions.map(Permission.init(rawValue:))),
                from: call.origin
            )
            return signedIn(result, call)
        }
    }

    /// The body of a merge request, whose session is that of the remaining account.
    private static var mergeBody: Operation.Body {
        .json(
            .object([
                .required("source", secret, "A session token of the account that is merged into this one."),
                .optional(
                    "conflicts",
                    .choice(["refuse", "keepTarget", "keepSource"]),
                    "The rule if both accounts have a login of the same provider; `refuse` by default."
                ),
            ])
        )
    }

    private static func conflicts(_ call: Call) -> MergeConflicts {
        call.optionalText("conflicts").flatMap { MergeConflicts(rawValue: $0) } ?? .refuse
    }

    private var previewMerge: Operation {
        Operation(
            name: "previewMerge",
            method: .post,
            path: "/v1/merge/preview",
            summary: "Previews a merge without changing anything.",
            tag: "Linking",
            session: .required,
            body: Self.mergeBody,
            // The obstacles of the merge are part of the response, not problems.
            answer: .init(summary: "The result that a merge would have.", schema: MergePreviewAnswer.schema)
        ) { call in
            let target = try call.session()
            let source = try await auth.mergeSource(call.text("source"), into: target)
            let preview = try await auth.previewMerge(from: source, into: target, conflicts: Self.conflicts(call))
            return jsonResponse(MergePreviewAnswer(preview))
        }
    }

    private var merge: Operation {
        Operation(
            name: "merge",
            method: .post,
            path: "/v1/merge",
            summary:
                "Merges another account into this one. Requires a recent sign-in to both.",
            tag: "Linking",
            session: .required,
            headers: [Self.idempotencyKey],
            body: Self.mergeBody,
            answer: .signedIn,
            problems: codes([
                .mergeConflict, .accountMerged, .requiresRecentLogin, .secondFactorRequired, .unsupportedFirstFactor,
                .idempotencyMismatch,
            ])
        ) { call in
            let target = try call.session()
            let source = try await auth.mergeSource(call.text("source"), into: target)
            let result = try await auth.merge(
                from: source,
                into: target,
                conflicts: Self.conflicts(call),
                idempotencyKey: call.idempotencyKey()
            )
            return signedIn(result, call)
        }
    }
}

/// A preview of a merge.
private struct MergePreviewAnswer: Encodable {
    let moves, drops: [LoginAnswer]
    let conflicts, obstacles: [String]
    let secondFactors: [FactorAnswer]
    let isDone: Bool

    init(_ preview: MergePreview) {
        moves = preview.moves.map { LoginAnswer($0, isUsable: true) }
        drops = preview.drops.map { LoginAnswer($0, isUsable: false) }
        conflicts = preview.conflicts.map(\.rawValue)
        obstacles = preview.obstacles.map(\.rawValue)
        secondFactors = preview.factors.map(FactorAnswer.init)
        isDone = preview.isDone
    }

    static let schema = Schema.named(
        "MergePreview",
        .object([
            .required("moves", .array(LoginAnswer.schema, most: 1000), "The logins that would move to this account."),
            .required("drops", .array(LoginAnswer.schema, most: 1000), "The logins that would be lost."),
            .required(
                "conflicts",
                .array(.text(0...64), most: 1000),
                "The providers of which both accounts have a login."
            ),
            .required(
                "secondFactors",
                .array(FactorAnswer.schema, most: 100),
                "The second factors after the merge."
            ),
            .required(
                "obstacles",
                .array(.text(0...64), most: 20),
                "The codes of the reasons for which a merge would be refused."
            ),
            .required("isDone", .boolean, "Whether the accounts are already merged."),
        ])
    )
}
#endif
