// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginText
public import LoginTokens

/// The secret that ties an authorization code to whoever began the login (RFC 7636).
///
/// Who begins sends the ``challenge``, and who exchanges the code shows the verifier: a code that was caught on its way is
/// worth nothing to others. It is as secret as the code.
public struct CodeVerifier: Sendable {
    /// How many characters it has (RFC 7636 §4.1).
    public static let length = 43...128

    /// The verifier itself.
    public let value: String

    /// A verifier of 576 random bits, in 96 characters of base64url.
    public init() {
        value = Base64URL.encode(randomBytes(count: 72))
    }

    /// A verifier that somebody else has made.
    ///
    /// - Parameter text: 43 to 128 characters, each a letter or digit of ASCII or one of `-._~`; nil for anything else. A
    ///   letter of another alphabet is none, though Facebook's SDK for iOS takes it: the challenge would be right, and the
    ///   provider would refuse the verifier.
    public init?(_ text: String) {
        guard Self.length.contains(text.utf8.count), text.utf8.allSatisfy(Self.isUnreserved) else { return nil }
        value = text
    }

    /// What the request for the code carries: the SHA-256 of the verifier in base64url, method `S256` (RFC 7636 §4.2).
    public var challenge: String { Base64URL.encode(Digest.sha256.hash(value.utf8)) }

    /// The parameters of the authorization request (RFC 7636 §4.3).
    ///
    /// The method is always S256, since `plain` shows the verifier to anyone who sees the request.
    package var challengeParameters: [(String, String)] {
        [("code_challenge", challenge), ("code_challenge_method", "S256")]
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}

extension CodeVerifier: Hashable {
    /// Whether both are the same; in constant time.
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
            let context = DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "no code verifier")
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
