// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginProviders

/// The permissions of Limited Login and their claims.
extension Permission {
    /// The twelve permissions that Limited Login offers.
    ///
    /// Permissions for businesses (`pages_…`, `ads_…`, `instagram_…`) need the classic login.
    public static let limited = Set(claimsByPermission.keys)

    /// Whether Limited Login offers this permission.
    public var isAvailableInLimitedLogin: Bool { Self.limited.contains(self) }

    /// The claims that a Limited Login token has only if the user granted this permission; empty if no claim shows it.
    public var claims: [String] { Self.claimsByPermission[self] ?? [] }

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

    /// The permission that each claim shows.
    static let byClaim = [String: Permission](
        uniqueKeysWithValues: claimsByPermission.flatMap { permission, claims in claims.map { ($0, permission) } }
    )
}

/// The syntax of permission names.
extension Permission {
    /// Whether the name can be requested: it consists of lower-case ASCII letters and underscores.
    ///
    /// The dialog gets all names in one parameter, separated by commas.
    var isWellFormed: Bool {
        !rawValue.isEmpty
            && rawValue.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == UInt8(ascii: "_") }
    }
}
