// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders

/// What a provider, or this service, has proven of a person: the only thing that signs in or links.
///
/// The subject is that of the verified token, and nothing that stood beside it.
struct VerifiedCredential: Sendable, Codable {
    /// Who vouches for it.
    var providerID: ProviderID

    /// What the provider calls the person, byte for byte; at most 255 bytes.
    var subject: String

    /// The e-mail address, normalized; nil where there is none, or none that can be one.
    var email: String?

    /// Whether the provider says that the address is the person's, and is trusted in this.
    var isEmailVerified: Bool

    /// Whether the address is one that the provider made up to hide the person's.
    var isEmailPrivate = false

    /// The name.
    var displayName: String?

    /// The address of a picture.
    var photoURL: String?

    /// The phone number, where that is what was proven.
    var phoneNumber: String?

    /// What was granted and declined; nil where nobody was asked.
    var permissions: GrantedPermissions?

    /// Permissions that were granted, since what they permit is there; nil where nothing follows.
    ///
    /// Of all others it says nothing.
    var impliedPermissions: [String]? = nil

    /// How the person was proven: `pwd` and `sms` by RFC 8176, and `fed` where a provider did it.
    var method: String

    /// When the attempt began that proved it: the person agreed to it after that.
    var begunAt: StoreTime

    /// When the provider authenticated the user, as the token says (`auth_time`); nil where the token does not say, or where that of
    /// the provider does not count (`Provider.Reauthentication.AuthenticationTime.ignored`).
    var authenticatedAt: StoreTime? = nil

    /// When the password was set that proved it, where one did: it proves nothing once there is another.
    var passwordSetAt: StoreTime? = nil

    /// The identity at a provider; nil for what this service proved itself.
    var identity: PendingIdentity? = nil

    /// Since when it has waited to be used; nil for what was proven just now.
    var wait: Wait? = nil

    /// How long what was proven waits: from when it was proven, however often it is kept anew.
    struct Wait: Sendable, Codable {
        var provenAt: StoreTime
        var expiresAt: StoreTime
    }
}

extension VerifiedCredential {
    /// The method of a login at a provider.
    static let federated = "fed"

    /// When the user was proven: now, or before that where the provider says so or the credential has waited.
    ///
    /// A provider whose clock is ahead proves nobody in the future.
    func provenAt(_ now: StoreTime) -> StoreTime {
        min(now, wait?.provenAt ?? now, authenticatedAt ?? now)
    }

    /// How the user was proven, and when.
    func proven(at now: StoreTime) -> ProvenMethod { ProvenMethod(method, at: provenAt(now)) }
}

/// Which permissions a person granted and declined, by their names.
struct GrantedPermissions: Sendable, Codable, Hashable {
    var granted: [String]
    var declined: [String]
    /// What ended because it was not used.
    var expired: [String] = []

    /// The same with further ones that were granted; what was said of others stays.
    func granting(_ names: [String]) -> Self {
        let isOther = { (name: String) in !names.contains { $0.utf8.elementsEqual(name.utf8) } }
        return Self(
            granted: (granted.filter(isOther) + names).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) },
            declined: declined.filter(isOther),
            expired: expired.filter(isOther)
        )
    }
}
