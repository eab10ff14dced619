// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginText
public import LoginTokens

/// The code verifier of PKCE, which binds an authorization code to the client that requested it (RFC 7636).
///
/// The authorization request has the ``challenge``, the token request the verifier. An intercepted code is useless
/// without it. The verifier is as secret as the code.
public struct CodeVerifier: Sendable {
    /// The allowed length in characters (RFC 7636 §4.1).
    public static let length = 43...128

    /// The verifier.
    public let value: String

    /// Creates a verifier of 576 random bits: 96 characters of base64url.
    public init() {
        value = Base64URL.encode(randomBytes(count: 72))
    }

    /// Creates a verifier that was generated elsewhere.
    ///
    /// - Parameter text: 43 to 128 characters, each an ASCII letter, an ASCII digit or one of `-._~`; nil for anything
    ///   else. Facebook's SDK for iOS also accepts letters of other alphabets. Providers refuse such a verifier.
    public init?(_ text: String) {
        guard Self.length.contains(text.utf8.count), text.utf8.allSatisfy(PercentEncoding.isUnreserved) else {
            return nil
        }
        value = text
    }

    /// The code challenge of method `S256`: the SHA-256 of the verifier in base64url (RFC 7636 §4.2).
    public var challenge: String { Base64URL.encode(Digest.sha256.hash(value.utf8)) }

    /// The parameters of the authorization request (RFC 7636 §4.3).
    ///
    /// The method is always `S256`. `plain` would show the verifier to everyone who sees the request.
    package var challengeParameters: [(String, String)] {
        [("code_challenge", challenge), ("code_challenge_method", "S256")]
    }
}

extension CodeVerifier: Hashable {
    /// Compares two verifiers in constant time.
    public static func == (first: Self, second: Self) -> Bool {
        constantTimeEquals(Array(first.value.utf8), Array(second.value.utf8))
    }

    /// Feeds the verifier to a hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(value)
    }
}

extension CodeVerifier: Codable {
    /// Reads a verifier from a string.
    public init(from decoder: any Decoder) throws {
        guard let verifier = Self(try decoder.singleValueContainer().decode(String.self)) else {
            let context = DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "not a code verifier")
            throw DecodingError.dataCorrupted(context)
        }
        self = verifier
    }

    /// Writes the verifier as a string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}

extension CodeVerifier: Redacted {
    /// A fixed text, without the verifier.
    public var description: String { "code verifier" }
}
