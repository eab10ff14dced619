// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// What passwords must be like, and what guessing them costs.
public struct PasswordPolicy: Sendable {
    /// The shortest password, in bytes of UTF-8: 8 unless said otherwise.
    public var minimumBytes: Int

    /// For how long a link to choose a new password works: 30 minutes unless said otherwise.
    public var resetLifetime: Duration

    /// For how long a link to prove an address works: one day unless said otherwise.
    public var verificationLifetime: Duration

    /// How many wrong passwords of an e-mail address are compared within 15 minutes, for requests from one network: 10 unless said otherwise.
    public var attemptsPerAddress: Int

    /// The number of wrong passwords of an e-mail address that are compared within 15 minutes, for requests from all networks together
    /// that the account does not know: 80 by default.
    ///
    /// It is much more than ``attemptsPerAddress``, so that a single network never uses it up. Once it is used up, nobody signs in with
    /// this address and its password from a network that the account does not know, until the 15 minutes are over.
    public var attemptsPerAddressFromUnknownNetworks = 80

    /// The number of wrong passwords of an e-mail address that are compared within 15 minutes, for requests from all networks together
    /// that the account knows: 20 by default.
    ///
    /// An account knows a network from which it was signed in to within the last 30 days, as its sessions say. Guesses from elsewhere
    /// do not count here, so they do not keep the owner out of the usual networks (NIST SP 800-63B-3 §5.2.2). Together with
    /// ``attemptsPerAddressFromUnknownNetworks`` an address has 100 guesses, the bound of the same section.
    public var attemptsPerAddressFromKnownNetworks = 20

    /// The minimum interval between two messages of one kind to an e-mail address, whoever requests them: 5 minutes by default.
    ///
    /// A request within it is answered as any other, and sends nothing; a message that was used ends the interval. The last five messages work, so with the default no request of a
    /// stranger ends a message sooner than 25 minutes after it was sent. Messages that a session asks for are counted apart: five in
    /// an hour.
    public var messageInterval = Duration.seconds(300)

    /// How many passwords are compared in a minute, for requests from one network.
    public var attemptsPerNetworkAndMinute = 30

    /// How many accounts are made, and how many messages to choose a new password asked for, in an hour, from one network.
    public var messagesPerNetworkAndHour = 60

    /// How many passwords are hashed at once, each in 128 MiB: half as many as there are processors unless said otherwise, but no more
    /// than 4, which takes 512 MiB; at least 1.
    ///
    /// Thirty-two times as many may wait, at most 8 of one network; further ones are refused with `too-many-requests`, which costs no
    /// guess. Networks are served in turn.
    public var concurrentHashes = min(max(ProcessInfo.processInfo.activeProcessorCount / 2, 1), 4)

    /// What hashes are made with: scrypt with N = 2¹⁷, r = 8, p = 1, which takes 128 MiB and some tenths of a second.
    package var cost = PasswordCost.recommended

    /// A policy.
    ///
    /// - Parameters:
    ///   - minimumBytes: The shortest password, in bytes of UTF-8: 8 … 1024.
    ///   - resetLifetime: For how long a link to choose a new password works.
    ///   - verificationLifetime: For how long a link to prove an address works.
    ///   - attemptsPerAddress: How many wrong passwords of an e-mail address are compared within 15 minutes from one network; 1 or more.
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

    /// A longer one would only be work.
    static let bytes = 8...1024

    /// Refuses what is too short, too long, or among the first that everybody tries.
    ///
    /// - Parameters:
    ///   - password: The password.
    ///   - email: The address, which is no password of its own.
    /// - Throws: ``AuthError``: `weak-password`.
    func check(_ password: String, for email: EmailAddress) throws(AuthError) {
        let bytes = password.utf8.count
        guard bytes >= minimumBytes else { throw AuthError(.weakPassword, "it has fewer than \(minimumBytes) bytes") }
        guard bytes <= Self.bytes.upperBound else {
            throw AuthError(.weakPassword, "it has more than \(Self.bytes.upperBound) bytes")
        }
        let small = password.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        guard Set(small).count > 2 else { throw AuthError(.weakPassword, "it consists of one or two characters") }
        let name = email.text.utf8.prefix { $0 != UInt8(ascii: "@") }
        guard small != Array(email.text.utf8), small != Array(name), !CommonPasswords.contains(small) else {
            throw AuthError(.weakPassword, "it is one of the first that are tried")
        }
    }
}

/// The parameters of scrypt.
package struct PasswordCost: Sendable, Hashable {
    let scrypt: Scrypt

    /// - Parameter log2: The binary logarithm of N; r is 8 and p is 1. For tests, where it may be small.
    package init?(log2: Int) {
        guard let scrypt = Scrypt(costLog2: log2, blockSize: 8, parallelization: 1) else { return nil }
        self.scrypt = scrypt
    }

    /// Those that are used.
    package static let recommended: PasswordCost = {
        guard let cost = PasswordCost(log2: 17) else { preconditionFailure("17 is in range") }
        return cost
    }()
}

/// The passwords of eight and more characters that head every published list of leaked ones, in lower case.
///
/// It is short on purpose: it stops the first guesses, which the budget for each address lets through. Whoever wants a password
/// compared with all that ever leaked asks a service for that before.
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
