// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Keeps the last good keys of issuers where a process that starts later finds them.
///
/// What it gives back is trusted as if the issuer had just said it, so nobody else may be able to write there.
public protocol KeyStore: Sendable {
    /// What was kept for an issuer.
    ///
    /// - Parameter issuer: The issuer, as it was given to the cache.
    /// - Returns: What was kept; nil if nothing was.
    /// - Throws: ``KeyStoreError`` if there is something that cannot be trusted or read.
    func load(_ issuer: String) async throws(KeyStoreError) -> KeptKeySet?

    /// Keeps the keys of an issuer, in place of those kept before.
    ///
    /// Whatever happens half-way, the next load gives the old ones or the new.
    ///
    /// - Parameter kept: The keys, and where and when they were fetched.
    /// - Throws: ``KeyStoreError`` if they could not be kept.
    func save(_ kept: KeptKeySet) async throws(KeyStoreError)
}

/// The keys of an issuer as they were fetched.
public struct KeptKeySet: Sendable, Hashable {
    /// The issuer, as it was given to the cache.
    public var issuer: String

    /// The address the keys were fetched from.
    public var url: String

    /// When that was.
    public var fetchedAt: Date

    /// How long the provider said they are good for; nil if it did not.
    public var lifetime: Duration?

    /// The key set, byte for byte.
    public var keySet: [UInt8]

    /// - Parameters:
    ///   - issuer: The issuer, as it was given to the cache.
    ///   - url: The address the keys were fetched from.
    ///   - fetchedAt: When that was.
    ///   - lifetime: How long the provider said they are good for; nil if it did not.
    ///   - keySet: The key set, byte for byte.
    public init(issuer: String, url: String, fetchedAt: Date, lifetime: Duration?, keySet: [UInt8]) {
        self.issuer = issuer
        self.url = url
        self.fetchedAt = fetchedAt
        self.lifetime = lifetime
        self.keySet = keySet
    }
}

/// Why kept keys could not be used, or keys not be kept.
public struct KeyStoreError: Error, Sendable, CustomStringConvertible {
    /// What is wrong, for the operator.
    public let description: String

    /// - Parameter description: What is wrong; no secret may stand in it.
    public init(_ description: String) {
        self.description = description
    }
}
