// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// Why a token was refused.
///
/// It has two texts for two readers. ``publicMessage`` may be shown to whoever sent the token: it says what to do, and
/// holds nothing of your configuration. ``description`` is for you: it says what was seen and what was expected. Neither
/// holds the token, a key, a secret or a personal claim, and what they quote is escaped and short.
///
/// The texts are made when you ask for them, because most who refuse a token count it and go on. Until then the error itself
/// holds what was sent, up to ``Limits/tokenBytes``, and what it was compared with: keep the code and the texts, and let go
/// of the error.
public struct TokenRefusal: Error, Sendable {
    /// The stable name of the reason, for programs, metrics and support.
    public let code: Code

    /// The claim or header parameter that was at fault, where it was one.
    public let member: String?

    /// What was sent in place of an ID token, where it can be told.
    public var recognizedAs: RecognizedInput? { input?.recognized }

    /// What was seen and expected, in a few words, for the operator.
    package var detail: String { makeDetail() }

    private let makeDetail: @Sendable () -> String

    /// What was sent, where it may be no ID token at all.
    var input: RefusedInput?

    /// - Parameters:
    ///   - code: The reason.
    ///   - detail: What was seen and expected; made each time somebody asks.
    ///   - member: The claim or header parameter at fault.
    init(_ code: Code, _ detail: @autoclosure @escaping @Sendable () -> String, member: String? = nil) {
        self.code = code
        self.member = member
        self.makeDetail = detail
    }

    /// The code and what to do, for whoever sent the token.
    public var publicMessage: String {
        "\(code.rawValue): \(recognizedAs?.explanation ?? code.explanation)"
    }
}

/// What was refused, to be looked at when somebody asks what it is: most who refuse a token never do.
struct RefusedInput: Sendable {
    private let text: String
    private let isWhole: Bool

    /// - Parameter text: What was sent. Of what is longer than any token, only the beginning is kept.
    init(_ text: String) {
        isWhole = text.utf8.count <= Limits.tokenBytes
        self.text = isWhole ? text : RecognizedInput.beginning(of: text)
    }

    var recognized: RecognizedInput? {
        isWhole ? RecognizedInput(text) : RecognizedInput(beginning: text)
    }
}

extension RefusedInput: Redacted {
    /// A fixed text, without the input.
    var description: String { "refused input" }
}

extension TokenRefusal: Redacted {
    /// The code, the finding and the expectation, for the operator.
    public var description: String {
        let recognized = recognizedAs.map { ". \($0.explanation)" } ?? ""
        return "token refused: \(code.rawValue): \(detail)\(recognized)"
    }
}
