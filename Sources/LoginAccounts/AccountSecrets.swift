// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto

/// The keys of this service: they close the secrets of second factors, and make hashes of what is easy to guess.
///
/// They belong into the environment or a key service, never into the store: who reads the store alone then finds nothing
/// that opens anything.
///
/// To rotate, put a new key first and keep the old ones behind it: what was closed with an old one is opened with that, and
/// closed anew when it is next used.
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
    func seal(_ text: [UInt8], context: String) -> [UInt8] {
        keys[0].id + SealingKey(Self.derived(keys[0].bytes, for: "seal")).seal(text, context: Array(context.utf8))
    }

    /// Opens what was closed with any of the keys; nil where that is none of them, or another context.
    func open(_ sealed: [UInt8], context: String) -> [UInt8]? {
        // Two keys may have one ID, if rarely.
        for key in keys where sealed.starts(with: key.id) {
            let opened = SealingKey(Self.derived(key.bytes, for: "seal"))
                .open(Array(sealed.dropFirst(Self.idByteCount)), context: Array(context.utf8))
            if let opened { return opened }
        }
        return nil
    }

    /// The ID of the newest key, as a number to look for in a store.
    var newestKeyNumber: Int64 { Self.number(keys[0].id) }

    /// The ID of the key with which it was closed, as a number to look for in a store.
    func keyNumber(of sealed: [UInt8]) -> Int64 { Self.number(Array(sealed.prefix(Self.idByteCount))) }

    /// Whether it was closed with another key than the newest.
    func isOutdated(_ sealed: [UInt8]) -> Bool { keyNumber(of: sealed) != newestKeyNumber }

    private static func number(_ id: [UInt8]) -> Int64 { id.reduce(0) { $0 << 8 | Int64($1) } }

    /// What each key makes of a message that is easy to guess, the newest first: for what is only compared.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - purpose: What for; hashes for another purpose are others.
    /// - Returns: 32 bytes for each key.
    func authenticationCodes(of message: some Collection<UInt8>, purpose: String) -> [[UInt8]] {
        keys.map { Digest.sha256.authenticationCode(of: message, key: Self.derived($0.bytes, for: purpose)) }
    }
}

extension AccountSecrets: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// How many there are, and nothing of them.
    public var description: String { "\(keys.count) keys" }
    /// As ``description``.
    public var debugDescription: String { description }
    /// No children: a dump must not show the keys.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
