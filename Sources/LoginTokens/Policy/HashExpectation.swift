// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginText

/// What came together with the token, and whether the token must carry its hash.
///
/// The hash, `at_hash` of an access token and `c_hash` of an authorization code, shows that nobody has exchanged one of
/// the two on their way (OpenID Connect Core §3.1.3.8, §3.2.2.9, §3.3.2.10).
public struct HashExpectation: Sendable {
    private let value: String
    private let isRequired: Bool

    /// The token carries the hash of this value: what came through a browser together with it, in the implicit and the
    /// hybrid flow.
    ///
    /// Of an empty value no hash is right, here and in ``ifPresent(_:)``.
    public static func required(_ value: String) -> Self { Self(value: value, isRequired: true) }

    /// Where the token carries a hash, it is that of this value: what came from the token endpoint, where it may be left
    /// out.
    public static func ifPresent(_ value: String) -> Self { Self(value: value, isRequired: false) }

    /// Compares the hash: the left half of the digest that the token's algorithm uses, in base64url.
    ///
    /// - Returns: Whether there was one to compare.
    func check(
        _ claims: Claims,
        member claim: StandardClaim,
        algorithm: SignatureAlgorithm,
        code: TokenRefusal.Code
    ) throws(TokenRefusal) -> Bool {
        let member = claim.rawValue
        guard !value.isEmpty else {
            throw TokenRefusal(
                code,
                "what came with the token is empty, so \(member) can be no hash of it",
                member: member
            )
        }
        guard let seen = claims[claim] else {
            guard !isRequired else { throw TokenRefusal(code, "\(member) is missing and required", member: member) }
            return false
        }
        let digest = algorithm.digest.hash(value.utf8)
        guard seen.isString(Base64URL.encode(digest.prefix(digest.count / 2))) else {
            throw TokenRefusal(code, "\(member) is not the hash of what came with the token", member: member)
        }
        return true
    }
}

extension HashExpectation: Redacted {
    /// Whether the hash is required, without the value.
    public var description: String { isRequired ? "hash required" : "hash compared if present" }
}
