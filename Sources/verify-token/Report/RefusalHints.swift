// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import Foundation
internal import LoginCrypto
internal import LoginTokens

/// Hints for the user of the command: the options and commands that help with a refused token.
///
/// They are not meant for the sender of the token. Of the claims, a hint shows only the audience and the scopes of an
/// access token.
struct RefusalHints {
    let refusal: TokenRefusal

    /// The token as it was sent.
    let text: String

    /// The value that the nonce was compared with; nil if there is none.
    var nonce: ExpectedNonce?

    /// Whether the keys come from a file in PEM form.
    var hasKeyInPEM = false

    /// The hints on an ID token, one sentence each.
    var all: [String] {
        [Self.command(for: refusal.recognizedAs), secretHint, keyHint, nonceHint, accessTokenHint].compactMap(\.self)
    }

    /// Returns a hint that names the command for the recognized input; nil if there is none.
    static func command(for input: RecognizedInput?) -> String? {
        switch input {
        case .signedRequest: "verify-token signed-request verifies it"
        case .severalTokens: "verify-token batch verifies a file with one token on each line"
        case .accessTokenJWT: "verify-token access verifies it"
        case .dpopProof: "verify-token dpop check verifies it"
        default: nil
        }
    }

    /// A hint on a token that may be an access token, although nothing marks it as one.
    private var accessTokenHint: String? {
        guard [.audience, .missingClaim, .nonce].contains(refusal.code), refusal.recognizedAs == nil,
            let claims = (try? UnverifiedToken(inspecting: text, limits: .largest))?.claims
        else { return nil }
        guard claims.nonce == nil, claims["scope"] != nil || claims["scp"] != nil else { return nil }
        return "the token has scopes and no nonce, like an access token: verify-token access verifies those"
    }

    /// A hint on a token that is signed with a secret instead of a key.
    var secretHint: String? {
        guard refusal.code == .algorithm,
            let name = (try? UnverifiedToken(inspecting: text, limits: .largest))?.header.algorithm,
            SharedSecret.Algorithm(rawValue: name) != nil
        else { return nil }
        return
            "\(name) is a signature with a shared secret: if the issuer documents it for your client or API, give the secret with "
            + "--secret-file and --algorithm \(name)"
    }

    var keyHint: String? {
        guard hasKeyInPEM, refusal.code == .keyNotFound else { return nil }
        return
            "a key in PEM form has no ID, but the token has a kid: \"verify-token key convert FILE --key-id ID\" writes a key set "
            + "with the ID"
    }

    private var nonceHint: String? {
        guard refusal.code == .nonce, let token = try? UnverifiedToken(inspecting: text, limits: .largest) else {
            return nil
        }
        guard let seen = token.claims.nonce, !seen.isEmpty else {
            return token.claims["nonce"] == nil ? "the token has no nonce; --nonce-absent accepts such a token" : nil
        }
        return nonce?.mistake(seen)
    }
}

/// A value to compare the nonce with, and how to compare it.
enum ExpectedNonce {
    case exactly(String)
    case sha256(String)

    /// Describes the probable mistake; nil if the two values are unrelated.
    ///
    /// - Parameter seen: The nonce of the token.
    /// - Returns: A hint, which may name the option to use.
    func mistake(_ seen: String) -> String? {
        switch self {
        case .exactly(let value):
            if seen == Self.hash(value) {
                return
                    "the nonce is the SHA-256 of the value: the app hashes its nonce, and --nonce-sha256 compares the hash"
            }
            return Self.formOfHash(seen, of: value) ?? Self.spelling(seen, value)
                ?? (value.lowercased() == Self.hash(seen)
                    ? "the value is the SHA-256 of the nonce: the app does not hash its nonce; give --nonce the value before hashing"
                    : nil)
        case .sha256(let value):
            if seen == value {
                return Self.isHash(value)
                    ? "the value of --nonce-sha256 is the nonce itself, and looks like a SHA-256: give the hash with --nonce; "
                        + "--nonce-sha256 takes the value before hashing"
                    : "the value is the nonce itself: the app does not hash its nonce, and --nonce compares it"
            }
            return Self.formOfHash(seen, of: value)
                ?? (Self.isHash(value)
                    ? "the value of --nonce-sha256 looks like a SHA-256: give a hash with --nonce; --nonce-sha256 takes the "
                        + "value before hashing"
                    : Self.spelling(seen, value))
        }
    }

    /// Describes a hash that is not in lower-case hexadecimal, or one of the value without its surrounding white
    /// space.
    private static func formOfHash(_ seen: String, of value: String) -> String? {
        let digest = Data(Digest.sha256.hash(Array(value.utf8)))
        let base64 = digest.base64EncodedString()
        let base64URL = base64.replacing("+", with: "-").replacing("/", with: "_")
        if seen.lowercased() == hash(value) {
            return
                "the nonce is the SHA-256 of the value in upper-case hexadecimal; the app must send lower-case hexadecimal for --nonce-sha256"
        }
        if [base64, base64URL].contains(where: { $0.filter { $0 != "=" } == seen.filter { $0 != "=" } }) {
            return
                "the nonce is the SHA-256 of the value in Base64; the app must send lower-case hexadecimal for --nonce-sha256"
        }
        let trimmed = value.trimmingCharacters(in: .whitespacesAndNewlines)
        guard trimmed != value, seen == hash(trimmed) else { return nil }
        return
            "the nonce is the SHA-256 of the value without its surrounding white space: remove that, and use --nonce-sha256"
    }

    private static func spelling(_ seen: String, _ value: String) -> String? {
        if seen.trimmingCharacters(in: .whitespacesAndNewlines) == value.trimmingCharacters(in: .whitespacesAndNewlines)
        {
            return "the nonce and the value differ only in white space at the beginning or the end"
        }
        guard seen.lowercased() == value.lowercased() else { return nil }
        return "the nonce and the value differ only in letter case; nonces are compared byte for byte"
    }

    private static func hash(_ text: String) -> String { hexadecimal(Digest.sha256.hash(Array(text.utf8))) }

    private static func isHash(_ text: String) -> Bool { text.utf8.count == 64 && text.allSatisfy(\.isHexDigit) }
}
#endif
