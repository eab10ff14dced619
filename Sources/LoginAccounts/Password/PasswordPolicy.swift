// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The requirements for passwords, and the limits of guesses.
public struct PasswordPolicy: Sendable {
    /// The minimum length of a password, in bytes of UTF-8.
    ///
    /// The default is 8.
    public var minimumBytes: Int

    /// The lifetime of a password-reset link.
    ///
    /// The default is 30 minutes.
    public var resetLifetime: Duration

    /// The lifetime of an e-mail verification link.
    ///
    /// The default is one day.
    public var verificationLifetime: Duration

    /// The maximum number of wrong passwords of an e-mail address within 15 minutes, for requests from one network.
    ///
    /// The default is 10.
    public var attemptsPerAddress: Int

    /// The maximum number of wrong passwords of an e-mail address within 15 minutes, for requests from all networks
    /// that the account does not know.
    ///
    /// The default is 80.
    ///
    /// It is much more than ``attemptsPerAddress``, so that a single network never uses it up. Once it is used up, no
    /// user can sign in with this address and its password from an unknown network until the 15 minutes have passed.
    public var attemptsPerAddressFromUnknownNetworks = 80

    /// The maximum number of wrong passwords of an e-mail address within 15 minutes, for requests from all networks
    /// that the account knows.
    ///
    /// The default is 20.
    ///
    /// An account knows a network if one of its sessions was opened from there and used within the last 30 days.
    /// Guesses from elsewhere are not counted here, so they do not lock out the owner in the usual networks (NIST SP
    /// 800-63B-3 §5.2.2). Together with ``attemptsPerAddressFromUnknownNetworks`` an address has 100 guesses, the limit
    /// of the same section.
    public var attemptsPerAddressFromKnownNetworks = 20

    /// The minimum interval between two messages of one kind to an e-mail address, whoever requests them.
    ///
    /// The default is 5 minutes.
    ///
    /// A request within the interval gets the same response, and sends nothing. A message that is used ends the
    /// interval. The last five messages are valid, so with the default no request of a stranger voids a message sooner
    /// than 25 minutes after it was sent. Messages that a session requests are counted separately: five in an hour.
    public var messageInterval = Duration.seconds(300)

    /// The maximum number of password comparisons in a minute, for requests from one network.
    ///
    /// The default is 30.
    public var attemptsPerNetworkAndMinute = 30

    /// The maximum number of new accounts in an hour, together with the addresses that are named for a password, for
    /// requests from one network; and likewise of password-reset requests, and of verification messages.
    ///
    /// The default is 60.
    public var messagesPerNetworkAndHour = 60

    /// The number of passwords that are hashed at once, each in 128 MiB.
    ///
    /// The default is half the number of processors, from 1 to 4, which takes 512 MiB at most.
    ///
    /// Thirty-two times as many requests may wait, at most 8 of one network. Further requests are refused with
    /// `too-many-requests`, which costs no guess. Networks are served in turn.
    public var concurrentHashes = min(max(ProcessInfo.processInfo.activeProcessorCount / 2, 1), 4)

    /// The cost of hashes: scrypt with N = 2¹⁷, r = 8, p = 1, which takes 128 MiB and some tenths of a second.
    package var cost = PasswordCost.recommended

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - minimumBytes: The minimum length of a password, in bytes of UTF-8: 8 … 1024.
    ///   - resetLifetime: The lifetime of a password-reset link.
    ///   - verificationLifetime: The lifetime of an e-mail verification link.
    ///   - attemptsPerAddress: The maximum number of wrong passwords of an e-mail address within 15 minutes from one
    ///     network, 1 or more.
    public init(
        minimumBytes: Int = 8,
        resetLifetime: Duration = .seconds(30 * 60),
        verificationLifetime: Duration = .seconds(86400),
        attemptsPerAddress: Int = 10
    ) {
        self.minimumBytes = min(max(minimumBytes, Self.bytes.lowerBound), Self.bytes.upperBound)
        self.resetLifetime = resetLifetime
        self.verificationLifetime = verificationLifetime
        self.attemptsPerAddress = max(attemptsPerAddress, 1)
    }

    /// The range of the length in bytes.
    ///
    /// The upper bound limits the work for one hash.
    static let bytes = 8...1024

    /// Refuses a password that is too short, too long, or among the most common ones.
    ///
    /// - Parameters:
    ///   - password: The password.
    ///   - email: The address. The password must not be the address or its local part.
    /// - Throws: ``AuthError``: `weak-password`.
    func check(_ password: String, for email: EmailAddress) throws(AuthError) {
        let bytes = password.utf8.count
        guard bytes >= minimumBytes else {
            throw AuthError(.weakPassword, "the password has fewer than \(minimumBytes) bytes")
        }
        guard bytes <= Self.bytes.upperBound else {
            throw AuthError(.weakPassword, "the password has more than \(Self.bytes.upperBound) bytes")
        }
        let small = password.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        guard Set(small).count > 2 else {
            throw AuthError(.weakPassword, "the password consists of one or two different characters")
        }
        let name = email.text.utf8.prefix { $0 != UInt8(ascii: "@") }
        guard small != Array(email.text.utf8), small != Array(name), !CommonPasswords.contains(small) else {
            throw AuthError(.weakPassword, "the password is one of the most common ones")
        }
    }
}

/// The parameters of scrypt.
package struct PasswordCost: Sendable, Hashable {
    let scrypt: Scrypt

    /// Creates parameters.
    ///
    /// - Parameter log2: The binary logarithm of N; r is 8 and p is 1. Tests use small values.
    package init?(log2: Int) {
        guard let scrypt = Scrypt(costLog2: log2, blockSize: 8, parallelization: 1) else { return nil }
        self.scrypt = scrypt
    }

    /// The default parameters.
    package static let recommended: PasswordCost = {
        guard let cost = PasswordCost(log2: 17) else { preconditionFailure("17 is in range") }
        return cost
    }()
}

/// The most common passwords of eight and more characters from published lists of leaked passwords, in lower case.
///
/// The list is short on purpose: it stops the first guesses, which the budget of each address permits. To compare a
/// password with all leaked ones, use a dedicated service before calling this package.
enum CommonPasswords {
    static func contains(_ small: [UInt8]) -> Bool {
        list.contains { $0.utf8.elementsEqual(small) }
    }

    private static let list = [
        "123456789", "12345678", "1234567890", "password", "password1", "password12", "password123", "password!",
        "passw0rd", "p@ssw0rd", "p@ssword", "qwertyui", "qwertyuiop", "qwerty123", "qwerty12", "qwerty1234",
        "1q2w3e4r", "1q2w3e4r5t", "1qaz2wsx", "zaq12wsx", "qazwsxedc", "q1w2e3r4", "asdfghjk", "asdfghjkl",
        "zxcvbnm1", "abcd1234", "abc12345", "abc123456", "a1b2c3d4", "11223344", "12341234", "123123123",
        "147258369", "789456123", "987654321", "87654321", "0987654321", "0123456789", "123456789a", "12345678a",
        "iloveyou", "iloveyou1", "iloveyou2", "princess", "princess1", "sunshine", "sunshine1", "football",
        "football1", "baseball", "baseball1", "basketball", "superman", "superman1", "starwars", "trustno1",
        "whatever", "computer", "internet", "michelle", "jennifer", "liverpool", "charlie1", "letmein1",
        "letmein123", "welcome1", "welcome123", "changeme", "changeme1", "administrator", "admin123", "admin1234",
        "default1", "test1234", "testtest", "master123", "monkey123", "dragon123", "shadow123", "samsung1",
        "chocolate", "butterfly", "pokemon1", "minecraft", "facebook", "facebook1", "google123", "qweasdzxc",
    ]
}
