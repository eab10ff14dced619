// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The bounds on what the Graph API is asked and on what it answers, each with its reason.
enum GraphLimits {
    /// An answer: 256 KiB.
    ///
    /// A page of 500 friends has some 20 KiB, a profile one or two.
    static let answerBytes = 256 * 1024

    /// How long one call may take, its pages and its repetition included: 10 seconds.
    ///
    /// Somebody waits for it in front of a browser.
    static let deadline: Duration = .seconds(10)

    /// How long all calls of one login may take together: 20 seconds.
    ///
    /// There are three, of which each may take ``deadline``, and a proxy before the server mostly waits for 30 seconds.
    static let loginDeadline: Duration = .seconds(20)

    /// How long to wait before a call is repeated: half a second.
    ///
    /// Long enough for another machine of Facebook's to answer, short enough not to be noticed.
    static let retryDelay: Duration = .milliseconds(500)

    /// How long Facebook may tell us to wait: a day, the longest window in which it counts calls.
    static let retryAfter: Duration = .seconds(86_400)

    /// An access token, percent-encoded: 1,500 bytes.
    ///
    /// Today they have some 200; Facebook asks for one of them in a URL, which has 2,048 at most.
    static let accessTokenBytes = 1500

    /// Friends on one page: 500.
    static let pageItems = 500

    /// Items of a list: 5,000, the most friends that Facebook lets a person have.
    static let listItems = 5000

    /// Pages of a list: 20, twice as many as its items need.
    static let listPages = 20

    /// The mark of a place in a list: 512 bytes.
    ///
    /// Facebook's have some 150.
    static let cursorBytes = 512
}
