// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginText

/// An access token or authorization code that was issued together with the ID token, and whether its hash is required.
///
/// The hash is `at_hash` for an access token and `c_hash` for an authorization code. It shows that neither was replaced
/// in transit (OpenID Connect Core §3.1.3.8, §3.2.2.9, §3.3.2.10).
public struct HashExpectation: Sendable {
    private let value: String
    private let isRequired: Bool

    /// Requires the token to carry the hash of this value.
    ///
    /// Use it for values that came through a browser, in the implicit and the hybrid flow. An empty value never
    /// matches, here and in ``ifPresent(_:)``.
    public static func required(_ value: String) -> Self { Self(value: value, isRequired: true) }

    /// Checks the hash of this value if the token carries one.
    ///
    /// Use it for tokens from the token endpoint, which may omit the hash.
    public static func ifPresent(_ value: String) -> Self { Self(value: value, isRequired: false) }

    /// Compares the hash: the left half of the digest that the token's algorithm uses, in base64url.
    ///
    /// - Returns: Whether there was a hash to compare.
    func check(
        _ claims: Claims,
        member claim: StandardClaim,
        digest: Digest,
        code: VerificationCode
    ) throws(TokenRefusal) -> Bool {
        let member = claim.rawValue
        guard !value.isEmpty else {
            throw TokenRefusal(
                code,
                "the value to compare with \(member) is empty",
                member: member
            )
        }
        guard let seen = claims[claim] else {
            guard !isRequired else { throw TokenRefusal(code, "\(member) is missing and required", member: member) }
            return false
        }
        let hash = digest.hash(value.utf8)
        guard seen.isString(Base64URL.encode(hash.prefix(hash.count / 2))) else {
            throw TokenRefusal(code, "\(member) is not the hash of the value received with the token", member: member)
        }
        return true
    }
}

extension HashExpectation: Redacted {
    /// Whether the hash is required; without the value.
    public var description: String { isRequired ? "hash required" : "hash compared if present" }
}
