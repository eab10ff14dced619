// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LimitedLogin

extension Profile {
    /// Reads every property of a profile, as an application does that stores it.
    ///
    /// - Parameter use: Receives each value.
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
