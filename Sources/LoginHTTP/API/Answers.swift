// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import LoginAccounts
internal import LoginProviders

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The schema of texts in responses.
///
/// The stored texts are shorter.
private let anyText = Schema.text(0...10_000)

/// An account, as its holder sees it.
struct AccountAnswer: Encodable, Sendable {
    private let id: String
    private let displayName, photoURL, email: String?
    private let isEmailVerified, isAnonymous: Bool
    private let logins: [LoginAnswer]
    private let secondFactors: [FactorAnswer]
    private let createdAt: Date
    private let lastSignInAt: Date?

    /// Creates the answer.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - stored: The stored identities of its logins, whose profiles are shown.
    ///   - providers: The providers, which read the profiles.
    init(
        _ account: Account,
        stored: [(uid: String, identity: VerifiedIdentity)] = [],
        of providers: SignInProviders? = nil
    ) {
        id = account.id.rawValue
        displayName = account.displayName
        photoURL = account.photoURL
        email = account.email
        isEmailVerified = account.isEmailVerified
        isAnonymous = account.isAnonymous
        let usable = account.usableSignInMethods
        logins = account.providerData.map { info in
            LoginAnswer(
                info,
                isUsable: usable.contains { $0.providerID == info.providerID && $0.uid == info.uid },
                profile: stored.first { $0.identity.providerID == info.providerID && $0.uid == info.uid }
                    .flatMap { providers?.profile(in: $0.identity) }
            )
        }
        secondFactors = account.enrolledFactors.map(FactorAnswer.init)
        createdAt = account.createdAt
        lastSignInAt = account.lastSignInAt
    }

    static let schema = Schema.named(
        "Account",
        .object([
            .required("id", anyText, "The permanent ID of the account."),
            .optional("displayName", anyText, "The display name of the user."),
            .optional("photoURL", anyText, "The URL of the user's picture."),
            .optional("email", anyText, "The account's e-mail address."),
            .required("isEmailVerified", .boolean, "Whether the user has verified the e-mail address."),
            .required("isAnonymous", .boolean, "Whether the account is anonymous."),
            .required("logins", .array(LoginAnswer.schema, most: 1000), "The logins of the account."),
            .required("secondFactors", .array(FactorAnswer.schema, most: 100), "The second factors."),
            .required("createdAt", .time, "When the account was created."),
            .optional("lastSignInAt", .time, "When the user last signed in."),
        ])
    )
}

/// A login of an account.
struct LoginAnswer: Encodable, Sendable {
    private let provider, uid: String
    private let displayName, email, phoneNumber: String?
    private let isEmailVerified, isUsable: Bool
    private let permissions, declinedPermissions: [String]?
    private let profile: ProviderAnswer?
    private let linkedAt, lastSignInAt: Date

    init(_ info: UserInfo, isUsable: Bool, profile: (any Encodable & Sendable)? = nil) {
        provider = info.providerID.rawValue
        uid = info.uid
        displayName = info.displayName
        email = info.email
        phoneNumber = info.phoneNumber
        isEmailVerified = info.isEmailVerified
        self.isUsable = isUsable
        permissions = info.permissions.map { $0.granted.map(\.rawValue).sorted() }
        declinedPermissions = info.permissions.map { $0.declined.map(\.rawValue).sorted() }
        self.profile = profile.map { ProviderAnswer(value: $0) }
        linkedAt = info.linkedAt
        lastSignInAt = info.lastSignInAt
    }

    static let schema = Schema.named(
        "Login",
        .object([
            .required("provider", anyText, "The identity provider."),
            .required("uid", anyText, "The user's ID at the provider."),
            .optional("displayName", anyText, "The display name that the provider reports."),
            .optional("email", anyText, "The e-mail address that the provider reports."),
            .optional("phoneNumber", anyText, "The phone number of a login by phone."),
            .required("isEmailVerified", .boolean, "Whether the provider verified the address, and is trusted to."),
            .required("isUsable", .boolean, "Whether the user can sign in with it now."),
            .optional("permissions", .array(anyText, most: 1000), "The granted permissions. Missing if unknown."),
            .optional(
                "declinedPermissions",
                .array(anyText, most: 1000),
                "The permissions that the user declined or revoked. Missing if unknown."
            ),
            .optional(
                "profile",
                .anyObject,
                "The stored profile of a login at Facebook, in the response to `GET /v1/account`."
            ),
            .required("linkedAt", .time, "When the login was linked to the account."),
            .required("lastSignInAt", .time, "When the login was last used."),
        ])
    )
}

/// A value in the form of its provider: a profile, or the configuration of a login.
struct ProviderAnswer: Encodable, Sendable {
    let value: any Encodable & Sendable

    func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}

/// A second factor.
struct FactorAnswer: Encodable, Sendable {
    private let uid, kind: String
    private let displayName, phoneNumberSuffix: String?
    private let enrolledAt: Date

    init(_ info: MultiFactorInfo) {
        uid = info.uid
        kind = info.factorID.rawValue
        displayName = info.displayName
        phoneNumberSuffix = info.phoneNumberSuffix
        enrolledAt = info.enrollmentDate
    }

    static let schema = Schema.named(
        "SecondFactor",
        .object([
            .required("uid", anyText, "The ID of the factor."),
            .required("kind", .choice(["totp", "phone"]), "The kind of the factor."),
            .optional("displayName", anyText, "The name that the user gave the factor."),
            .optional("phoneNumberSuffix", anyText, "The last digits of a phone number."),
            .required("enrolledAt", .time, "When the factor was enrolled."),
        ])
    )
}

/// A session.
struct SessionAnswer: Encodable, Sendable {
    private let id, account: String
    private let level: Int
    private let methods: [String]
    private let authenticatedAt, createdAt, expiresAt: Date

    init(_ session: Session) {
        id = session.id.rawValue
        account = session.accountID.rawValue
        level = session.level
        methods = session.methods.map(\.name)
        authenticatedAt = session.authenticatedAt
        createdAt = session.createdAt
        expiresAt = session.expiresAt
    }

    static let schema = Schema.named(
        "Session",
        .object([
            .required("id", anyText, "The ID of the session. It is not a credential."),
            .required("account", anyText, "The ID of the account."),
            .required("level", .integer(1...2), "2 if a second factor was confirmed recently enough, otherwise 1."),
            .required("methods", .array(anyText, most: 100), "The authentication methods."),
            .required("authenticatedAt", .time, "When the user last authenticated."),
            .required("createdAt", .time, "When the session was opened."),
            .required("expiresAt", .time, "When it expires."),
        ])
    )
}

/// A session in the list of a user's sessions.
struct SessionInfoAnswer: Encodable, Sendable {
    private let id: String
    private let device, network: String?
    private let level: Int
    private let createdAt, lastSeenAt: Date
    private let isCurrent: Bool

    init(_ info: SessionInfo) {
        id = info.id.rawValue
        device = info.device
        network = info.addressPrefix
        level = info.level
        createdAt = info.createdAt
        lastSeenAt = info.lastSeenAt
        isCurrent = info.isCurrent
    }

    static let schema = Schema.named(
        "SessionInfo",
        .object([
            .required("id", anyText, "The ID of the session."),
            .optional("device", anyText, "The description that the device sent."),
            .optional("network", anyText, "The network from which the session was opened or resumed."),
            .required("level", .integer(1...2), "2 if a second factor was confirmed recently enough, otherwise 1."),
            .required("createdAt", .time, "When the session was opened."),
            .required("lastSeenAt", .time, "When the session was last used, accurate to a minute."),
            .required("isCurrent", .boolean, "Whether it is the session of this request."),
        ])
    )
}

/// The tokens of a session.
struct TokensAnswer: Encodable, Sendable {
    private let sessionToken, refreshToken: String
    private let expiresAt: Date

    init(_ tokens: SessionTokens) {
        sessionToken = tokens.sessionToken
        refreshToken = tokens.refreshToken
        expiresAt = tokens.expiresAt
    }

    static let schema = Schema.named(
        "SessionTokens",
        .object([
            .required("sessionToken", anyText, "The session token."),
            .required("refreshToken", anyText, "The refresh token."),
            .required("expiresAt", .time, "When the session token expires."),
        ])
    )
}

/// The result of a sign-in, a link, or another change of an account.
struct SignedInAnswer: Encodable, Sendable {
    let account: AccountAnswer?
    let session: SessionAnswer
    var tokens: TokensAnswer?
    let outcome: String
    var identity: IdentityAnswer? = nil

    static let schema = Schema.named(
        "SignedIn",
        .object([
            .optional("account", AccountAnswer.schema, "The account."),
            .required("session", SessionAnswer.schema, "The session."),
            .optional(
                "tokens",
                TokensAnswer.schema,
                "The new tokens, which replace the earlier ones. Missing if they were set as cookies or did not change."
            ),
            .required(
                "outcome",
                .choice([
                    "signedIn", "created", "linked", "alreadyLinked", "upgraded", "unlinked", "merged",
                    "reauthenticated", "permissionsDeclined", "permissionsUnknown", "changed", "refreshed",
                ]),
                "The result."
            ),
            .optional(
                "identity",
                IdentityAnswer.schema,
                "The identity at a provider that the credential of this request proved."
            ),
        ])
    )
}

/// An identity at a provider, as the provider reported it just now; without the provider's tokens.
struct IdentityAnswer: Encodable, Sendable {
    private let provider, uid: String
    private let permissions: PermissionsAnswer?
    private let profile: ProviderAnswer?

    init(_ identity: VerifiedIdentity, profile: (any Encodable & Sendable)?) {
        provider = identity.providerID.rawValue
        uid = identity.subject
        permissions = identity.permissions.map(PermissionsAnswer.init)
        self.profile = profile.map { ProviderAnswer(value: $0) }
    }

    static let schema = Schema.named(
        "Identity",
        .object([
            .required("provider", anyText, "The identity provider."),
            .required("uid", anyText, "The user's ID at the provider."),
            .optional("permissions", PermissionsAnswer.schema, "The permissions. Missing if unknown."),
            .optional("profile", .anyObject, "The profile that the user shared, of an identity at Facebook."),
        ])
    )
}

/// The permissions that a user granted, declined and let expire at a provider.
struct PermissionsAnswer: Encodable, Sendable {
    private let granted, declined, expired: [String]

    init(_ statuses: PermissionStatuses) {
        granted = statuses.granted.map(\.rawValue).sorted()
        declined = statuses.declined.map(\.rawValue).sorted()
        expired = statuses.expired.map(\.rawValue).sorted()
    }

    static let schema = Schema.named(
        "Permissions",
        .object([
            .required("granted", .array(anyText, most: 1000), "The granted permissions."),
            .required("declined", .array(anyText, most: 1000), "The permissions that the user declined or revoked."),
            .required("expired", .array(anyText, most: 1000), "The permissions that expired because they were unused."),
        ])
    )
}

/// A list, wrapped in an object so that members can be added later.
struct ListAnswer<Element: Encodable & Sendable>: Encodable, Sendable {
    let items: [Element]

    static func schema(_ element: Schema, most: Int) -> Schema {
        .object([.required("items", .array(element, most: most), "The elements.")])
    }
}

/// The parameters of a TOTP factor for an authenticator app.
struct TOTPAnswer: Encodable, Sendable {
    private let uid, secret, uri: String
    private let expiresAt: Date

    init(_ begun: TOTPEnrollment) {
        uid = begun.uid
        secret = begun.secret
        uri = begun.uri
        expiresAt = begun.expiresAt
    }
}

/// A second factor that has just been enrolled.
struct EnrolledAnswer: Encodable, Sendable {
    let factor: FactorAnswer
    let session: SessionAnswer
    let tokens: TokensAnswer?
}
#endif
