// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginProviders
internal import LoginTokens

/// What Limited Login documents of permissions: one table, read in both directions.
extension Permission {
    /// The twelve that Limited Login offers.
    ///
    /// Those of businesses (`pages_…`, `ads_…`, `instagram_…`) need the classic login.
    public static let limited = Set(claimsByPermission.keys)

    /// Whether Limited Login offers it.
    public var isAvailableInLimitedLogin: Bool { Self.limited.contains(self) }

    /// The claims of a Limited Login token that are there only where the person granted this permission.
    ///
    /// Empty where no claim shows it.
    public var claims: [String] { Self.claimsByPermission[self] ?? [] }

    /// The permissions whose claims are in the token, whatever they say.
    static func implied(by claims: Claims) -> Set<Permission> {
        Set(claims.names.compactMap { permissionByClaim[$0] })
    }

    private static let claimsByPermission: [Permission: [String]] = [
        .publicProfile: ["name", "given_name", "middle_name", "family_name", "picture"],
        .email: ["email"],
        .gamingProfile: [],
        .gamingUserPicture: [],
        .userAgeRange: ["user_age_range"],
        .userBirthday: ["user_birthday"],
        .userFriends: ["user_friends"],
        .userGender: ["user_gender"],
        .userHometown: ["user_hometown"],
        .userLink: ["user_link"],
        .userLocation: ["user_location"],
        .userMessengerContact: [],
    ]

    private static let permissionByClaim = [String: Permission](
        uniqueKeysWithValues: claimsByPermission.flatMap { permission, claims in claims.map { ($0, permission) } }
    )
}

/// What can be asked for.
extension Permission {
    /// Whether the name is one that a dialog can be asked for: small letters of ASCII and underscores.
    ///
    /// The dialog gets all names in one text, separated by commas; a name with a comma would be two.
    var isWellFormed: Bool {
        !rawValue.isEmpty
            && rawValue.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == UInt8(ascii: "_") }
    }
}
