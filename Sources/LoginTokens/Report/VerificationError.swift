// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// Why a token was not accepted.
public enum VerificationError: Error, Sendable {
    /// The token is not acceptable. Sending it again helps at most where a clock was wrong or a key is new.
    case refused(TokenRefusal)

    /// Nothing is known about the token, because the issuer's keys could not be had. Try again later.
    case undecided(KeysUnavailable)

    func recognizing(_ text: String) -> VerificationError {
        guard case .refused(let refusal) = self else { return self }
        return .refused(refusal.recognizing(text))
    }

    /// The stable name of the reason, for example `expired` or `keys-unavailable`.
    public var code: String {
        switch self {
        case .refused(let refusal): refusal.code.rawValue
        case .undecided(let unavailable): unavailable.code.rawValue
        }
    }

    /// The code and what to do, for whoever sent the token.
    public var publicMessage: String {
        switch self {
        case .refused(let refusal): refusal.publicMessage
        case .undecided(let unavailable): unavailable.publicMessage
        }
    }
}

extension VerificationError: CustomStringConvertible {
    /// The code, what was seen and what was expected, for the operator.
    public var description: String {
        switch self {
        case .refused(let refusal): refusal.description
        case .undecided(let unavailable): unavailable.description
        }
    }
}
