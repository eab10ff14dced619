// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The names of a profile's members in JSON: those of the properties.
enum ProfileKey: String, CodingKey {
    case userID, name, firstName, middleName, lastName, linkURL, imageURL, imageURLExpirationDate, email, friendIDs
    case birthday, ageRange, hometown, location, gender, permissions, isLimited, refreshDate
}

extension Profile: Codable {
    /// Decodes a profile that was encoded by this package.
    ///
    /// It equals the encoded one, except that it has no ``notes``. Values are read with the rules of the properties: a
    /// URL that is not secure, for example, is nil.
    ///
    /// - Throws: `DecodingError` if a member is missing or has another type.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: ProfileKey.self)
        self.init(
            try GraphProfile(members),
            permissions: try members.decodeIfPresent(Set<Permission>.self, forKey: .permissions),
            isLimited: try members.decode(Bool.self, forKey: .isLimited)
        )
    }

    /// Encodes the user's data by the names of the properties, with the expiry of the picture's URL.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: ProfileKey.self)
        try members.encode(userID, forKey: .userID)
        try members.encodeIfPresent(name, forKey: .name)
        try members.encodeIfPresent(firstName, forKey: .firstName)
        try members.encodeIfPresent(middleName, forKey: .middleName)
        try members.encodeIfPresent(lastName, forKey: .lastName)
        try members.encodeIfPresent(linkURL, forKey: .linkURL)
        try members.encodeIfPresent(imageURL, forKey: .imageURL)
        try members.encodeIfPresent(imageURLExpirationDate, forKey: .imageURLExpirationDate)
        try members.encodeIfPresent(email, forKey: .email)
        try members.encodeIfPresent(friendIDs, forKey: .friendIDs)
        try members.encodeIfPresent(birthday, forKey: .birthday)
        try members.encodeIfPresent(ageRange, forKey: .ageRange)
        try members.encodeIfPresent(hometown, forKey: .hometown)
        try members.encodeIfPresent(location, forKey: .location)
        try members.encodeIfPresent(gender, forKey: .gender)
        try members.encodeIfPresent(permissions?.map(\.rawValue).sorted(), forKey: .permissions)
        try members.encode(isLimited, forKey: .isLimited)
        try members.encode(refreshDate, forKey: .refreshDate)
    }
}
