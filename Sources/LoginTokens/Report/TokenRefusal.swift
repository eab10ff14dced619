// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// Why a token was refused.
///
/// It has two texts for two readers. ``publicMessage`` may be shown to whoever sent the token: it says what to do, and
/// holds nothing of your configuration. ``description`` is for you: it says what was seen and what was expected. Neither
/// holds the token, a key, a secret or a personal claim, and what they quote is escaped and short.
///
/// The error itself holds what was sent, up to ``Limits/tokenBytes``, to recognize it when you ask: keep the code and the texts,
/// and let go of the error.
public struct TokenRefusal: Error, Sendable {
    /// The stable name of the reason, for programs, metrics and support.
    public let code: Code

    /// The claim or header parameter that was at fault, where it was one.
    public let member: String?

    /// What was sent in place of an ID token, where it can be told.
    public var recognizedAs: RecognizedInput? { input?.recognized }

    /// What was seen and expected, in a few words, for the operator.
    package let detail: String

    /// What was sent, where it may be no ID token at all.
    var input: RefusedInput?

    init(_ code: Code, _ detail: String, member: String? = nil) {
        self.code = code
        self.member = member
        self.detail = detail
    }

    /// The code and what to do, for whoever sent the token.
    public var publicMessage: String {
        "\(code.rawValue): \(recognizedAs?.explanation ?? code.explanation)"
    }
}

/// What was refused, to be looked at when somebody asks what it is: most who refuse a token never do.
struct RefusedInput: Sendable {
    private let text: String?
    private let known: RecognizedInput?

    /// - Parameter text: What was sent. Where it is longer than any token, it is looked at now, and not kept.
    init(_ text: String) {
        let isShort = text.utf8.count <= Limits.tokenBytes
        self.text = isShort ? text : nil
        self.known = isShort ? nil : RecognizedInput(text)
    }

    var recognized: RecognizedInput? { known ?? text.flatMap(RecognizedInput.init) }
}

extension RefusedInput: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// What it is, without what was sent.
    var description: String { "refused input" }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: []) }
}

extension TokenRefusal: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The code, what was seen and what was expected, for the operator.
    public var description: String {
        let recognized = recognizedAs.map { ". \($0.explanation)" } ?? ""
        return "token refused: \(code.rawValue): \(detail)\(recognized)"
    }

    /// As ``description``.
    public var debugDescription: String { description }
    /// No children: a dump must not show what was sent.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
