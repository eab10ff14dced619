// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginProviders
public import LoginTokens

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The claims of a Limited Login token, by Facebook's names.
///
/// The first group is in every token. All other claims depend on the user's permissions and profile, and may be nil. A
/// claim that cannot be read is nil too, with an entry in ``notes``; it never makes a genuine token invalid.
public struct AuthenticationTokenClaims: Sendable {
    /// The verified claims.
    private let claims: Claims

    /// The audience that the policy matched; nil for claims without their token.
    private let audience: String?

    /// The token's ID.
    public var jti: String { claims.tokenID ?? "" }
    /// The issuer.
    public var iss: String { claims.issuer ?? "" }
    /// The ID of the app that the token was issued to.
    public var aud: String { audience ?? claims.audiences.first ?? "" }
    /// The nonce, which binds the token to one attempt to sign in; nil if the token has none.
    public var nonce: String? { claims.nonce }
    /// The time at which the token expires.
    public var exp: Date { claims.expiresAt ?? .distantPast }
    /// The time at which the token was issued.
    public var iat: Date { claims.issuedAt ?? .distantPast }
    /// The user's ID within this app.
    ///
    /// A user has a different ID in each app, and the same one in a classic login of the same app.
    public var sub: String { claims.subject ?? "" }

    /// The full name.
    public var name: String? { text("name") }
    /// The first name.
    public var givenName: String? { text("given_name") }
    /// The middle name.
    public var middleName: String? { text("middle_name") }
    /// The last name.
    public var familyName: String? { text("family_name") }
    /// The URL of the profile picture, unchecked.
    public var picture: String? { text("picture") }
    /// The e-mail address.
    ///
    /// Facebook does not state whether it was verified.
    public var email: String? { text("email") }
    /// The IDs, within this app, of friends who also use it; empty for none, nil if unknown.
    public var userFriends: [String]? { claims["user_friends"].flatMap(nonEmptyTexts) }
    /// The birthday, unparsed.
    public var userBirthday: String? { text("user_birthday") }
    /// The range of the user's age.
    public var userAgeRange: UserAgeRange? { claims["user_age_range"].flatMap(UserAgeRange.init) }
    /// The town that the user comes from.
    public var userHometown: Location? { claims["user_hometown"].flatMap(Location.init) }
    /// The town that the user lives in.
    public var userLocation: Location? { claims["user_location"].flatMap(Location.init) }
    /// The gender, in the user's words.
    public var userGender: String? { text("user_gender") }
    /// The URL of the user's page, unchecked.
    public var userLink: String? { text("user_link") }
    /// The thumbprint of the key that the token is bound to, `cnf.jkt` (RFC 9449 §6.1); nil for a token that is not
    /// bound.
    ///
    /// Facebook's SDK, since version 18.1, may bind tokens to a key on the phone. It proves the possession of this key
    /// to Facebook alone, so an app cannot prove it to your server. To require a proof nevertheless, for tokens of an
    /// issuer of your own, pass the ``confirmation`` to a `DPoPVerifier`.
    public var cnfJkt: String? { claims["cnf"].flatMap(thumbprint) }
    /// The key or certificate that the token is bound to, for a `DPoPVerifier`.
    ///
    /// Unlike ``cnfJkt``, it distinguishes a token that is not bound from one whose `cnf` cannot be read.
    /// No proof satisfies the latter.
    public var confirmation: TokenConfirmation { claims.confirmation }

    /// The permissions that the claims of this token imply.
    ///
    /// Facebook adds a claim only if the user granted its permission. A permission that is not implied may have been
    /// declined, or its claim has no value.
    public var impliedPermissions: Set<Permission> { claims.permissions(Permission.byClaim) }

    /// The optional claims that are present and could not be read.
    public var notes: [ClaimNote] {
        OptionalClaim.all.compactMap { claim in
            guard let value = claims[claim.name], !claim.isReadable(value) else { return nil }
            return ClaimNote(claim: claim.name, reason: claim.reason)
        }
    }

    /// Creates the claims of a token that a `TokenVerifier` has verified; nil if it is not one of Facebook's.
    ///
    /// It holds all claims of the token. Each property is read on every access.
    public init?(_ token: VerifiedToken) {
        guard token.provider.name == Provider.facebook.name, token.claims.hasTokenID else { return nil }
        claims = token.claims
        audience = token.audience
    }

    /// Creates the claims of an identity at Facebook that was stored after the verification of its token.
    init(_ claims: Claims) {
        self.claims = claims
        audience = nil
    }

    /// Returns a string claim; nil if it is missing or empty.
    private func text(_ name: String) -> String? {
        claims[name]?.string.flatMap(nonEmpty)
    }
}

/// A note that a claim is present and could not be read.
///
/// It does not contain the value.
public struct ClaimNote: Sendable, Hashable, CustomStringConvertible {
    /// The name of the claim.
    public let claim: String
    /// The reason why it could not be read.
    public let reason: String

    /// The claim and the reason.
    public var description: String { "\(claim): \(reason)" }
}

/// An optional claim and the check of its value.
private struct OptionalClaim: Sendable {
    let name: String
    let reason: String
    let isReadable: @Sendable (JSONValue) -> Bool

    static let all =
        ["name", "given_name", "middle_name", "family_name", "picture", "email"].map(text) + [
            Self(name: "user_friends", reason: "not an array of non-empty strings") { nonEmptyTexts($0) != nil },
            text("user_birthday"),
            Self(name: "user_age_range", reason: "not an age range") { UserAgeRange($0) != nil },
            Self(name: "user_hometown", reason: "not an object with an id and a name") { Location($0) != nil },
            Self(name: "user_location", reason: "not an object with an id and a name") { Location($0) != nil },
            text("user_gender"), text("user_link"),
            Self(name: "cnf", reason: "not an object with a thumbprint jkt") { thumbprint($0) != nil },
        ]

    private static func text(_ name: String) -> Self {
        Self(name: name, reason: "not a string") { $0.kind == .string }
    }
}

/// Returns an array of non-empty strings.
///
/// An invalid element makes the whole array unusable, since it would be incomplete.
private func nonEmptyTexts(_ value: JSONValue) -> [String]? {
    guard let elements = value.elements else { return nil }
    let texts = elements.compactMap { $0.string.flatMap(nonEmpty) }
    return texts.count == elements.count ? texts : nil
}

private func thumbprint(_ value: JSONValue) -> String? {
    value["jkt"]?.string.flatMap(nonEmpty)
}

private func nonEmpty(_ text: String) -> String? {
    text.isEmpty ? nil : text
}

extension AuthenticationTokenClaims: Redacted {
    /// A fixed text, without the claims.
    public var description: String { "claims of a Limited Login token" }
}

extension VerifiedToken {
    /// The user's profile; nil for a token of another provider than Facebook.
    public var profile: Profile? { AuthenticationTokenClaims(self).map(Profile.init) }
}
