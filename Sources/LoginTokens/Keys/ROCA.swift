// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// Detection of RSA moduli made by the flawed generator of CVE-2017-15361 ("ROCA").
///
/// That generator takes its primes from the powers of 65537, so modulo each small prime the modulus is a power of 65537
/// too. About one in 2²⁷ random moduli has this property. Source: Nemec et al., "The Return of Coppersmith's Attack",
/// ACM CCS 2017, §3.
enum ROCA {
    static func hasFingerprint(_ modulus: [UInt8]) -> Bool {
        groups.allSatisfy { group in
            let residue = modulus.reduce(UInt64(0)) { ($0 << 8 | UInt64($1)) % group.product }
            return group.members.allSatisfy { $0.isPower[Int(residue % $0.prime)] }
        }
    }

    /// Small primes in groups whose product stays below 2⁵⁶: one division per byte serves a whole group.
    private static let groups: [(product: UInt64, members: [(prime: UInt64, isPower: [Bool])])] = {
        var groups: [(product: UInt64, members: [(prime: UInt64, isPower: [Bool])])] = []
        for prime in primes {
            let member = (prime, powers(modulo: prime))
            if let last = groups.indices.last, groups[last].product < (1 << 56) / prime {
                groups[last].product *= prime
                groups[last].members.append(member)
            } else {
                groups.append((prime, [member]))
            }
        }
        return groups
    }()

    /// The odd primes up to 167, whose product the generator uses for keys of at least 512 bits.
    private static let primes: [UInt64] = (3...167).filter { number in
        number % 2 == 1 && !stride(from: 3, to: number, by: 2).contains { number % $0 == 0 }
    }

    /// Returns for each number below a prime whether it is a power of 65537 modulo the prime.
    private static func powers(modulo prime: UInt64) -> [Bool] {
        var isPower = Array(repeating: false, count: Int(prime))
        var power: UInt64 = 1
        while !isPower[Int(power)] {
            isPower[Int(power)] = true
            power = power * 65537 % prime
        }
        return isPower
    }
}
