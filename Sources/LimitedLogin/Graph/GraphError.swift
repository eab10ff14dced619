// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens

/// The reason why a call of the Graph API failed.
///
/// Decide by ``category``. The other properties are for the operator and for Facebook's support.
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
    /// The category, which determines the remedy.
    public let category: Category

    /// Facebook's error code; nil if Facebook named none, or did not respond.
    public let code: Int?

    /// Facebook's error subcode.
    public let subcode: Int?

    /// Facebook's error type, for example `OAuthException`, escaped and shortened.
    public let type: String?

    /// The ID of the call for Facebook's support (`fbtrace_id`), escaped and shortened.
    public let traceID: String?

    /// The status of the response; nil if there was none.
    public let status: Int?

    /// Whether Facebook said that the same call may succeed later (`is_transient`).
    ///
    /// ``category`` is ``Category/transient`` also for some errors without this flag.
    public let isTransient: Bool

    /// The time to wait before the next call, at most a day; nil if Facebook names none.
    public let retryAfter: Duration?

    /// A title for the user, in the user's language: plain text, which must be escaped for display.
    public let userTitle: String?

    /// A message for the user: plain text, which must be escaped for display.
    public let userMessage: String?

    /// Facebook's message for developers, escaped and shortened.
    ///
    /// It may quote the request, the token included: neither log nor show it. No other text of this error contains it.
    public let message: String?

    /// The finding, in the words of this library.
    public let detail: String

    /// Creates an error of this library, or of a response that cannot be read.
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

    /// Creates an error from Facebook's description.
    ///
    /// - Parameters:
    ///   - json: The object `error` of a response, or of the data about a token.
    ///   - status: The status of the response.
    ///   - retryAfter: The wait that the response's headers ask for.
    init(_ json: JSONValue, status: Int, retryAfter: Duration?) {
        code = json["code"]?.integer
        // An error inside `data` has its subcode in `subcode`.
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

    /// Returns the same error with another category, where the call determines more than the code.
    func judged(_ category: Category, _ detail: String) -> GraphError {
        GraphError(self, category: category, detail: detail)
    }
}

extension GraphError {
    /// The category of an error, by a stable name that is suitable for metrics.
    public struct Category: Sendable, Hashable, CustomStringConvertible {
        /// The name, for example `relogin`.
        public let rawValue: String

        /// The remedy, in one sentence.
        public let remedy: String

        private init(_ rawValue: String, _ remedy: String) {
            self.rawValue = rawValue
            self.remedy = remedy
        }

        /// The name, as in ``rawValue``.
        public var description: String { rawValue }

        /// The token is invalid, expired or revoked.
        public static let relogin = Self("relogin", "Discard the token, and have the user log in again.")
        /// The user must act at Facebook first.
        public static let userMustAct = Self(
            "user-must-act",
            "Ask the user to visit facebook.com, where a confirmation is required."
        )
        /// The user did not grant a required permission, or revoked it.
        public static let permission = Self("permission", "Request the permission, or continue without it.")
        /// The rate limit is exceeded.
        public static let throttle = Self(
            "throttle",
            "Make no calls until retryAfter has passed, or for a few minutes."
        )
        /// Facebook has blocked the app or the user for a policy violation.
        public static let blocked = Self(
            "blocked",
            "Make no calls, and check the app's dashboard for policy violations."
        )
        /// Facebook failed temporarily.
        public static let transient = Self(
            "transient",
            "Try again later; calls that may be repeated were already retried once."
        )
        /// The call is invalid.
        public static let caller = Self("caller", "Correct the call; an identical one would fail again.")
        /// The app's settings do not allow the call, or its ID or secret is wrong.
        public static let appConfiguration = Self(
            "app-configuration",
            "Compare the app ID, secret, version and settings with the app's dashboard."
        )
        /// The token belongs to another app or another user, or is not a user's.
        public static let foreignToken = Self(
            "foreign-token",
            "Refuse the token: it was issued for another app or another user."
        )
        /// There is no response, or none that can be read.
        public static let unavailable = Self("unavailable", "Continue without Facebook, and check the network.")
        /// The code is unknown.
        public static let other = Self("other", "Look up the code in Facebook's documentation.")

        /// All categories.
        public static let all: [Self] = [
            .relogin, .userMustAct, .permission, .throttle, .blocked, .transient, .caller, .appConfiguration,
            .foreignToken,
            .unavailable, .other,
        ]

        /// Whether the error may pass after some time.
        var isPassing: Bool { [.throttle, .blocked, .transient, .unavailable].contains(self) }

        /// Returns whether both have the same name.
        public static func == (first: Self, second: Self) -> Bool { first.rawValue == second.rawValue }
        /// Feeds the name to a hasher.
        public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
    }

    /// The remedy, in one sentence.
    public var remedy: String { category.remedy }

    /// The maximum length of types and trace IDs, which have about twenty characters.
    private static let wordCharacters = 64
    /// The maximum length of messages, which have one or two sentences.
    private static let messageCharacters = 400

    /// Returns a text for the user, shortened and without control and format characters, which could change its
    /// direction.
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
    /// The finding, without category and remedy.
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
    /// The category, the finding and the remedy, for the operator; without the token and Facebook's messages.
    public var description: String { "\(category): \(finding). \(remedy)" }
}
