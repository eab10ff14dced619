// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders
internal import LoginText
internal import LoginTokens

extension VerifiedCredential {
    /// Creates a credential from a verified identity.
    ///
    /// Only its subject identifies the user.
    ///
    /// The time at which the attempt began is set when the attempt is used.
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
                // A missing claim says nothing about its permission.
                impliedPermissions: provider.impliedPermissions(token).map(Self.names),
                method: Self.federated,
                begunAt: StoreTime(token.issuedAt),
                authenticatedAt: Self.authenticatedAt(token)
            )
            // Permissions that the browser reports may have been changed in transit.
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

    /// Returns the provider's `auth_time`, if the provider's configuration uses it.
    ///
    /// A token without a required `auth_time`, or with an invalid one, is no evidence of a recent authentication.
    private static func authenticatedAt(_ token: VerifiedToken) -> StoreTime? {
        let never = StoreTime(milliseconds: 0)
        let time = token.claims["auth_time"].map { _ in token.claims.authenticatedAt.map { StoreTime($0) } ?? never }
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
        case .verifiedClaim(let domains): domains.contains { isEqual($0.lowercased(), email.domain) }
        }
    }
}

extension EmailAddress {
    /// Whether the address is a relay address that Apple has created for one team of developers, which identifies no
    /// user elsewhere.
    var isRelay: Bool { domain.utf8.elementsEqual("privaterelay.appleid.com".utf8) }
}
