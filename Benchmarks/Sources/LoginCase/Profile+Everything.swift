// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LimitedLogin

extension Profile {
    /// Reads everything that a profile has, as an application may that stores it.
    ///
    /// - Parameter use: Takes each value.
    public func readEverything(_ use: (Any?) -> Void) {
        use(userID)
        use(name)
        use(firstName)
        use(middleName)
        use(lastName)
        use(linkURL)
        use(imageURL)
        use(imageURLExpirationDate)
        use(email)
        use(emailVerified)
        use(friendIDs)
        use(birthday)
        use(ageRange)
        use(hometown)
        use(location)
        use(gender)
        use(notes)
    }
}
