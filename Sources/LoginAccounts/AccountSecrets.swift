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

/// The service's keys: they encrypt the secrets of second factors and of responses to clients, and authenticate
/// guessable values.
///
/// Keep the keys in the environment or in a key management service, never in the store. A copy of the store alone then
/// reveals no secret.
///
/// To rotate, first add a new key after the old ones on every server. Then move it to the front on every server, and
/// keep the old ones after it. Data that was encrypted with an old key is decrypted with that key, and encrypted again
/// when it is next used, or by ``Auth/reseal()``. Session tokens and refresh tokens are made with a key too, and
/// last for ``SessionPolicy/absolute``. Remove an old key only when that time has passed since the new key came first
/// on the last server; otherwise every user whose token was made with the old key is signed out.
///
/// A key management service hands out bytes, or mounts a file: ``init(contentsOf:)`` reads such a file.
public struct AccountSecrets: Sendable {
    private let keys: [Key]

    private struct Key: Sendable {
        /// The key ID, which precedes everything that the key encrypts: the first bytes of an HMAC under the key.
        let id: [UInt8]
        let bytes: [UInt8]

        init(_ bytes: [UInt8]) {
            id = Array(AccountSecrets.derived(bytes, for: "key ID").prefix(AccountSecrets.idByteCount))
            self.bytes = bytes
        }
    }

    /// Creates secrets from keys.
    ///
    /// - Parameter keys: One or more keys of 32 random bytes each, the newest first.
    /// - Throws: ``AccountSecretsError`` if there is no key, or one has another length.
    public init(_ keys: [[UInt8]]) throws(AccountSecretsError) {
        guard !keys.isEmpty else { throw AccountSecretsError("there is no key") }
        for (index, key) in keys.enumerated() where key.count != SealingKey.byteCount {
            throw AccountSecretsError("key \(index + 1) has \(key.count) bytes, and must have \(SealingKey.byteCount)")
        }
        self.keys = keys.map(Key.init)
    }

    /// Creates secrets with one key of equal bytes, for tests, and for commands that encrypt nothing.
    package init(repeating byte: UInt8) { keys = [Key([UInt8](repeating: byte, count: SealingKey.byteCount))] }

    /// Reads keys from a file: one per line, the newest first, each as 64 hexadecimal digits or in Base64.
    ///
    /// Empty lines and lines that begin with `#` are skipped. `(umask 077; openssl rand -hex 32 > accounts.keys)`
    /// creates such a file. A symbolic link is resolved, and its target is checked.
    ///
    /// - Parameter path: The path of the file, of 64 KiB at most. The file belongs to the user of this process or to
    ///   root, and only its owner has access (mode 0600 or 0400). In systemd's credentials directory
    ///   (`CREDENTIALS_DIRECTORY`) the group may read it too, because systemd restricts access to the directory.
    /// - Throws: ``AccountSecretsError`` if the file cannot be read, is not protected, or has an invalid line.
    public init(contentsOf path: String) throws(AccountSecretsError) {
        let url = URL(filePath: path).resolvingSymlinksInPath()
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: url.path),
            attributes[.type] as? FileAttributeType == .typeRegular
        else { throw AccountSecretsError(file: "does not exist, is inaccessible, or is not a regular file") }
        let mode = attributes[.posixPermissions] as? Int ?? (attributes[.posixPermissions] as? UInt).map { Int($0) }
        let credentials = ProcessInfo.processInfo.environment["CREDENTIALS_DIRECTORY"] ?? ""
        let isCredential = !credentials.isEmpty && path.hasPrefix(credentials + "/")
        guard let mode, mode & (isCredential ? 0o037 : 0o077) == 0 else {
            throw AccountSecretsError(file: "can be accessed by other users; set its mode to 0600")
        }
        // The owner of the file could replace the keys.
        let owner = attributes[.ownerAccountID] as? Int ?? (attributes[.ownerAccountID] as? UInt).map { Int($0) }
        guard let owner, owner == 0 || owner == Int(geteuid()) else {
            throw AccountSecretsError(file: "belongs to another user")
        }
        let size = attributes[.size] as? UInt64 ?? (attributes[.size] as? UInt).map { UInt64($0) }
        // Foundation leaks its read buffer if the file is empty.
        guard let size, size <= 64 * 1024, let data = size == 0 ? Data() : try? Data(contentsOf: url) else {
            throw AccountSecretsError(file: "cannot be read, or has more than 64 KiB")
        }
        var keys: [[UInt8]] = []
        for (index, line) in String(decoding: data, as: UTF8.self)
            .split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated()
        {
            let words = line.split(whereSeparator: \.isWhitespace)
            guard let word = words.first, !word.hasPrefix("#") else { continue }
            guard words.count == 1, let key = Self.key(word) else {
                throw AccountSecretsError(
                    file: "has a line that is not a key of 32 bytes, in hexadecimal or Base64: line \(index + 1)"
                )
            }
            keys.append(key)
        }
        guard !keys.isEmpty else { throw AccountSecretsError(file: "contains no key") }
        try self.init(keys)
    }

    /// Parses a key, as hexadecimal digits or in Base64; nil if it is invalid.
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

    /// Encrypts bytes with the newest key (AES-256-GCM).
    ///
    /// - Parameters:
    ///   - text: The plaintext.
    ///   - context: The additional authenticated data. Decryption requires the same.
    /// - Returns: The key ID, followed by the ciphertext.
    func seal(_ text: [UInt8], context: String) -> [UInt8] { seal(text, context: context, key: "seal") }

    /// Decrypts bytes with the key that encrypted them; nil if that key is unknown, or the context differs.
    func open(_ sealed: [UInt8], context: String) -> [UInt8]? { open(sealed, context: context, key: "seal") }

    /// Encrypts bytes that are stored with a login.
    ///
    /// Each login has a derived key of its own, because each sign-in encrypts: the messages of one key stay far below
    /// the number that AES-GCM allows (NIST SP 800-38D §8.3).
    ///
    /// - Parameters:
    ///   - text: The plaintext.
    ///   - login: The ID of the login. Decryption requires the same.
    /// - Returns: The key ID, followed by the ciphertext.
    func seal(_ text: [UInt8], login: String) -> [UInt8] {
        seal(text, context: login, key: "seal for a login: \(login)")
    }

    /// Decrypts bytes that are stored with a login; nil if the key is unknown, or the login differs.
    func open(_ sealed: [UInt8], login: String) -> [UInt8]? {
        open(sealed, context: login, key: "seal for a login: \(login)")
    }

    /// Encrypts bytes that a client stores and returns.
    ///
    /// They are encrypted with a separate derived key, because their number is unlimited: they use up none of the
    /// messages that AES-GCM allows for the key of stored data (NIST SP 800-38D §8.3).
    ///
    /// - Parameters:
    ///   - text: The plaintext.
    ///   - purpose: The purpose, as additional authenticated data. Decryption requires the same.
    /// - Returns: The key ID, followed by the ciphertext.
    package func seal(_ text: [UInt8], purpose: String) -> [UInt8] {
        seal(text, context: purpose, key: "seal for clients")
    }

    /// Decrypts bytes that a client returns; nil if the key is unknown, or the purpose differs.
    package func open(_ sealed: [UInt8], purpose: String) -> [UInt8]? {
        open(sealed, context: purpose, key: "seal for clients")
    }

    private func seal(_ text: [UInt8], context: String, key: String) -> [UInt8] {
        keys[0].id + SealingKey(Self.derived(keys[0].bytes, for: key)).seal(text, context: Array(context.utf8))
    }

    private func open(_ sealed: [UInt8], context: String, key name: String) -> [UInt8]? {
        // Two keys can have the same ID, although that is unlikely.
        for key in keys where sealed.starts(with: key.id) {
            let opened = SealingKey(Self.derived(key.bytes, for: name))
                .open(Array(sealed.dropFirst(Self.idByteCount)), context: Array(context.utf8))
            if let opened { return opened }
        }
        return nil
    }

    /// The ID of the newest key, as a number for queries.
    var newestKeyNumber: Int64 { Self.number(keys[0].id) }

    /// Returns the ID of the key that encrypted the bytes, as a number for queries.
    func keyNumber(of sealed: [UInt8]) -> Int64 { Self.keyNumber(of: sealed) }

    /// Returns the ID of the key that encrypted the bytes, without access to a key.
    static func keyNumber(of sealed: [UInt8]) -> Int64 { number(Array(sealed.prefix(idByteCount))) }

    /// Whether the bytes were encrypted with a key other than the newest.
    func isOutdated(_ sealed: [UInt8]) -> Bool { keyNumber(of: sealed) != newestKeyNumber }

    private static func number(_ id: [UInt8]) -> Int64 { id.reduce(0) { $0 << 8 | Int64($1) } }

    /// Returns the HMAC-SHA-256 of a message under each key, the newest first, for values that are compared but easy to
    /// guess.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - purpose: The purpose. It separates the HMACs of the same message for different uses.
    /// - Returns: 32 bytes for each key.
    package func authenticationCodes(of message: some Collection<UInt8>, purpose: String) -> [[UInt8]] {
        keys.map { Digest.sha256.authenticationCode(of: message, key: Self.derived($0.bytes, for: purpose)) }
    }
}

extension AccountSecrets: Redacted {
    /// The number of keys.
    public var description: String { "\(keys.count) keys" }
}

/// The error of keys that cannot be used, or of a key file that was not read.
public struct AccountSecretsError: Error, Hashable, CustomStringConvertible {
    /// The problem, without any part of a key.
    public let description: String

    init(_ fault: String) { description = fault }

    /// Creates the error of a key file.
    ///
    /// - Parameter fault: The predicate of a sentence about the file.
    init(file fault: String) { description = "the key file \(fault)" }
}
