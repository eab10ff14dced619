// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import LoginAccounts
internal import LoginCrypto

/// The confirmation code of a data deletion, which proves by itself that this service issued it.
///
/// The code contains its own HMAC. The data are already deleted when it is issued, so nothing is stored about it: not
/// even that the account existed.
struct DeletionCode: Sendable {
    private let secrets: AccountSecrets

    init(_ secrets: AccountSecrets) {
        self.secrets = secrets
    }

    private static let purpose = "code of a deletion"
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
    /// The number of characters of each half, with five bits each: 130 random bits, and 130 bits of their HMAC.
    private static let half = 26

    /// Returns a new code.
    func make() -> String {
        let random = Self.text(randomBytes(count: Self.half))
        // The first HMAC is that of the newest key. There is at least one key.
        return random + codes(of: random)[0]
    }

    /// Returns whether this service issued a code.
    func isOurs(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.count == 2 * Self.half else { return false }
        let random = String(decoding: bytes.prefix(Self.half), as: UTF8.self)
        return codes(of: random).contains { constantTimeEquals(Array($0.utf8), Array(bytes.suffix(Self.half))) }
    }

    private func codes(of random: String) -> [String] {
        secrets.authenticationCodes(of: Array(random.utf8), purpose: Self.purpose)
            .map { Self.text(Array($0.prefix(Self.half))) }
    }

    private static func text(_ bytes: [UInt8]) -> String {
        String(decoding: bytes.map { alphabet[Int($0 & 31)] }, as: UTF8.self)
    }
}
#endif
