// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTokens

/// The reason why a text cannot be the nonce of a login.
///
/// The nonce of the ID token is compared byte for byte. A nonce that is trimmed or wrapped in transit would never
/// match.
enum NonceFault: Sendable, CustomStringConvertible {
    /// The nonce is empty.
    case empty
    /// The nonce has more than `Limits.loginNonceBytes` bytes.
    case tooLong(bytes: Int)
    /// The nonce contains white space or a line break.
    case whiteSpace

    /// Creates the fault of a nonce; nil for a valid one.
    ///
    /// - Parameter nonce: The nonce.
    init?(in nonce: String) {
        guard !nonce.isEmpty else {
            self = .empty
            return
        }
        guard nonce.utf8.count <= Limits.loginNonceBytes else {
            self = .tooLong(bytes: nonce.utf8.count)
            return
        }
        guard nonce.unicodeScalars.contains(where: \.properties.isWhitespace) else { return nil }
        self = .whiteSpace
    }

    /// The reason, without the nonce.
    var description: String {
        switch self {
        case .empty: "the nonce is empty"
        case .tooLong(let bytes): "the nonce has \(bytes) bytes, more than \(Limits.loginNonceBytes)"
        case .whiteSpace: "the nonce contains white space or a line break"
        }
    }
}
