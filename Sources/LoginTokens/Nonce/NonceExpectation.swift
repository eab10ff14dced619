// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto

/// What a token's nonce must be.
///
/// The nonce ties a token to the sign-in attempt it was made for. Without it, a token that was stolen or that the same
/// person gave to another server of yours can be sent again. There is no default: say what you expect.
public struct NonceExpectation: Sendable {
    enum Requirement: Sendable {
        case exactly(String)
        case sha256(of: String)
        case absent
        case storeIssued
        case unchanged(from: String?)
        case notChecked(reason: String)
    }

    let requirement: Requirement

    /// The claim equals this value, which your server issued for the attempt.
    ///
    /// An empty one matches nothing.
    public static func exactly(_ nonce: String) -> Self { Self(requirement: .exactly(nonce)) }

    /// The claim is the SHA-256 of this value in lower-case hexadecimal: the convention of Firebase and others, whose
    /// apps send the hash to the provider and the value to the server.
    ///
    /// An empty one matches nothing.
    public static func sha256(of nonce: String) -> Self { Self(requirement: .sha256(of: nonce)) }

    /// There is no nonce: a token that has one was made for some attempt, and not for this.
    public static let mustBeAbsent = Self(requirement: .absent)

    /// There is a nonce, and a store is asked about it later.
    static let storeIssued = Self(requirement: .storeIssued)

    /// That of the original authentication, or none (OpenID Connect Core §12.2).
    static func unchanged(from nonce: String?) -> Self { Self(requirement: .unchanged(from: nonce)) }

    /// The nonce is not looked at.
    ///
    /// Replays are then yours to prevent; the reason stands in every report.
    public static func notChecked(because reason: String) -> Self { Self(requirement: .notChecked(reason: reason)) }

    /// Compares, and says how.
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
                throw TokenRefusal(.nonce, "the token has a nonce, and none was expected", member: "nonce")
            }
            return .absent
        case .storeIssued:
            guard claims.nonce?.isEmpty == false else {
                throw TokenRefusal(.nonce, "the token has no nonce, and one was issued", member: "nonce")
            }
            return .singleUse
        case .unchanged(let previous):
            guard claims[.nonce] != nil else { return .absent }
            guard let previous else {
                let detail = "the token has a nonce, and the first of this sign-in had none"
                throw TokenRefusal(.nonce, detail, member: "nonce")
            }
            try match(claims, expected: previous, value: previous)
            return .exactly
        case .notChecked(let reason):
            return .notChecked(because: reason)
        }
    }

    /// Compares in constant time: the sender chooses one of the two, and must not learn the other byte by byte.
    ///
    /// What a refusal says is made at once, so that it does not hold the nonce.
    private func match(_ claims: Claims, expected: String, value: String) throws(TokenRefusal) {
        guard !expected.isEmpty else {
            throw TokenRefusal(.nonce, "the expected nonce is empty, and an empty one matches nothing", member: "nonce")
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

    /// The commonest mistake: the app follows the other convention.
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
        case .sha256: "nonce that is the SHA-256 of the expected value"
        case .absent: "no nonce"
        case .storeIssued: "nonce of single use"
        case .unchanged: "the nonce of the original authentication, or none"
        case .notChecked: "nonce not checked"
        }
    }
}

/// How the nonce of a verified token was checked.
public enum NonceCheck: Sendable, Hashable {
    /// It equals the value expected.
    case exactly
    /// It equals the SHA-256 of the value expected.
    case sha256
    /// There is none, as expected.
    case absent
    /// A store issued it, and has taken it back.
    case singleUse
    /// It was not looked at.
    case notChecked(because: String)
}
