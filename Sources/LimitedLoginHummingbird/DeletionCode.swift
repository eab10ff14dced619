// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import LoginAccounts
internal import LoginCrypto

/// What a person asks by whose data were deleted: a code that shows itself that it was given out here.
///
/// The data are gone when it is given out, so there is nothing to keep of it: not even that there was somebody.
struct DeletionCode: Sendable {
    private let secrets: AccountSecrets

    init(_ secrets: AccountSecrets) {
        self.secrets = secrets
    }

    private static let purpose = "code of a deletion"
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
    /// Characters of five bits: 130 bits of chance, and as many of the code over them.
    private static let half = 26

    /// A code.
    func make() -> String {
        let random = Self.text(randomBytes(count: Self.half))
        // The newest key is the first; there is one at least.
        return random + codes(of: random)[0]
    }

    /// Whether a code was given out here.
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
