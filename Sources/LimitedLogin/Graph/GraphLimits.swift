// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The limits for calls of the Graph API, each with its reason.
enum GraphLimits {
    /// The maximum length of a response: 256 KiB.
    ///
    /// A page of 500 friends has some 20 KiB, a profile one or two.
    static let responseBytes = 256 * 1024

    /// The maximum duration of one call with its pages and its retry: 10 seconds.
    ///
    /// A user is waiting in front of a browser.
    static let deadline: Duration = .seconds(10)

    /// The maximum duration of all calls of one login: 20 seconds.
    ///
    /// There are three, each within ``deadline``. A proxy before the server commonly waits 30 seconds.
    static let loginDeadline: Duration = .seconds(20)

    /// The delay before a retry: half a second.
    ///
    /// It is long enough to reach another machine of Facebook, and short enough to go unnoticed.
    static let retryDelay: Duration = .milliseconds(500)

    /// The maximum wait that Facebook may ask for: a day, the longest window in which it counts calls.
    static let retryAfter: Duration = .seconds(86_400)

    /// The maximum length of an access token, percent-encoded: 1,500 bytes.
    ///
    /// Today they have about 200. One call has the token in its URL, which has at most 2,048.
    static let accessTokenBytes = 1500

    /// The number of friends on one page.
    static let pageItems = 500

    /// The maximum number of items of a list: 5,000, the most friends that Facebook allows.
    static let listItems = 5000

    /// The maximum number of pages of a list: 20, twice as many as 5,000 friends need.
    ///
    /// With ``responseBytes`` it limits a list to 5 MiB.
    static let listPages = 20

    /// The maximum length of a cursor: 512 bytes.
    ///
    /// Facebook's have about 150.
    static let cursorBytes = 512
}
