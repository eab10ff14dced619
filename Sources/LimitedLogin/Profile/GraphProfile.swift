// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders
internal import LoginTokens

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The Graph API's data about a user, or that of a profile in JSON.
///
/// It is a class, so that it does not enlarge the profile from a token, which is created for every request.
final class GraphProfile: Sendable {
    let userID: String
    let date: Date
    let name: String?
    let firstName: String?
    let middleName: String?
    let lastName: String?
    let link: String?
    /// The URL of the picture; nil in the Graph API's data.
    let picture: String?
    let email: String?
    let friendIDs: [String]?
    let birthday: String?
    let ageRange: UserAgeRange?
    let hometown: Location?
    let location: Location?
    let gender: String?
    let notes: [ClaimNote]

    /// Returns the fields to request, in a fixed order: those that need no permission, and those of the given
    /// permissions.
    ///
    /// Of friends, only the IDs are requested.
    static func fields(for permissions: Set<Permission>) -> String {
        let free = ["id", "first_name", "middle_name", "last_name", "name"]
        return (free + unlocked.filter { permissions.contains($0.permission) }.map(\.field)).joined(separator: ",")
    }

    private static let unlocked: [(permission: Permission, field: String)] = [
        (.userLink, "link"), (.email, "email"), (.userFriends, "friends.limit(\(GraphLimits.pageItems)){id}"),
        (.userBirthday, "birthday"), (.userAgeRange, "age_range"), (.userHometown, "hometown"),
        (.userLocation, "location"), (.userGender, "gender"),
    ]

    /// Reads a response.
    ///
    /// A field that cannot be read is nil, with a note.
    ///
    /// - Parameters:
    ///   - json: The response.
    ///   - userID: The user's ID.
    ///   - friends: The friends of all pages; nil if they are malformed or exceed the limits.
    ///   - date: The time of the request.
    init(_ json: JSONValue, userID: String, friends: [JSONValue]?, date: Date) {
        var reader = FieldReader(json: json)
        self.userID = userID
        self.date = date
        name = reader.text("name")
        firstName = reader.text("first_name")
        middleName = reader.text("middle_name")
        lastName = reader.text("last_name")
        link = reader.text("link")
        picture = nil
        email = reader.text("email")
        // An invalid entry makes the whole list unusable, since it would be incomplete.
        friendIDs = reader.read("friends", "not a list of IDs, or too long") { _ in
            let ids = friends?.map { $0["id"]?.string.flatMap { $0.isEmpty ? nil : $0 } }
            return ids.flatMap { $0.contains(nil) ? nil : $0.compactMap { $0 } }
        }
        birthday = reader.text("birthday")
        ageRange = reader.read("age_range", "not an age range", UserAgeRange.init)
        hometown = reader.read("hometown", "not an object with an id and a name", Location.init)
        location = reader.read("location", "not an object with an id and a name", Location.init)
        gender = reader.text("gender")
        notes = reader.notes
    }

    /// Reads the members of a profile in JSON.
    init(_ members: KeyedDecodingContainer<ProfileKey>) throws {
        func text(_ key: ProfileKey) throws -> String? {
            try members.decodeIfPresent(String.self, forKey: key).flatMap { $0.isEmpty ? nil : $0 }
        }
        userID = try members.decode(String.self, forKey: .userID)
        date = try members.decode(Date.self, forKey: .refreshDate)
        name = try text(.name)
        firstName = try text(.firstName)
        middleName = try text(.middleName)
        lastName = try text(.lastName)
        link = try text(.linkURL)
        picture = try text(.imageURL)
        email = try text(.email)
        friendIDs = try members.decodeIfPresent([String].self, forKey: .friendIDs)
        birthday = try members.decodeIfPresent(Birthday.self, forKey: .birthday)?.text
        ageRange = try members.decodeIfPresent(UserAgeRange.self, forKey: .ageRange)
        hometown = try members.decodeIfPresent(Location.self, forKey: .hometown)
        location = try members.decodeIfPresent(Location.self, forKey: .location)
        gender = try text(.gender)
        notes = []
    }
}

/// Reads fields, and adds notes for those that cannot be read.
private struct FieldReader {
    let json: JSONValue
    var notes: [ClaimNote] = []

    init(json: JSONValue) {
        self.json = json
    }

    /// Returns a string; nil if it is missing or empty.
    mutating func text(_ field: String) -> String? {
        let text = read(field, "not a string", \.string)
        return text?.isEmpty == false ? text : nil
    }

    mutating func read<Value>(_ field: String, _ reason: String, _ read: (JSONValue) -> Value?) -> Value? {
        guard let value = json[field] else { return nil }
        let result = read(value)
        if result == nil { notes.append(ClaimNote(claim: field, reason: reason)) }
        return result
    }
}
