// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// An error for a token or a proof of possession that was not accepted.
public enum VerificationError: Error, Sendable {
    /// The token is not acceptable.
    ///
    /// Sending it again may succeed only if a clock was wrong or a key is new.
    case refused(TokenRefusal)

    /// The token or the proof cannot be decided, because keys, an introspection endpoint or a ledger are unavailable;
    /// try again later.
    case undecided(VerificationUnavailable)

    func recognizing(_ text: String, as kind: TokenKind) -> VerificationError {
        guard case .refused(let refusal) = self else { return self }
        return .refused(refusal.recognizing(text, as: kind))
    }

    /// The stable code, for example ``VerificationCode/expired`` or ``VerificationCode/keysUnavailable``.
    public var code: VerificationCode {
        switch self {
        case .refused(let refusal): refusal.code
        case .undecided(let unavailable): unavailable.code
        }
    }

    /// The code and a recommendation, for the sender of the token.
    public var publicMessage: String {
        switch self {
        case .refused(let refusal): refusal.publicMessage
        case .undecided(let unavailable): unavailable.publicMessage
        }
    }
}

extension VerificationError: CustomStringConvertible {
    /// The code and what was found and expected, for the operator.
    public var description: String {
        switch self {
        case .refused(let refusal): refusal.description
        case .undecided(let unavailable): unavailable.description
        }
    }
}
