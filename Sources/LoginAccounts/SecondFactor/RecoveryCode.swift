// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto

/// A code for who has lost every other second factor: 128 random bits, good once.
///
/// With so many bits a plain hash is enough to keep (NIST SP 800-63B §5.1.2.2 asks for 112): nobody guesses one, so no slow hash
/// has to be computed for everybody who tries.
struct RecoveryCode: Sendable {
    private let number: UInt128

    /// How many an account has.
    static let count = 10

    /// 26 digits of five bits hold 128 and two that are zero.
    private static let digitCount = 26

    /// The digits of Crockford's base 32, which leaves out I, L, O and U.
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

    /// The longest input that is looked at, in bytes.
    private static let longestInput = 64

    /// A new one.
    init() {
        number = randomBytes(count: 16).reduce(0) { $0 << 8 | UInt128($1) }
    }

    /// Reads what somebody typed; nil where it is none.
    ///
    /// Small letters, hyphens, spaces and the letters that look like digits are taken for what was meant.
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

    /// The code as it is shown, in groups: `01234-56789-ABCDE-FGHJK-MNPQRS`.
    var text: String {
        var text: [UInt8] = []
        for index in 0..<Self.digitCount {
            if index > 0, index % 5 == 0, index < 25 { text.append(UInt8(ascii: "-")) }
            let shift = 5 * (Self.digitCount - 1 - index)
            text.append(Self.alphabet[Int(truncatingIfNeeded: number >> shift & 31)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// By which the store knows it.
    var hash: [UInt8] {
        Digest.sha256.hash((0..<16).map { UInt8(truncatingIfNeeded: number >> (120 - 8 * $0)) })
    }
}
