// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The names and formats of the English texts.
///
/// Texts in other languages have their own.
extension PageText {
    /// The descriptions of Facebook's common permissions.
    static let permissionNames = [
        "openid": "that it is you", "public_profile": "name and picture", "email": "e-mail address",
        "user_friends": "friends who use this too", "user_birthday": "birthday", "user_age_range": "age range",
        "user_gender": "gender", "user_hometown": "home town", "user_location": "town",
        "user_link": "address of the profile",
    ]

    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]

    /// Formats a time as in "3 October 2025, 14:05 UTC".
    static let englishTime: @Sendable (Date) -> String = { date in
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute], from: date)
        let (day, month, year) = (parts.day ?? 1, parts.month ?? 1, parts.year ?? 1970)
        let (hour, minute) = (parts.hour ?? 0, parts.minute ?? 0)
        return "\(day) \(months[month - 1]) \(year), \(hour):\(minute < 10 ? "0" : "")\(minute) UTC"
    }
}
#endif
