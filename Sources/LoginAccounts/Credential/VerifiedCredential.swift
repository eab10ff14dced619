// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders
internal import LoginText
internal import LoginTokens

/// The verified facts about a login, from a provider or from this service.
///
/// Only these sign in or link.
///
/// The subject is that of the verified token, never a value that accompanied it.
struct VerifiedCredential: Sendable, Codable {
    /// The identity provider.
    var providerID: ProviderID

    /// The subject: the provider's identifier of the user, compared byte for byte; at most 255 bytes.
    var subject: String

    /// The e-mail address in canonical form; nil if it is missing or cannot be stored.
    var email: String?

    /// Whether the provider has verified the e-mail address, and is trusted to do so.
    var isEmailVerified: Bool

    /// Whether the address is a relay address that hides the user's own.
    var isEmailPrivate = false

    /// The display name.
    var displayName: String?

    /// The URL of a picture.
    var photoURL: String?

    /// The phone number, for a login by phone; otherwise nil.
    var phoneNumber: String?

    /// The granted and declined permissions; nil if they were never requested.
    var permissions: GrantedPermissions?

    /// The permissions that the browser reports as granted and declined; nil if it reports none.
    var reportedPermissions: GrantedPermissions? = nil

    /// The permissions that are granted because the claims they permit are present; nil if none can be inferred.
    ///
    /// It says nothing about other permissions.
    var impliedPermissions: [String]? = nil

    /// The authentication method: `pwd` or `sms` (RFC 8176), or `fed` for an identity provider.
    var method: String

    /// The time at which the attempt began.
    ///
    /// The user consented after it.
    var begunAt: StoreTime

    /// The time at which the provider authenticated the user (`auth_time`); nil if the token does not contain it, or
    /// the provider's is ignored (`Provider.Reauthentication.AuthenticationTime.ignored`).
    var authenticatedAt: StoreTime? = nil

    /// The time at which the password was set, for a password; otherwise nil.
    ///
    /// The credential is invalid once the password has changed.
    var passwordSetAt: StoreTime? = nil

    /// The identity at a provider; nil for a credential that this service verified itself.
    var identity: StoredIdentity? = nil

    /// The time since when the credential is pending; nil if it was verified just now.
    var wait: Wait? = nil

    /// The lifetime of a pending credential, counted from its verification, even if it is stored again.
    struct Wait: Sendable, Codable {
        var provenAt: StoreTime
        var expiresAt: StoreTime
    }
}

extension VerifiedCredential {
    /// Returns the granted and declined permissions after the credential.
    ///
    /// An ID token only adds the permissions that its claims imply: a missing claim proves nothing.
    ///
    /// - Parameter known: The permissions before it.
    /// - Returns: The permissions; nil if none are known.
    func permissions(after known: GrantedPermissions?) -> GrantedPermissions? {
        if let permissions { return permissions }
        guard impliedPermissions != nil || reportedPermissions != nil else { return known }
        let earlier = known ?? GrantedPermissions(granted: [], declined: [])
        return (reportedPermissions.map(earlier.applying) ?? earlier).granting(impliedPermissions ?? [])
    }

    /// Returns the credential of a login of an app that requested permissions.
    ///
    /// For a login in a browser, the server knows what it requested.
    func requesting(_ permissions: Set<Permission>) -> Self {
        guard let identity = identity?.identity, identity.requestedPermissions == nil else { return self }
        var credential = self
        credential.identity = StoredIdentity(identity.requesting(permissions))
        return credential
    }

    /// Whether the provider or the browser states that the user declined all of these permissions, or let them expire.
    func declines(_ names: Set<Permission>) -> Bool {
        let answer = (permissions ?? reportedPermissions)?.statuses
        return names.isSubset(of: answer.map { $0.declined.union($0.expired) } ?? [])
    }

    /// The method of a login at a provider.
    static let federated = "fed"

    /// Limits the times of the login to that of its token, which no nonce ties to the attempt.
    mutating func limit(to issuedAt: StoreTime) {
        begunAt = min(begunAt, issuedAt)
        authenticatedAt = min(authenticatedAt ?? issuedAt, issuedAt)
    }

    /// Returns the time at which the user was authenticated: now, or earlier if the provider says so or the credential
    /// was pending.
    ///
    /// A provider whose clock is ahead does not yield a time in the future.
    func provenAt(_ now: StoreTime) -> StoreTime {
        min(now, wait?.provenAt ?? now, authenticatedAt ?? now)
    }

    /// Returns the authentication method and its time.
    func proven(at now: StoreTime) -> ProvenMethod { ProvenMethod(method, at: provenAt(now)) }
}

/// The names of the permissions that a user granted and declined.
struct GrantedPermissions: Sendable, Codable, Hashable {
    var granted: [String]
    var declined: [String]
    /// The permissions that expired because they were unused.
    var expired: [String] = []

    /// Returns the permissions after a report of the user's browser, which may be forged by the user.
    ///
    /// A permission that is reported as declined is declined, since the user may decline any. One that is reported as
    /// granted is no longer declined, but granted only once a claim or the provider proves it.
    func applying(_ report: Self) -> Self {
        func without(_ names: [String], _ removed: [String]) -> [String] {
            names.filter { name in !removed.contains { $0.utf8.elementsEqual(name.utf8) } }
        }
        return Self(
            granted: without(granted, report.declined),
            declined: VerifiedCredential.names(
                Set((without(declined, report.granted) + report.declined).map(Permission.init(rawValue:)))
            ),
            expired: without(expired, report.granted + report.declined)
        )
    }

    /// Returns the permissions with further granted ones.
    ///
    /// Others are unchanged.
    func granting(_ names: [String]) -> Self {
        let isOther = { (name: String) in !names.contains { $0.utf8.elementsEqual(name.utf8) } }
        return Self(
            granted: (granted.filter(isOther) + names).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) },
            declined: declined.filter(isOther),
            expired: expired.filter(isOther)
        )
    }
}

extension VerifiedCredential {
    /// Creates a credential from a verified identity.
    ///
    /// Only its subject identifies the user. A name, a picture or an address that cannot be stored or displayed is left
    /// out.
    ///
    /// The time at which the attempt began is set when the attempt is used.
    ///
    /// - Parameters:
    ///   - identity: The identity.
    ///   - provider: Its provider.
    ///   - clock: The clock for expiry checks.
    ///   - unusable: The claims that cannot be used are added here.
    /// - Throws: ``AuthError``: `invalid-credential` if the subject cannot be stored.
    init(
        _ identity: VerifiedIdentity,
        of provider: SignInProvider,
        at clock: any WallClock,
        unusable: inout [UnusableClaim]
    ) throws(AuthError) {
        switch identity.evidence {
        case .token(let token):
            // Name and address may come from the UserInfo endpoint.
            let claims = identity.claims ?? token.claims
            let email = Self.email(claims["email"], of: provider.id, unusable: &unusable)
            unusable += Self.unknownFlags(in: claims, of: token.provider, provider.id)
            self.init(
                providerID: provider.id,
                subject: identity.subject,
                email: email?.text,
                isEmailVerified: email.map {
                    provider.emailTrust.covers($0, isVerified: claims.boolean("email_verified", of: token.provider))
                } ?? false,
                isEmailPrivate: token.provider.privateEmailClaim.map {
                    claims.boolean($0, of: token.provider) == true || email?.isRelay == true
                } ?? false,
                displayName: claims["name"]?.string.flatMap { Self.line($0, bytes: Self.nameBytes) },
                photoURL: claims["picture"]?.string.flatMap(Self.address),
                // A missing claim says nothing about its permission.
                impliedPermissions: provider.impliedPermissions(in: token.claims).map(Self.names),
                method: Self.federated,
                begunAt: StoreTime(token.issuedAt),
                authenticatedAt: Self.authenticatedAt(token, at: clock)
            )
            let statuses = identity.permissions.map(GrantedPermissions.init)
            // Permissions that the browser reports may have been changed in transit.
            let isReported = identity.permissionSource == .callback || identity.permissionSource == .token
            if isReported { reportedPermissions = statuses } else { permissions = statuses }
        case .inspected(let answer):
            self.init(
                providerID: provider.id,
                subject: answer.subject,
                email: answer.email.flatMap { Self.email($0, of: provider.id, unusable: &unusable) }?.text,
                isEmailVerified: false,
                displayName: answer.name.flatMap { Self.line($0, bytes: Self.nameBytes) },
                photoURL: nil,
                permissions: GrantedPermissions(answer.permissions),
                method: Self.federated,
                begunAt: StoreTime(clock.now)
            )
        case .stored:
            preconditionFailure("a stored identity is read with its credential")
        }
        self.identity = StoredIdentity(identity)
        // No store has texts with NUL.
        guard !subject.utf8.contains(0) else {
            throw AuthError(.invalidCredential, "the subject contains NUL", provider: provider.id)
        }
    }

    /// Returns the e-mail address in a claim; nil if there is none, or one that cannot be stored.
    private static func email(
        _ value: JSONValue?,
        of provider: ProviderID,
        unusable: inout [UnusableClaim]
    ) -> EmailAddress? {
        guard let value, value.kind != .null else { return nil }
        guard let text = value.string else {
            unusable.append(UnusableClaim(provider: provider, claim: "email", reason: "it is not a string"))
            return nil
        }
        return email(text, of: provider, unusable: &unusable)
    }

    private static func email(
        _ text: String,
        of provider: ProviderID,
        unusable: inout [UnusableClaim]
    ) -> EmailAddress? {
        do throws(EmailAddress.Fault) {
            return try EmailAddress(text)
        } catch {
            unusable.append(UnusableClaim(provider: provider, claim: "email", reason: error.rawValue))
            return nil
        }
    }

    /// Returns the flags among claims whose value is unknown.
    private static func unknownFlags(in claims: Claims, of issuer: Provider, _ provider: ProviderID) -> [UnusableClaim]
    {
        ["email_verified", "phone_number_verified"].filter { flag in
            claims.boolean(flag, of: issuer) == nil && claims[flag].map { $0.kind != .null } ?? false
        }.map { UnusableClaim(provider: provider, claim: $0, reason: "it is neither true nor false") }
    }

    /// Returns the provider's `auth_time`, if the provider's configuration uses it.
    ///
    /// A token without a required `auth_time`, or with one that is invalid or more than a minute in the future, is no
    /// evidence of a recent authentication.
    private static func authenticatedAt(_ token: VerifiedToken, at clock: any WallClock) -> StoreTime? {
        let never = StoreTime(milliseconds: 0)
        let latest = StoreTime(clock.now) + StoreTime.clockTolerance
        let time = token.claims["auth_time"].map { _ in
            token.claims.authenticatedAt.map { StoreTime($0) }.flatMap { $0 <= latest ? $0 : nil } ?? never
        }
        return switch token.provider.reauthentication.authenticationTime {
        case .ignored: nil
        case .optional: time
        case .required: time ?? never
        }
    }

    /// The maximum length of a name, in bytes.
    ///
    /// It bounds the size of a row.
    static let nameBytes = 512
    /// The maximum length of a URL, in bytes, as common servers accept.
    private static let addressBytes = 4096

    /// Returns the names of permissions in a stable order.
    static func names(_ permissions: Set<Permission>) -> [String] {
        permissions.map(\.rawValue).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Returns a text that fits on one line; nil if it is empty, too long, or contains control characters.
    static func line(_ text: String, bytes: Int) -> String? {
        guard (1...bytes).contains(text.utf8.count) else { return nil }
        // ASCII control characters, and those of Latin-1, which UTF-8 encodes as C2 80 … C2 9F.
        var previous: UInt8 = 0
        for byte in text.utf8 {
            if byte < 0x20 || byte == 0x7F || previous == 0xC2 && byte < 0xA0 { return nil }
            previous = byte
        }
        return text
    }

    /// Returns the URL of a picture; nil unless it begins with `https://` and has only characters that a URL permits,
    /// so that it is safe to display.
    static func address(_ text: String) -> String? {
        let allowed = text.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"\"<>\\^`{|}".utf8.contains($0) }
        guard text.utf8.count <= addressBytes, allowed, text.utf8.starts(with: "https://".utf8) else { return nil }
        return text
    }
}

extension GrantedPermissions {
    /// Creates the permissions from their statuses.
    init(_ statuses: PermissionStatuses) {
        self.init(
            granted: VerifiedCredential.names(statuses.granted),
            declined: VerifiedCredential.names(statuses.declined),
            expired: VerifiedCredential.names(statuses.expired)
        )
    }
}

extension SignInProvider.EmailTrust {
    /// Whether an address counts as verified: the provider must say so, and must be trusted for its domain.
    func covers(_ email: EmailAddress, isVerified: Bool?) -> Bool {
        guard isVerified == true else { return false }
        return switch self {
        case .never: false
        case .verifiedClaimOfAnyDomain: true
        case .verifiedClaim(let domains):
            domains.contains { DomainName($0).map { isEqual($0.ascii, email.domain) } ?? false }
        }
    }
}

extension EmailAddress {
    /// Whether the address is a relay address that Apple has created for one team of developers, which identifies no
    /// user elsewhere.
    var isRelay: Bool { domain.utf8.elementsEqual("privaterelay.appleid.com".utf8) }
}

/// The result of ``Auth/prove(_:for:from:)``: verified evidence, and the purpose of its attempt.
///
/// It authenticates the user only after ``CredentialUse/use(_:)`` has used up what can be used once.
struct Proof: Sendable {
    /// The evidence.
    let evidence: Evidence
    /// The purpose for which the credential was verified.
    let purpose: AttemptPurpose

    /// The kinds of verified evidence.
    enum Evidence: Sendable {
        /// A verified identity at a provider, with the attempt that it completes.
        case identity(VerifiedCredential, attempt: AttemptSecret, channel: AttemptRecord.Channel, once: OnceOnlyToken?)
        /// A correct password. It is valid while the stored hash is the one that it was compared with.
        case password(EmailAddress, hash: String, better: String?)
        /// A correct code that was sent to a phone number. It is valid until it is used or replaced.
        case phone(PhoneNumber, hash: [UInt8])
        /// The token of a pending credential, which was verified before.
        case pending(String, of: ProviderID)
    }

    /// The provider of the evidence; nil for a pending credential, whose provider is only the client's claim.
    var provider: ProviderID? {
        switch evidence {
        case .identity(let credential, _, _, _): credential.providerID
        case .password: .password
        case .phone: .phone
        case .pending: nil
        }
    }
}

/// The replay mark of an ID token without a nonce, which is accepted once.
struct OnceOnlyToken: Sendable {
    /// The SHA-256 of the token's payload.
    let hash: [UInt8]
    /// The time at which the token expires; after it, the mark is deleted.
    let expiresAt: StoreTime
    /// The time at which the token was issued, if it is known: without a nonce, that may be before its attempt began.
    var issuedAt: StoreTime? = nil
}
