// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginText

/// The secrets that a client holds between the steps of a second factor, or of signing in by phone: 256 random bits, of which the store has the hash.
enum FactorToken: String {
    /// That of a sign-in whose first factor was right.
    case signIn = "llm_"
    /// That of a code which was sent.
    case challenge = "llc_"
    /// That of a code which was sent to a number, to sign in with it.
    case verification = "llv_"

    private static let byteCount = 32

    /// A new one.
    func make() -> String { rawValue + Base64URL.encode(randomBytes(count: Self.byteCount)) }

    /// What to look for in the store; nil where it cannot be one of ours.
    func hashIfPossible(_ token: String) -> [UInt8]? {
        let bytes = token.utf8
        guard bytes.count <= 64, bytes.starts(with: rawValue.utf8),
            Base64URL.decode(Array(bytes.dropFirst(rawValue.utf8.count)))?.count == Self.byteCount
        else { return nil }
        return Self.hash(token)
    }

    /// By which the store knows one that was just made.
    static func hash(_ token: String) -> [UInt8] { Digest.sha256.hash(token.utf8) }
}
