// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Synchronization

/// An error for a token, a proof of possession or a client certificate that was refused.
///
/// It has two messages for two readers. ``publicMessage`` may be shown to the sender of the token: it recommends an
/// action, and reveals nothing of your configuration. ``description`` is for the operator: it describes what was found
/// and what was expected. Neither contains the token, a key, a secret or a personal claim, and quoted input is escaped
/// and shortened.
///
/// The messages are built on access, because most servers only count refusals. Until then the error retains the input,
/// up to ``Limits/tokenBytes``, and the expected values: store the code and the messages, not the error.
public struct TokenRefusal: Error, Sendable {
    /// The stable code, for programs, metrics and support.
    public let code: VerificationCode

    /// The claim or header parameter that caused the refusal; nil if there is none.
    public let member: String?

    /// The kind of input that was sent instead of the expected token, if recognized.
    public var recognizedAs: RecognizedInput? { input?.recognized(insteadOf: kind) }

    /// A short description of what was found and expected, for the operator.
    package var detail: String {
        guard let input, let finding = input.finding else { return makeDetail() }
        // Several tokens seem to have other segments than any of them has.
        return recognizedAs == .severalTokens ? finding : "\(makeDetail()): \(finding)"
    }

    /// The code, and what was found and expected, without examining what was sent instead of a token.
    package var reason: String { "\(code.refusedThing) refused: \(code.rawValue): \(makeDetail())" }

    private let makeDetail: @Sendable () -> String

    /// The refused input, if it may not be a token of the expected kind at all.
    var input: RefusedInput?

    /// The kind of token that was expected.
    var kind = TokenKind.idToken

    /// Creates a refusal.
    ///
    /// - Parameters:
    ///   - code: The code.
    ///   - detail: A description of what was found and expected, evaluated on each access.
    ///   - member: The claim or header parameter that caused the refusal.
    package init(
        _ code: VerificationCode,
        _ detail: @autoclosure @escaping @Sendable () -> String,
        member: String? = nil
    ) {
        self.code = code
        self.member = member
        self.makeDetail = detail
    }

    /// The code and a recommendation, for the sender of the token.
    public var publicMessage: String {
        "\(code.rawValue): \(recognizedAs?.explanation ?? code.explanation(of: kind))"
    }
}

/// A kind of token that a verifier expects.
enum TokenKind: Sendable {
    case idToken
    case accessToken
}

/// A refused input.
///
/// It is classified on the first access, because most servers never ask for its kind, and only once.
final class RefusedInput: Sendable {
    private let text: String
    private let isWhole: Bool
    private let recognized = Mutex<[TokenKind: RecognizedInput?]>([:])

    /// Creates a refused input.
    ///
    /// - Parameter text: The input. Of a text longer than any token, only the beginning is stored.
    init(_ text: String) {
        isWhole = text.utf8.count <= Limits.tokenBytes
        self.text = isWhole ? text : RecognizedInput.beginning(of: text)
    }

    func recognized(insteadOf kind: TokenKind) -> RecognizedInput? {
        recognized.withLock { known in
            if let recognized = known[kind] { return recognized }
            let recognized = isWhole ? RecognizedInput(text) : RecognizedInput(beginning: text)
            let input = kind == .idToken ? recognized : RecognizedInput.insteadOfAccessToken(recognized, text)
            known[kind] = .some(input)
            return input
        }
    }

    /// A description of what was found in the text, where that is more precise than the failed check.
    var finding: String? {
        isWhole ? recognized(insteadOf: .idToken)?.finding(in: text) : nil
    }
}

extension RefusedInput: Redacted {
    /// A fixed text without the input.
    var description: String { "refused input" }
}

extension TokenRefusal: Redacted {
    /// The code and what was found and expected, for the operator.
    public var description: String {
        let recognized = recognizedAs.map { ". \($0.explanation)" } ?? ""
        return "\(code.refusedThing) refused: \(code.rawValue): \(detail)\(recognized)"
    }
}
