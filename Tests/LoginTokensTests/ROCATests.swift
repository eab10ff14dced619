// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
import LoginText
internal import LoginTokens
internal import TestSupport
internal import Testing

/// CVE-2017-15361: moduli from a generator whose primes are powers of 65537 modulo a product of small primes.
///
/// The form is described in Nemec et al., "The Return of Coppersmith's Attack", ACM CCS 2017, §3.1.
@Suite struct ROCATests {
    private func reason(modulus: BigNumber) -> UnusableKey.Reason? {
        var json = TestKey.shared.json
        json["n"] = .string(Base64URL.encode(modulus.bytes))
        do throws(UnusableKey) {
            _ = try JSONWebKey(json: json.text)
            return nil
        } catch {
            return error.reason
        }
    }

    /// 65537¹²⁸, which has 2,049 bits and is a power of 65537 modulo any number.
    private static let power = (0..<128).reduce(BigNumber(1)) { number, _ in number.times(65_537) }

    /// The odd primes in the product for keys of 512 bits and more, as the paper lists them: up to 167.
    private static let primes: [UInt64] = [
        3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109,
        113, 127, 131, 137, 139, 149, 151, 157, 163, 167,
    ]

    @Test(.rule("T-059"))
    func `a power of 65537 is refused, and the adjacent numbers are not`() {
        #expect(reason(modulus: Self.power) == .weak)
        #expect(reason(modulus: Self.power.plus(BigNumber(2))) == nil)
        #expect(reason(modulus: Self.power.plus(BigNumber(65_536))) == nil)
    }

    @Test(.rule("T-059"), arguments: [2, 4, 1_000_000_000_002] as [UInt64])
    func `a number with the same remainders as a weak modulus is refused`(factor: UInt64) {
        let product = Self.primes.reduce(BigNumber(factor)) { $0.times($1) }
        #expect(reason(modulus: Self.power.plus(product)) == .weak)
    }

    @Test(.rule("T-059"), arguments: primes)
    func `one different remainder is sufficient for acceptance`(prime: UInt64) throws {
        // The same remainders modulo all other primes; zero modulo this one, which no power of 65537 is.
        let step = Self.primes.filter { $0 != prime }.reduce(BigNumber(2)) { $0.times($1) }
        let other = (1..<prime).lazy.map { Self.power.plus(step.times($0)) }.first { $0.remainder(prime) == 0 }
        #expect(reason(modulus: try #require(other)) == nil)
    }

    @Test(.rule("T-059"))
    func `generated keys are not refused as weak`() throws {
        _ = try TestKey.shared.publicKey()
        _ = try TestKey.another.publicKey()
    }
}

/// The arithmetic of large numbers that the tests of keys need.
struct BigNumber: Sendable {
    /// Groups of 32 bits, the lowest first.
    private var words: [UInt64]

    init(_ value: UInt64) {
        words = [value & 0xFFFF_FFFF, value >> 32]
    }

    init(bytes: [UInt8]) {
        words = stride(from: bytes.count, to: 0, by: -4).map { end in
            bytes[max(0, end - 4)..<end].reduce(0) { $0 << 8 | UInt64($1) }
        }
    }

    /// The big-endian bytes without leading zeros.
    var bytes: [UInt8] {
        let bytes = words.reversed().flatMap { word in
            stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt64($0)) }
        }
        return Array(bytes.drop { $0 == 0 })
    }

    /// Returns the product with a factor below 2³².
    func times(_ factor: UInt64) -> BigNumber {
        var result = self
        var carry: UInt64 = 0
        for index in words.indices {
            let product = words[index] * factor + carry
            result.words[index] = product & 0xFFFF_FFFF
            carry = product >> 32
        }
        if carry > 0 { result.words.append(carry) }
        return result
    }

    func plus(_ other: BigNumber) -> BigNumber {
        var result = self
        result.words += Array(repeating: 0, count: max(0, other.words.count - words.count) + 1)
        var carry: UInt64 = 0
        for index in result.words.indices {
            let sum = result.words[index] + carry + (index < other.words.count ? other.words[index] : 0)
            result.words[index] = sum & 0xFFFF_FFFF
            carry = sum >> 32
        }
        return result
    }

    func remainder(_ divisor: UInt64) -> UInt64 {
        words.reversed().reduce(0) { ($0 << 32 | $1) % divisor }
    }
}
