// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto

/// The expected nonce of a token.
///
/// The nonce ties a token to the sign-in attempt it was issued for. Without it, a token that was stolen, or that the
/// same user gave to another of your servers, can be replayed. There is no default: state the expectation explicitly.
public struct NonceExpectation: Sendable {
    enum Requirement: Sendable {
        case exactly(String)
        case sha256(of: String)
        case absent
        case storeIssued
        case ifPresent(String?)
        case notChecked(reason: String)
    }

    let requirement: Requirement

    /// Expects the claim to equal this value, which your server issued for the attempt.
    ///
    /// An empty value matches nothing.
    public static func exactly(_ nonce: String) -> Self { Self(requirement: .exactly(nonce)) }

    /// Expects the claim to be the SHA-256 of this value in lower-case hexadecimal.
    ///
    /// This is the convention of Firebase and others, whose apps send the hash to the provider and the value to the
    /// server. An empty value matches nothing.
    public static func sha256(of nonce: String) -> Self { Self(requirement: .sha256(of: nonce)) }

    /// Expects no nonce: a token with a nonce was issued for another attempt.
    public static let mustBeAbsent = Self(requirement: .absent)

    /// Expects a nonce, which a store checks later.
    static let storeIssued = Self(requirement: .storeIssued)

    /// Expects this value, or no nonce.
    ///
    /// It is for providers that may omit the nonce of a request. The caller must then bind the token to the attempt.
    package static func ifPresent(_ nonce: String) -> Self { Self(requirement: .ifPresent(nonce)) }

    /// Expects the nonce of the original authentication, or none (OpenID Connect Core §12.2).
    static func unchanged(from nonce: String?) -> Self { Self(requirement: .ifPresent(nonce)) }

    /// Ignores the nonce.
    ///
    /// The caller must then prevent replays. The reason appears in every report.
    public static func notChecked(because reason: String) -> Self { Self(requirement: .notChecked(reason: reason)) }

    /// Compares the nonce with the expectation, and returns how it was compared.
    func check(_ claims: Claims) throws(TokenRefusal) -> NonceCheck {
        switch requirement {
        case .exactly(let expected):
            try match(claims, expected: expected, value: expected)
            return .exactly
        case .sha256(let expected):
            try match(claims, expected: expected, value: Self.hash(expected))
            return .sha256
        case .absent:
            guard claims[.nonce] == nil else {
                throw TokenRefusal(.nonce, "the token has a nonce, but none was expected", member: "nonce")
            }
            return .absent
        case .storeIssued:
            guard claims.nonce?.isEmpty == false else {
                throw TokenRefusal(.nonce, "the token has no nonce, but one was issued", member: "nonce")
            }
            return .singleUse
        case .ifPresent(let previous):
            guard claims[.nonce] != nil else { return .absent }
            guard let previous else {
                let detail = "the token has a nonce, but the first token of this sign-in had none"
                throw TokenRefusal(.nonce, detail, member: "nonce")
            }
            try match(claims, expected: previous, value: previous)
            return .exactly
        case .notChecked(let reason):
            return .notChecked(because: reason)
        }
    }

    /// Compares in constant time: the sender chooses one of the values, and must not learn the other byte by byte.
    ///
    /// The text of a refusal is built at once, so that the refusal does not retain the nonce.
    private func match(_ claims: Claims, expected: String, value: String) throws(TokenRefusal) {
        guard !expected.isEmpty else {
            throw TokenRefusal(.nonce, "the expected nonce is empty, and matches no token", member: "nonce")
        }
        guard let seen = claims[.nonce]?.utf8, !seen.isEmpty else {
            let detail = "the token has no nonce, expected \(fingerprint(value))"
            throw TokenRefusal(.nonce, detail, member: "nonce")
        }
        guard constantTimeEquals(seen.span, value) else {
            let detail =
                "the nonce is \(fingerprint(String(decoding: seen, as: UTF8.self))), expected \(fingerprint(value))\(hint(seen, expected))"
            throw TokenRefusal(.nonce, detail, member: "nonce")
        }
    }

    /// Returns a hint for the most common mistake: the app follows the other hashing convention.
    private func hint(_ seen: ArraySlice<UInt8>, _ expected: String) -> String {
        switch requirement {
        case .exactly where constantTimeEquals(seen.span, Self.hash(expected)):
            "; it is the SHA-256 of the expected value: the app hashes its nonce, so expect the hash"
        case .sha256 where constantTimeEquals(seen.span, expected):
            "; it is the expected value itself: the app does not hash its nonce, so expect it as it is"
        default:
            ""
        }
    }

    private static func hash(_ text: String) -> String {
        hexadecimal(Digest.sha256.hash(text.utf8))
    }
}

extension NonceExpectation: Redacted {
    /// The kind of comparison, without the nonce.
    public var description: String {
        switch requirement {
        case .exactly: "nonce exactly as expected"
        case .sha256: "SHA-256 of the expected nonce"
        case .absent: "no nonce"
        case .storeIssued: "single-use nonce"
        case .ifPresent: "nonce exactly as expected, or none"
        case .notChecked: "nonce not checked"
        }
    }
}

/// The method by which the nonce of a verified token was checked.
public enum NonceCheck: Sendable, Hashable {
    /// The nonce equals the expected value.
    case exactly
    /// The nonce equals the SHA-256 of the expected value.
    case sha256
    /// The token has no nonce, as expected.
    case absent
    /// A store issued the nonce, and has consumed it.
    case singleUse
    /// The nonce was not checked.
    case notChecked(because: String)
}
