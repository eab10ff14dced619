// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginText

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// The hash algorithm of one-time passwords.
public enum TOTPAlgorithm: String, Sendable, Hashable, Codable, CaseIterable {
    /// SHA-1, which every authenticator app supports.
    case sha1 = "SHA1"
    /// SHA-256.
    case sha256 = "SHA256"
    /// SHA-512.
    case sha512 = "SHA512"
}

/// Time-based one-time passwords (RFC 6238).
package struct TOTP: Sendable, Hashable {
    /// The shared secret.
    var secret: [UInt8]

    /// The public parameters.
    var parameters = Parameters()

    /// The public parameters of one-time passwords.
    struct Parameters: Sendable, Hashable, Codable {
        var algorithm = TOTPAlgorithm.sha1
        /// The number of digits, 6 or 8.
        var digits = 6

        /// Whether the number of digits is supported.
        ///
        /// A row may come from a file that another program has written.
        var hasCodes: Bool { [6, 8].contains(digits) }
    }

    /// The length of a time step, in seconds (RFC 6238 §5.2).
    static let period: Int64 = 30

    /// The length of generated secrets: 160 bits (RFC 4226 §4, R6).
    static let secretByteCount = 20

    /// Generates a random secret.
    static func makeSecret() -> [UInt8] { randomBytes(count: secretByteCount) }

    /// Returns the time step of a time.
    static func step(at time: StoreTime) -> Int64 {
        // Rounded towards negative infinity, for times before 1970.
        let (quotient, rest) = time.milliseconds.quotientAndRemainder(dividingBy: period * 1000)
        return rest < 0 ? quotient - 1 : quotient
    }

    /// Returns the code of a time step, with leading zeros (RFC 4226 §5.3); nil if libcrypto lacks the hash algorithm.
    func code(of step: Int64) -> [UInt8]? {
        let counter = UInt64(bitPattern: step)
        let message = (0..<8).map { UInt8(truncatingIfNeeded: counter >> (56 - 8 * UInt64($0))) }
        guard let hash = authenticationCode(of: message), let last = hash.last else { return nil }
        let offset = Int(last & 0x0F)
        let number = hash[offset..<offset + 4].reduce(0 as UInt32) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        var rest = number
        var digits = [UInt8](repeating: 0, count: parameters.digits)
        for index in digits.indices.reversed() {
            digits[index] = UInt8(ascii: "0") + UInt8(rest % 10)
            rest /= 10
        }
        return digits
    }

    private func authenticationCode(of message: [UInt8]) -> [UInt8]? {
        switch parameters.algorithm {
        case .sha1: authenticationCodeSHA1(of: message, key: secret)
        case .sha256: Digest.sha256.authenticationCode(of: message, key: secret)
        case .sha512: Digest.sha512.authenticationCode(of: message, key: secret)
        }
    }

    /// Returns the time step of a code; nil if no accepted step has it.
    ///
    /// The code of every accepted step is computed and compared, so that the duration does not reveal which one
    /// matched.
    ///
    /// - Parameters:
    ///   - code: The digits.
    ///   - time: The current time.
    ///   - back: The number of past steps that are accepted.
    ///   - forward: The number of future steps that are accepted.
    /// - Returns: The latest step with this code.
    func step(of code: [UInt8], at time: StoreTime, back: Int, forward: Int) -> Int64? {
        let current = Self.step(at: time)
        var found: Int64?
        for step in current - Int64(max(back, 0))...current + Int64(max(forward, 0)) {
            let isEqual = self.code(of: step).map { constantTimeEquals($0, code) } ?? false
            if isEqual { found = step }
        }
        return found
    }

    /// Returns the `otpauth` URI with the secret, which apps usually read as a QR code.
    ///
    /// - Parameters:
    ///   - issuer: The issuer.
    ///   - accountName: The name of the account.
    /// - Returns: The URI.
    func uri(issuer: String, accountName: String) -> String {
        let issuer = Self.encoded(issuer)
        return "otpauth://totp/\(issuer):\(Self.encoded(accountName))"
            + "?secret=\(Base32.encode(secret))&issuer=\(issuer)"
            + "&algorithm=\(parameters.algorithm.rawValue)&digits=\(parameters.digits)&period=\(Self.period)"
    }

    /// The maximum length of a name in the URI before it is encoded, in bytes.
    private static let nameBytes = 256

    /// Percent-encodes the first characters of a name, at most ``nameBytes``.
    private static func encoded(_ name: String) -> String {
        var bytes = 0
        let shown = name.prefix { character in
            bytes += character.utf8.count
            return bytes <= nameBytes
        }
        return PercentEncoding.encode(String(shown))
    }
}

extension TOTP {
    /// Returns the code of a secret with the parameters that every app supports: SHA-1, 6 digits.
    ///
    /// - Parameters:
    ///   - secret: The secret in Base32.
    ///   - date: The time.
    /// - Returns: The code; nil if the secret is malformed.
    package static func code(ofSecret secret: String, at date: Date) -> String? {
        guard let bytes = Base32.decode(secret) else { return nil }
        return TOTP(secret: bytes).code(of: step(at: StoreTime(date))).map { String(decoding: $0, as: UTF8.self) }
    }
}
