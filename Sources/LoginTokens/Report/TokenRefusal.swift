// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// Why a token was refused.
///
/// It has two texts for two readers. ``publicMessage`` may be shown to whoever sent the token: it says what to do, and
/// holds nothing of your configuration. ``description`` is for you: it says what was seen and what was expected. Neither
/// holds the token, a key, a secret or a personal claim, and what they quote is escaped and short.
public struct TokenRefusal: Error, Sendable {
    /// The stable name of the reason, for programs, metrics and support.
    public let code: Code

    /// The claim or header parameter that was at fault, where it was one.
    public let member: String?

    /// What was sent in place of an ID token, where it can be told.
    public internal(set) var recognizedAs: RecognizedInput?

    /// What was seen and expected, in a few words, for the operator.
    package let detail: String

    init(_ code: Code, _ detail: String, member: String? = nil, recognizedAs: RecognizedInput? = nil) {
        self.code = code
        self.member = member
        self.recognizedAs = recognizedAs
        self.detail = detail
    }

    /// The code and what to do, for whoever sent the token.
    public var publicMessage: String {
        "\(code.rawValue): \(recognizedAs?.explanation ?? code.explanation)"
    }
}

extension TokenRefusal: CustomStringConvertible {
    /// The code, what was seen and what was expected, for the operator.
    public var description: String {
        let recognized = recognizedAs.map { ". \($0.explanation)" } ?? ""
        return "token refused: \(code.rawValue): \(detail)\(recognized)"
    }
}
