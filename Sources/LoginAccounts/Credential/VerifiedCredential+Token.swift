// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders
internal import LoginText
internal import LoginTokens

extension VerifiedCredential {
    /// Creates the facts of a verified identity, of which only the subject decides anything.
    ///
    /// The time at which the attempt began is filled in where it is used.
    init(_ identity: VerifiedIdentity, of provider: SignInProvider, at clock: any WallClock) {
        switch identity.evidence {
        case .token(let token):
            let claims = token.claims
            let email = claims["email"]?.string.flatMap(EmailAddress.init)
            self.init(
                providerID: provider.id,
                subject: token.subject,
                email: email?.text,
                isEmailVerified: email.map {
                    provider.emailTrust.covers($0, isVerified: token.boolean("email_verified"))
                } ?? false,
                isEmailPrivate: token.boolean("is_private_email") == true || email?.isRelay == true,
                displayName: claims["name"]?.string.flatMap { Self.line($0, bytes: Self.nameBytes) },
                photoURL: claims["picture"]?.string.flatMap(Self.address),
                // A claim that is missing says nothing of its permission.
                impliedPermissions: provider.impliedPermissions(token).map(Self.names),
                method: Self.federated,
                begunAt: StoreTime(token.issuedAt),
                authenticatedAt: Self.authenticatedAt(token)
            )
            // What the browser reports may have been changed on its way.
            let isReported = identity.permissionSource == .callback || identity.permissionSource == .token
            if !isReported { permissions = identity.permissions.map(GrantedPermissions.init) }
        case .inspected(let answer):
            self.init(
                providerID: provider.id,
                subject: answer.subject,
                email: answer.email.flatMap(EmailAddress.init)?.text,
                isEmailVerified: false,
                displayName: answer.name.flatMap { Self.line($0, bytes: Self.nameBytes) },
                photoURL: nil,
                permissions: GrantedPermissions(answer.permissions),
                method: Self.federated,
                begunAt: StoreTime(clock.now)
            )
        case .waited:
            preconditionFailure("an identity that has waited is read with its credential")
        }
        self.identity = PendingIdentity(identity)
    }

    /// The provider's `auth_time`, as far as it counts.
    ///
    /// A token that lacks a required one, or has one that is no time, proves no recent authentication.
    private static func authenticatedAt(_ token: VerifiedToken) -> StoreTime? {
        let never = StoreTime(milliseconds: 0)
        let time = token.claims["auth_time"].map { _ in token.claims.authenticatedAt.map { StoreTime($0) } ?? never }
        return switch token.provider.reauthentication.authenticationTime {
        case .ignored: nil
        case .optional: time
        case .required: time ?? never
        }
    }

    /// Longer names are no names; a row has to end somewhere.
    static let nameBytes = 512
    /// As long as addresses that servers take.
    private static let addressBytes = 4096

    /// The names of permissions, in an order that stays the same.
    static func names(_ permissions: Set<Permission>) -> [String] {
        permissions.map(\.rawValue).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// A text that stands in one line; nil where it is empty, too long, or holds control characters.
    static func line(_ text: String, bytes: Int) -> String? {
        guard (1...bytes).contains(text.utf8.count) else { return nil }
        // The controls of ASCII, and those of Latin-1, which UTF-8 writes as C2 80 … C2 9F.
        var previous: UInt8 = 0
        for byte in text.utf8 {
            if byte < 0x20 || byte == 0x7F || previous == 0xC2 && byte < 0xA0 { return nil }
            previous = byte
        }
        return text
    }

    /// The address of a picture: HTTPS, and only what an address may be made of, so that it can be shown.
    static func address(_ text: String) -> String? {
        let allowed = text.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"\"<>\\^`{|}".utf8.contains($0) }
        guard text.utf8.count <= addressBytes, allowed, text.utf8.starts(with: "https://".utf8) else { return nil }
        return text
    }
}

extension GrantedPermissions {
    /// Creates the names of permissions.
    init(_ statuses: PermissionStatuses) {
        self.init(
            granted: VerifiedCredential.names(statuses.granted),
            declined: VerifiedCredential.names(statuses.declined),
            expired: VerifiedCredential.names(statuses.expired)
        )
    }
}

extension SignInProvider.EmailTrust {
    /// Whether an address that the provider calls verified is the person's: what it does not say, or says otherwise, is not.
    func covers(_ email: EmailAddress, isVerified: Bool?) -> Bool {
        guard isVerified == true else { return false }
        return switch self {
        case .never: false
        case .verifiedClaimOfAnyDomain: true
        case .verifiedClaim(let domains): domains.contains { isEqual($0.lowercased(), email.domain) }
        }
    }
}

extension EmailAddress {
    /// Whether it is one that Apple made up for one team of developers: elsewhere it identifies nobody.
    var isRelay: Bool { domain.utf8.elementsEqual("privaterelay.appleid.com".utf8) }
}
