// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What a Limited Login token says, by the names Facebook gives it.
///
/// The first group stands in every token. All else depends on the permissions the person granted, and on what the person
/// told Facebook: any of it may be nil. A claim that cannot be read is nil too, and then ``notes`` says so; it never makes
/// a genuine token invalid.
public struct AuthenticationTokenClaims: Sendable {
    /// The token's own ID.
    public let jti: String
    /// The issuer, as the policy spells it.
    public let iss: String
    /// The app ID the token is for.
    public let aud: String
    /// What ties the token to one sign-in attempt; nil where the token has none.
    public let nonce: String?
    /// When the token ends.
    public let exp: Date
    /// When the token was issued.
    public let iat: Date
    /// The person's ID within this app.
    ///
    /// The same person has another one in another app, and the same one in a classic login of this app.
    public let sub: String

    /// The full name.
    public let name: String?
    /// The first name.
    public let givenName: String?
    /// The middle name.
    public let middleName: String?
    /// The last name.
    public let familyName: String?
    /// The address of the profile picture, as written.
    public let picture: String?
    /// The e-mail address.
    ///
    /// Facebook does not say whether it was verified.
    public let email: String?
    /// The IDs, within this app, of friends who use this app too.
    ///
    /// Empty and nil differ: nobody, and not told.
    public let userFriends: [String]?
    /// The birthday, as written.
    public let userBirthday: String?
    /// The range the person's age lies in.
    public let userAgeRange: UserAgeRange?
    /// The town the person comes from.
    public let userHometown: Location?
    /// The town the person lives in.
    public let userLocation: Location?
    /// The gender, in the person's words.
    public let userGender: String?
    /// The address of the person's page, as written.
    public let userLink: String?
    /// The thumbprint of the key the token is bound to, `cnf.jkt` (RFC 9449 §6.1); nil for a token bound to none.
    public let cnfJkt: String?

    /// The permissions that the claims of this token imply.
    ///
    /// Facebook puts a claim in only where the person granted its
    /// permission.
    ///
    /// A permission that is not here may have been declined, or there was nothing to tell.
    public let impliedPermissions: Set<Permission>

    /// The optional claims that are there and could not be read.
    public let notes: [ClaimNote]

    /// Reads the claims of a token that a `TokenVerifier` of yours has verified; nil if it is not one of Facebook's.
    public init?(_ token: VerifiedToken) {
        guard token.provider.name == Provider.facebook.name, let tokenID = token.claims.tokenID else { return nil }
        var reader = OptionalClaimReader(token.claims)
        jti = tokenID
        iss = token.issuer
        aud = token.audience
        nonce = token.claims.nonce
        exp = token.expiresAt
        iat = token.issuedAt
        sub = token.subject
        name = reader.text("name")
        givenName = reader.text("given_name")
        middleName = reader.text("middle_name")
        familyName = reader.text("family_name")
        picture = reader.text("picture")
        email = reader.text("email")
        userFriends = reader.texts("user_friends")
        userBirthday = reader.text("user_birthday")
        userAgeRange = reader.value("user_age_range", "no range of ages", UserAgeRange.init)
        userHometown = reader.value("user_hometown", "no object with an id and a name", Location.init)
        userLocation = reader.value("user_location", "no object with an id and a name", Location.init)
        userGender = reader.text("user_gender")
        userLink = reader.text("user_link")
        cnfJkt = reader.value("cnf", "no object with a thumbprint jkt") { $0["jkt"]?.string.flatMap(nonEmpty) }
        impliedPermissions = Permission.implied(by: token.claims)
        notes = reader.notes
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

/// Reads claims that may be missing or wrong, and takes a note of those that are wrong.
private struct OptionalClaimReader {
    private let claims: Claims
    private(set) var notes: [ClaimNote] = []

    init(_ claims: Claims) {
        self.claims = claims
    }

    /// A string.
    ///
    /// An empty one says nothing, and counts as absent.
    mutating func text(_ name: String) -> String? {
        value(name, "no string", \.string).flatMap(nonEmpty)
    }

    /// An array of strings, none empty. One that is wrong makes the list worthless: who is missing from it?
    mutating func texts(_ name: String) -> [String]? {
        value(name, "no array of strings") { value in
            let texts = value.elements?.map { $0.string.flatMap(nonEmpty) }
            guard let texts, !texts.contains(nil) else { return nil }
            return texts.compactMap { $0 }
        }
    }

    mutating func value<Value>(_ name: String, _ reason: String, _ read: (JSONValue) -> Value?) -> Value? {
        guard let claim = claims[name] else { return nil }
        guard let value = read(claim) else {
            notes.append(ClaimNote(claim: name, reason: reason))
            return nil
        }
        return value
    }
}

private func nonEmpty(_ text: String) -> String? {
    text.isEmpty ? nil : text
}

extension AuthenticationTokenClaims: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// What it is, without what it says.
    public var description: String { "claims of a Limited Login token" }
    /// As ``description``.
    public var debugDescription: String { description }
    /// No children: a dump must not show the claims.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
