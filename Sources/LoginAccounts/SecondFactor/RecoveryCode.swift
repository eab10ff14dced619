// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto

/// A recovery code: 128 random bits, for a user who has lost all other second factors.
///
/// It can be used once.
///
/// With so much entropy a plain hash is sufficient (NIST SP 800-63B §5.1.2.2 requires 112 bits), so no slow hash has to
/// be computed for every attempt.
struct RecoveryCode: Sendable {
    private let number: UInt128

    /// The number of codes of an account.
    static let count = 10

    /// The number of digits: 26 digits of five bits encode 128 bits and two leading zero bits.
    private static let digitCount = 26

    /// The digits of Crockford's Base32, which omits I, L, O and U.
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

    /// The maximum length of an input that is examined, in bytes.
    private static let longestInput = 64

    /// Generates a random code.
    init() {
        number = randomBytes(count: 16).reduce(0) { $0 << 8 | UInt128($1) }
    }

    /// Parses a code that a user typed; nil if it is malformed.
    ///
    /// Case, hyphens and spaces are ignored, and letters that look like digits are read as those digits.
    init?(_ input: String) {
        guard input.utf8.count <= Self.longestInput else { return nil }
        var number: UInt128 = 0
        var count = 0
        for byte in input.utf8 where byte != UInt8(ascii: " ") && byte != UInt8(ascii: "-") {
            guard count < Self.digitCount, let digit = Self.digit(byte) else { return nil }
            // The first digit has three bits.
            guard count > 0 || digit < 8 else { return nil }
            number = number << 5 | UInt128(digit)
            count += 1
        }
        guard count == Self.digitCount else { return nil }
        self.number = number
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        let isSmall = (0x61...0x7A).contains(byte)
        switch isSmall ? byte - 0x20 : byte {
        case UInt8(ascii: "O"): return 0
        case UInt8(ascii: "I"), UInt8(ascii: "L"): return 1
        case let byte: return alphabet.firstIndex(of: byte).map { UInt8($0) }
        }
    }

    /// The code as it is displayed, in groups: `01234-56789-ABCDE-FGHJK-MNPQRS`.
    var text: String {
        var text: [UInt8] = []
        for index in 0..<Self.digitCount {
            if index > 0, index % 5 == 0, index < 25 { text.append(UInt8(ascii: "-")) }
            let shift = 5 * (Self.digitCount - 1 - index)
            text.append(Self.alphabet[Int(truncatingIfNeeded: number >> shift & 31)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The SHA-256, which the store has.
    var hash: [UInt8] {
        Digest.sha256.hash((0..<16).map { UInt8(truncatingIfNeeded: number >> (120 - 8 * $0)) })
    }
}
