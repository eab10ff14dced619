// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The maximum number of keys in a key set, and its maximum size.
///
/// The defaults suit most issuers. Raise the number for an issuer that publishes a key for each of many tenants or
/// machines. Every key is imported when the set is fetched.
public struct KeySetLimits: Sendable, Hashable {
    private let number: RaisableLimit

    /// The maximum number of keys.
    public var keys: Int { number.value }

    /// The maximum size of the document, in bytes: 256 KiB for up to 100 keys, and 1 MiB for more.
    public var bytes: Int { keys <= Limits.keySetKeys ? Limits.keySetBytes : Limits.largestKeySetBytes }

    /// The default limits: 100 keys in 256 KiB.
    public static let standard = Self(keys: Limits.keySetKeys, setting: "KeySetLimits.keys")

    /// Creates limits.
    ///
    /// - Parameter keys: The maximum number of keys, within ``Limits/keySetKeysRange``: 100 to 1,000.
    /// - Throws: ``PolicyError`` if the number is out of range.
    public init(keys: Int) throws(PolicyError) {
        let range = Limits.keySetKeysRange
        guard range.contains(keys) else {
            throw PolicyError("keys in a set: \(keys) is not from \(range.lowerBound) to \(range.upperBound)")
        }
        self.init(keys: keys, setting: Self.standard.number.setting)
    }

    private init(keys: Int, setting: String?) {
        number = RaisableLimit(keys, upTo: Limits.keySetKeysRange.upperBound, setting: setting)
    }

    /// Returns the same limits for a program with a setting of its own, which errors then name.
    ///
    /// - Parameter setting: The name of the setting for ``keys``, for example `--max-keys`.
    /// - Returns: The limits.
    public func named(keys setting: String) -> Self { Self(keys: keys, setting: setting) }

    /// The end of a message about a set beyond a limit, which names the setting; empty if it cannot be raised.
    package var remedy: String { number.remedy }

    /// The limits for the JSON of a key set.
    var json: JSONLimits { JSONLimits(bytes: bytes, depth: Limits.jsonDepth, members: Limits.jsonMembers) }
}
