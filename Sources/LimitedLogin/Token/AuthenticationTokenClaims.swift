// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginProviders
public import LoginTokens

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What a Limited Login token says, by the names Facebook gives it.
///
/// The first group stands in every token. All else depends on the permissions the person granted, and on what the
/// person told Facebook: any of it may be nil. A claim that cannot be read is nil too, and then ``notes`` says so; it
/// never makes a genuine token invalid.
public struct AuthenticationTokenClaims: Sendable {
    /// The verified claims.
    private let claims: Claims

    /// The audience that the policy matched; nil for claims without their token.
    private let audience: String?

    /// The token's own ID.
    public var jti: String { claims.tokenID ?? "" }
    /// The issuer.
    public var iss: String { claims.issuer ?? "" }
    /// The app ID the token is for.
    public var aud: String { audience ?? claims.audiences.first ?? "" }
    /// What ties the token to one sign-in attempt; nil where the token has none.
    public var nonce: String? { claims.nonce }
    /// When the token ends.
    public var exp: Date { claims.expiresAt ?? .distantPast }
    /// When the token was issued.
    public var iat: Date { claims.issuedAt ?? .distantPast }
    /// The person's ID within this app.
    ///
    /// The same person has another one in another app, and the same one in a classic login of this app.
    public var sub: String { claims.subject ?? "" }

    /// The full name.
    public var name: String? { text("name") }
    /// The first name.
    public var givenName: String? { text("given_name") }
    /// The middle name.
    public var middleName: String? { text("middle_name") }
    /// The last name.
    public var familyName: String? { text("family_name") }
    /// The address of the profile picture, as written.
    public var picture: String? { text("picture") }
    /// The e-mail address.
    ///
    /// Facebook does not say whether it was verified.
    public var email: String? { text("email") }
    /// The IDs, within this app, of friends who use this app too.
    ///
    /// Empty and nil differ: nobody, and not told.
    public var userFriends: [String]? { claims["user_friends"].flatMap(nonEmptyTexts) }
    /// The birthday, as written.
    public var userBirthday: String? { text("user_birthday") }
    /// The range the person's age lies in.
    public var userAgeRange: UserAgeRange? { claims["user_age_range"].flatMap(UserAgeRange.init) }
    /// The town the person comes from.
    public var userHometown: Location? { claims["user_hometown"].flatMap(Location.init) }
    /// The town the person lives in.
    public var userLocation: Location? { claims["user_location"].flatMap(Location.init) }
    /// The gender, in the person's words.
    public var userGender: String? { text("user_gender") }
    /// The address of the person's page, as written.
    public var userLink: String? { text("user_link") }
    /// The thumbprint of the key the token is bound to, `cnf.jkt` (RFC 9449 §6.1); nil for a token bound to none.
    public var cnfJkt: String? { claims["cnf"].flatMap(thumbprint) }

    /// The permissions that the claims of this token imply.
    ///
    /// Facebook puts a claim in only where the person granted its
    /// permission.
    ///
    /// A permission that is not here may have been declined, or there was nothing to tell.
    public var impliedPermissions: Set<Permission> { Permission.implied(by: claims) }

    /// The optional claims that are there and could not be read.
    public var notes: [ClaimNote] {
        OptionalClaim.all.compactMap { claim in
            guard let value = claims[claim.name], !claim.isReadable(value) else { return nil }
            return ClaimNote(claim: claim.name, reason: claim.reason)
        }
    }

    /// The claims of a token that a `TokenVerifier` of yours has verified; nil if it is not one of Facebook's.
    ///
    /// Nothing is read before you ask for it, and then each time. This holds all claims of the token.
    public init?(_ token: VerifiedToken) {
        guard token.provider.name == Provider.facebook.name, token.claims.hasTokenID else { return nil }
        claims = token.claims
        audience = token.audience
    }

    /// Creates the claims of an identity at Facebook that has waited; its token was verified before.
    init(_ claims: Claims) {
        self.claims = claims
        audience = nil
    }

    /// A string.
    ///
    /// An empty one says nothing, and counts as absent.
    private func text(_ name: String) -> String? {
        claims[name]?.string.flatMap(nonEmpty)
    }
}

/// That a claim is in the token and could not be read.
///
/// It does not say what stood there.
public struct ClaimNote: Sendable, Hashable, CustomStringConvertible {
    /// The name of the claim.
    public let claim: String
    /// Why it could not be read.
    public let reason: String

    /// Claim and reason.
    public var description: String { "\(claim): \(reason)" }
}

/// A claim that may be missing, and what it must be where it is not.
private struct OptionalClaim: Sendable {
    let name: String
    let reason: String
    let isReadable: @Sendable (JSONValue) -> Bool

    static let all =
        ["name", "given_name", "middle_name", "family_name", "picture", "email"].map(text) + [
            Self(name: "user_friends", reason: "no array of strings") { nonEmptyTexts($0) != nil },
            text("user_birthday"),
            Self(name: "user_age_range", reason: "no range of ages") { UserAgeRange($0) != nil },
            Self(name: "user_hometown", reason: "no object with an id and a name") { Location($0) != nil },
            Self(name: "user_location", reason: "no object with an id and a name") { Location($0) != nil },
            text("user_gender"), text("user_link"),
            Self(name: "cnf", reason: "no object with a thumbprint jkt") { thumbprint($0) != nil },
        ]

    private static func text(_ name: String) -> Self {
        Self(name: name, reason: "no string") { $0.kind == .string }
    }
}

/// An array of strings, none empty. One that is wrong makes the list worthless: who is missing from it?
private func nonEmptyTexts(_ value: JSONValue) -> [String]? {
    let texts = value.elements?.map { $0.string.flatMap(nonEmpty) }
    guard let texts, !texts.contains(nil) else { return nil }
    return texts.compactMap { $0 }
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
    /// What the user shared with the app; nil for a token of another provider than Facebook.
    public var profile: Profile? { AuthenticationTokenClaims(self).map(Profile.init) }
}
