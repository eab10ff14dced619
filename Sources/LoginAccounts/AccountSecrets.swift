// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
public import LoginTokens

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The keys of this service: they close the secrets of second factors, and make hashes of what is easy to guess.
///
/// They belong into the environment or a key service, never into the store: who reads the store alone then finds nothing
/// that opens anything.
///
/// To rotate, put a new key behind the old ones on every server, then first on every server, and keep the old ones behind it: what
/// was closed with an old one is opened with that, and closed anew when it is next used, or by ``Auth/resealFactors()``. Session and
/// refresh tokens are made with a key too, and last for ``SessionPolicy/absolute``: an old key goes that long after the new one came
/// first on the last server, and no earlier, or everybody whose token it made is signed out.
///
/// A key service or secret manager hands out bytes, or puts a file where the process finds it: ``init(contentsOf:)`` reads such a file.
public struct AccountSecrets: Sendable {
    private let keys: [Key]

    private struct Key: Sendable {
        /// What says with which key something was closed: the first bytes of a hash of the key.
        let id: [UInt8]
        let bytes: [UInt8]
    }

    /// Keys.
    ///
    /// - Parameter keys: One or more of 32 random bytes each, the newest first.
    public init(_ keys: [[UInt8]]) {
        precondition(!keys.isEmpty && keys.allSatisfy { $0.count == SealingKey.byteCount }, "a key has 32 bytes")
        self.keys = keys.map { bytes in
            Key(id: Array(Self.derived(bytes, for: "key ID").prefix(Self.idByteCount)), bytes: bytes)
        }
    }

    /// Keys in a file: one a line, the newest first, each as 64 hexadecimal digits or in Base64; lines that are empty or begin with
    /// `#` are skipped.
    ///
    /// `(umask 077; openssl rand -hex 32 > accounts.keys)` makes one. Of a link, what it leads to is looked at.
    ///
    /// - Parameter path: The file, of 64 KiB at most. It is this process's user's, or root's, and nobody but its owner may have access to
    ///   it (mode 0600 or 0400). In the directory that systemd has for credentials its group may read it: systemd lets nobody else in.
    /// - Throws: ``AccountSecretsFileError``
    public init(contentsOf path: String) throws(AccountSecretsFileError) {
        let url = URL(filePath: path).resolvingSymlinksInPath()
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: url.path),
            attributes[.type] as? FileAttributeType == .typeRegular
        else { throw AccountSecretsFileError("it is not there, cannot be reached, or is no file") }
        let mode = attributes[.posixPermissions] as? Int ?? (attributes[.posixPermissions] as? UInt).map { Int($0) }
        let credentials = ProcessInfo.processInfo.environment["CREDENTIALS_DIRECTORY"] ?? ""
        let isCredential = !credentials.isEmpty && path.hasPrefix(credentials + "/")
        guard let mode, mode & (isCredential ? 0o037 : 0o077) == 0 else {
            throw AccountSecretsFileError("others than its owner have access to it: it should have the mode 0600")
        }
        // Somebody else's would make the keys theirs to choose.
        let owner = attributes[.ownerAccountID] as? Int ?? (attributes[.ownerAccountID] as? UInt).map { Int($0) }
        guard let owner, owner == 0 || owner == Int(geteuid()) else {
            throw AccountSecretsFileError("it is another user's")
        }
        let size = attributes[.size] as? UInt64 ?? (attributes[.size] as? UInt).map { UInt64($0) }
        // Of an empty file Foundation would leak what it reads into.
        guard let size, size <= 64 * 1024, let data = size == 0 ? Data() : try? Data(contentsOf: url) else {
            throw AccountSecretsFileError("it cannot be read, or has more than 64 KiB")
        }
        var keys: [[UInt8]] = []
        for (index, line) in String(decoding: data, as: UTF8.self)
            .split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated()
        {
            let words = line.split(whereSeparator: \.isWhitespace)
            guard let word = words.first, !word.hasPrefix("#") else { continue }
            guard words.count == 1, let key = Self.key(word) else {
                throw AccountSecretsFileError(
                    "line \(index + 1) is no key: 32 bytes as 64 hexadecimal digits, or in Base64"
                )
            }
            keys.append(key)
        }
        guard !keys.isEmpty else { throw AccountSecretsFileError("it holds no key") }
        self.init(keys)
    }

    /// A key that is written as text; nil where it is none.
    private static func key(_ text: Substring) -> [UInt8]? {
        if text.utf8.count == 2 * SealingKey.byteCount {
            let digits = text.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue.map { UInt8($0) } }
            guard digits.count == text.utf8.count else { return nil }
            return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
        }
        guard let bytes = Data(base64Encoded: String(text)), bytes.count == SealingKey.byteCount else { return nil }
        return Array(bytes)
    }

    private static let idByteCount = 4

    private static func derived(_ key: [UInt8], for purpose: String) -> [UInt8] {
        Digest.sha256.authenticationCode(of: "limited-login accounts, version 1: \(purpose)".utf8, key: key)
    }

    /// Closes bytes with the newest key.
    ///
    /// - Parameters:
    ///   - text: What to close.
    ///   - context: What it belongs to, which opening must name again.
    /// - Returns: The ID of the key, and what was sealed.
    func seal(_ text: [UInt8], context: String) -> [UInt8] { seal(text, context: context, key: "seal") }

    /// Opens what was closed with any of the keys; nil where that is none of them, or another context.
    func open(_ sealed: [UInt8], context: String) -> [UInt8]? { open(sealed, context: context, key: "seal") }

    /// Closes bytes that leave this service, and come back from whoever has them.
    ///
    /// They are closed with a key of their own, since there is no end to how many there are: what is kept in the store loses none of
    /// the messages that AES-GCM has for one key (NIST SP 800-38D §8.3).
    ///
    /// - Parameters:
    ///   - text: What to close.
    ///   - purpose: What for, which opening must name again.
    /// - Returns: The ID of the key, and what was sealed.
    package func seal(_ text: [UInt8], purpose: String) -> [UInt8] {
        seal(text, context: purpose, key: "seal for clients")
    }

    /// Opens what a client brings back; nil where it was closed elsewhere, or for another purpose.
    package func open(_ sealed: [UInt8], purpose: String) -> [UInt8]? {
        open(sealed, context: purpose, key: "seal for clients")
    }

    private func seal(_ text: [UInt8], context: String, key: String) -> [UInt8] {
        keys[0].id + SealingKey(Self.derived(keys[0].bytes, for: key)).seal(text, context: Array(context.utf8))
    }

    private func open(_ sealed: [UInt8], context: String, key name: String) -> [UInt8]? {
        // Two keys may have one ID, if rarely.
        for key in keys where sealed.starts(with: key.id) {
            let opened = SealingKey(Self.derived(key.bytes, for: name))
                .open(Array(sealed.dropFirst(Self.idByteCount)), context: Array(context.utf8))
            if let opened { return opened }
        }
        return nil
    }

    /// The ID of the newest key, as a number to look for in a store.
    var newestKeyNumber: Int64 { Self.number(keys[0].id) }

    /// The ID of the key with which it was closed, as a number to look for in a store.
    func keyNumber(of sealed: [UInt8]) -> Int64 { Self.keyNumber(of: sealed) }

    /// The same, which takes no key.
    static func keyNumber(of sealed: [UInt8]) -> Int64 { number(Array(sealed.prefix(idByteCount))) }

    /// Whether it was closed with another key than the newest.
    func isOutdated(_ sealed: [UInt8]) -> Bool { keyNumber(of: sealed) != newestKeyNumber }

    private static func number(_ id: [UInt8]) -> Int64 { id.reduce(0) { $0 << 8 | Int64($1) } }

    /// What each key makes of a message that is easy to guess, the newest first: for what is only compared.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - purpose: What for; hashes for another purpose are others.
    /// - Returns: 32 bytes for each key.
    package func authenticationCodes(of message: some Collection<UInt8>, purpose: String) -> [[UInt8]] {
        keys.map { Digest.sha256.authenticationCode(of: message, key: Self.derived($0.bytes, for: purpose)) }
    }
}

extension AccountSecrets: Redacted {
    /// The number of keys.
    public var description: String { "\(keys.count) keys" }
}

/// Why a file of keys was not read.
public struct AccountSecretsFileError: Error, Hashable, CustomStringConvertible {
    /// What is wrong with the file, and nothing of what is in it.
    public let description: String

    init(_ fault: String) {
        description = "the file of keys: \(fault)"
    }
}
