// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders

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

    /// The e-mail address in canonical form; nil if it is missing or invalid.
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
    var identity: PendingIdentity? = nil

    /// The time since when the credential is pending; nil if it was verified just now.
    var wait: Wait? = nil

    /// The lifetime of a pending credential, counted from its verification, even if it is stored again.
    struct Wait: Sendable, Codable {
        var provenAt: StoreTime
        var expiresAt: StoreTime
    }
}

extension VerifiedCredential {
    /// The method of a login at a provider.
    static let federated = "fed"

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
