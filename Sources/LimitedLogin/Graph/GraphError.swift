// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens

/// Why the Graph API did not do what it was asked.
///
/// What to do depends on ``category`` alone; the rest is for the operator, and for Facebook's support.
///
/// ```swift
/// do throws(GraphError) {
///     show(try await graph.profile(of: token))
/// } catch {
///     switch error.category {
///     case .relogin: sendToLogin()
///     case .transient, .unavailable: showWithoutProfile()
///     default: logger.error("\(error)")
///     }
/// }
/// ```
public struct GraphError: Error, Sendable, Hashable {
    /// What is to be done, by a stable name.
    public let category: Category

    /// Facebook's code; nil where Facebook named none, or did not answer.
    public let code: Int?

    /// Facebook's subcode.
    public let subcode: Int?

    /// Facebook's type, for example `OAuthException`, escaped and short.
    public let type: String?

    /// What Facebook's support finds the call by (`fbtrace_id`), escaped and short.
    public let traceID: String?

    /// The status of the answer; nil where there was none.
    public let status: Int?

    /// Whether Facebook said that the same call may succeed later (`is_transient`).
    ///
    /// Only what Facebook said: ``category`` is ``Category/transient`` for some errors of which it does not say so.
    public let isTransient: Bool

    /// How long to wait before the next call, where Facebook said so: up to a day.
    public let retryAfter: Duration?

    /// A title that Facebook wrote for the person, in the person's language: plain text, to be escaped where it is
    /// shown.
    public let userTitle: String?

    /// A message that Facebook wrote for the person: plain text, to be escaped where it is shown.
    public let userMessage: String?

    /// What Facebook wrote for developers, escaped and short.
    ///
    /// It may quote what it was sent, the token included: neither log nor show it. No other text of this error has it.
    public let message: String?

    /// What was seen, in our words.
    public let detail: String

    /// An error of ours, or what is left of an answer that cannot be read.
    init(_ category: Category, _ detail: String, status: Int? = nil, retryAfter: Duration? = nil) {
        self.category = category
        self.detail = detail
        self.status = status
        self.retryAfter = retryAfter
        isTransient = false
        code = nil
        subcode = nil
        type = nil
        traceID = nil
        userTitle = nil
        userMessage = nil
        message = nil
    }

    /// An error as Facebook describes it.
    ///
    /// - Parameters:
    ///   - json: The object `error` of an answer, or of what it says about a token.
    ///   - status: The status of the answer.
    ///   - retryAfter: How long the answer's head says to wait.
    init(_ json: JSONValue, status: Int, retryAfter: Duration?) {
        code = json["code"]?.integer
        // Where the error stands inside `data`, its subcode has the shorter name.
        subcode = (json["error_subcode"] ?? json["subcode"])?.integer
        let type = json["type"]?.string
        self.type = type.map { oneLine($0, limit: Self.wordCharacters) }
        traceID = json["fbtrace_id"]?.string.map { oneLine($0, limit: Self.wordCharacters) }
        isTransient = json["is_transient"]?.boolean ?? false
        self.status = status
        userTitle = json["error_user_title"]?.string.flatMap(Self.forPerson)
        userMessage = json["error_user_msg"]?.string.flatMap(Self.forPerson)
        message = ["message", "error_reason", "error_msg"].lazy.compactMap { json[$0]?.string }.first
            .map { oneLine($0, limit: Self.messageCharacters) }
        let known = GraphErrorTable.find(code: code, subcode: subcode, type: type)
        category = GraphErrorTable.category(known.category, isTransient: isTransient)
        detail = known.meaning
        self.retryAfter = category.isPassing ? retryAfter : nil
    }

    private init(_ error: GraphError, category: Category, detail: String) {
        self.category = category
        self.detail = detail
        code = error.code
        subcode = error.subcode
        type = error.type
        traceID = error.traceID
        status = error.status
        isTransient = error.isTransient
        retryAfter = error.retryAfter
        userTitle = error.userTitle
        userMessage = error.userMessage
        message = error.message
    }

    /// The same error, where the call says more about it than its code does.
    func judged(_ category: Category, _ detail: String) -> GraphError {
        GraphError(self, category: category, detail: detail)
    }
}

extension GraphError {
    /// What is to be done about an error, by a stable name; fit for metrics.
    public struct Category: Sendable, Hashable, CustomStringConvertible {
        /// The name, for example `relogin`.
        public let rawValue: String

        /// One sentence: what to do.
        public let remedy: String

        private init(_ rawValue: String, _ remedy: String) {
            self.rawValue = rawValue
            self.remedy = remedy
        }

        /// The name, as in ``rawValue``.
        public var description: String { rawValue }

        /// The token is of no use any more, or was none.
        public static let relogin = Self("relogin", "Drop the token and have the person log in again.")
        /// Facebook waits for the person.
        public static let userMustAct = Self(
            "user-must-act",
            "Send the person to facebook.com, where something has to be confirmed first."
        )
        /// The person did not grant what is needed, or took it back.
        public static let permission = Self("permission", "Ask for the permission, or do without what it gives.")
        /// There were too many calls.
        public static let throttle = Self("throttle", "Stop calling until retryAfter is over, or for some minutes.")
        /// Facebook holds the app or the person back, for what it was used for.
        public static let blocked = Self("blocked", "Stop, and look at what the app's dashboard says about policies.")
        /// Facebook failed, and may not fail again.
        public static let transient = Self("transient", "Try again later; what may be repeated was repeated once.")
        /// What was asked makes no sense to Facebook.
        public static let caller = Self("caller", "Correct the call: the same one fails again.")
        /// The app is not set up for it, or its ID or secret is wrong.
        public static let appConfiguration = Self(
            "app-configuration",
            "Compare the app's ID, secret, version and settings with its dashboard."
        )
        /// A token of another app or of another person, or none of a person.
        public static let foreignToken = Self(
            "foreign-token",
            "Refuse whoever sent the token: it was not made for this."
        )
        /// There is no answer, or none that can be read.
        public static let unavailable = Self("unavailable", "Go on without Facebook, and look at the network.")
        /// A code that is not known here.
        public static let other = Self("other", "Look the code up in Facebook's documents.")

        /// All of them.
        public static let all: [Self] = [
            .relogin, .userMustAct, .permission, .throttle, .blocked, .transient, .caller, .appConfiguration,
            .foreignToken,
            .unavailable, .other,
        ]

        /// Whether waiting may help.
        var isPassing: Bool { [.throttle, .blocked, .transient, .unavailable].contains(self) }

        /// Whether both have the same name.
        public static func == (first: Self, second: Self) -> Bool { first.rawValue == second.rawValue }
        /// Feeds the name to a hasher.
        public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
    }

    /// One sentence: what to do.
    public var remedy: String { category.remedy }

    /// Types and trace IDs have some twenty characters.
    private static let wordCharacters = 64
    /// Facebook's messages have a sentence or two.
    private static let messageCharacters = 400

    /// Text for the person: no control characters, none that turn the direction of what follows, and not long.
    private static func forPerson(_ text: String) -> String? {
        var shown = ""
        for scalar in text.unicodeScalars.prefix(messageCharacters) {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: shown.unicodeScalars.append(" ")
            default: shown.unicodeScalars.append(scalar)
            }
        }
        return shown.isEmpty ? nil : shown
    }
}

extension GraphError {
    /// What was seen, without the category and what to do: for whoever has a category and an advice of their own.
    var finding: String {
        let number = code.map { code in subcode.map { "\(code)/\($0)" } ?? "\(code)" }
        let seen = [
            number.map { "code \($0)" }, type, status.map { "status \($0)" }, traceID.map { "trace \(quoted($0))" },
            retryAfter.map { "retry after \($0.components.seconds) s" },
        ].compactMap { $0 }.joined(separator: ", ")
        return seen.isEmpty ? detail : "\(detail) (\(seen))"
    }
}

extension GraphError: Redacted {
    /// The category, the finding and the remedy, for the operator: no token, and nothing of Facebook's messages.
    public var description: String { "\(category): \(finding). \(remedy)" }
}
