// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// The algorithm of the codes that an app computes.
public enum TOTPAlgorithm: String, Sendable, Hashable, Codable, CaseIterable {
    /// SHA-1, which every app knows.
    case sha1 = "SHA1"
    /// SHA-256.
    case sha256 = "SHA256"
    /// SHA-512.
    case sha512 = "SHA512"
}

/// One-time passwords by the time (RFC 6238): the codes that an app computes.
package struct TOTP: Sendable, Hashable {
    /// What both sides know.
    var secret: [UInt8]

    /// How the codes are computed.
    var parameters = Parameters()

    /// What is not secret about it.
    struct Parameters: Sendable, Hashable, Codable {
        var algorithm = TOTPAlgorithm.sha1
        /// 6 or 8.
        var digits = 6

        /// Whether there are codes of this length: rows may come from a file that somebody else has written.
        var hasCodes: Bool { [6, 8].contains(digits) }
    }

    /// How long a code is an app's current one, in seconds (RFC 6238 §5.2).
    static let period: Int64 = 30

    /// The length of the secrets that are made here: 160 bits (RFC 4226 §4, R6).
    static let secretByteCount = 20

    /// A new secret.
    static func makeSecret() -> [UInt8] { randomBytes(count: secretByteCount) }

    /// The step that a time falls into.
    static func step(at time: StoreTime) -> Int64 {
        // Rounded down, before 1970 too.
        let (quotient, rest) = time.milliseconds.quotientAndRemainder(dividingBy: period * 1000)
        return rest < 0 ? quotient - 1 : quotient
    }

    /// The code of a step: digits, leading zeros among them (RFC 4226 §5.3); nil where libcrypto offers no such hash.
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

    /// The step whose code this is; nil where it is none that counts.
    ///
    /// Each step of the window is computed and compared, whichever matches, so that the time taken does not tell.
    ///
    /// - Parameters:
    ///   - code: The digits.
    ///   - time: What time it is.
    ///   - back: How many steps a code may be old.
    ///   - forward: How many steps a code may be early.
    /// - Returns: The latest step that has this code.
    func step(of code: [UInt8], at time: StoreTime, back: Int, forward: Int) -> Int64? {
        let current = Self.step(at: time)
        var found: Int64?
        for step in current - Int64(max(back, 0))...current + Int64(max(forward, 0)) {
            let isEqual = self.code(of: step).map { constantTimeEquals($0, code) } ?? false
            if isEqual { found = step }
        }
        return found
    }

    /// What an app reads to learn the secret, mostly as a picture: an `otpauth` address.
    ///
    /// - Parameters:
    ///   - issuer: Who asks for the codes.
    ///   - accountName: What the person knows the account by.
    /// - Returns: The address.
    func uri(issuer: String, accountName: String) -> String {
        let issuer = PercentEncoding.component(issuer)
        return "otpauth://totp/\(issuer):\(PercentEncoding.component(accountName))"
            + "?secret=\(Base32.encode(secret))&issuer=\(issuer)"
            + "&algorithm=\(parameters.algorithm.rawValue)&digits=\(parameters.digits)&period=\(Self.period)"
    }
}

/// Texts in addresses (RFC 3986 §2.1).
private enum PercentEncoding {
    /// The text with all but the unreserved characters encoded: no colon or ampersand of it ends anything.
    static func component(_ text: String) -> String {
        var result = ""
        for byte in text.utf8.prefix(256) {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E:
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                result += digits.utf8.count == 1 ? "%0" + digits : "%" + digits
            }
        }
        return result
    }
}

extension TOTP {
    /// The code that an app shows which was given a secret, with what every app takes for granted: SHA-1, 6 digits.
    ///
    /// - Parameters:
    ///   - secret: The secret in Base32.
    ///   - date: The time.
    /// - Returns: The code; nil where that is no secret.
    package static func code(ofSecret secret: String, at date: Date) -> String? {
        guard let bytes = Base32.decode(secret) else { return nil }
        return TOTP(secret: bytes).code(of: step(at: StoreTime(date))).map { String(decoding: $0, as: UTF8.self) }
    }
}
