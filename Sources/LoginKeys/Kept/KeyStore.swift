// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A persistent store for the last valid key set of each issuer, which a restarted process loads.
///
/// Its content is trusted like a response of the issuer, so nobody else may be able to write to it.
public protocol KeyStore: Sendable {
    /// Returns the stored key set of an issuer.
    ///
    /// - Parameter issuer: The issuer, as passed to the cache.
    /// - Returns: The key set; nil if there is none.
    /// - Throws: ``KeyStoreError`` if the stored key set cannot be read or trusted.
    func load(_ issuer: String) async throws(KeyStoreError) -> KeptKeySet?

    /// Stores the key set of an issuer, in place of an earlier one.
    ///
    /// The replacement must be atomic: after a crash, the next load returns the old key set or the new one.
    ///
    /// - Parameter kept: The key set, with the URL and the time of its fetch.
    /// - Throws: ``KeyStoreError`` if it could not be stored.
    func save(_ kept: KeptKeySet) async throws(KeyStoreError)
}

/// A stored key set of an issuer, as it was fetched.
public struct KeptKeySet: Sendable, Hashable {
    /// The issuer, as passed to the cache.
    public var issuer: String

    /// The URL from which the key set was fetched.
    public var url: String

    /// The time of the fetch.
    public var fetchedAt: Date

    /// The lifetime that the provider stated; nil if it stated none.
    public var lifetime: Duration?

    /// The key set, byte for byte.
    public var keySet: [UInt8]

    /// Creates a stored key set.
    ///
    /// - Parameters:
    ///   - issuer: The issuer, as passed to the cache.
    ///   - url: The URL from which the key set was fetched.
    ///   - fetchedAt: The time of the fetch.
    ///   - lifetime: The lifetime that the provider stated; nil if it stated none.
    ///   - keySet: The key set, byte for byte.
    public init(issuer: String, url: String, fetchedAt: Date, lifetime: Duration?, keySet: [UInt8]) {
        self.issuer = issuer
        self.url = url
        self.fetchedAt = fetchedAt
        self.lifetime = lifetime
        self.keySet = keySet
    }
}

/// The reason why a key set could not be stored, or a stored one not be used.
public struct KeyStoreError: Error, Sendable, CustomStringConvertible {
    /// The details, for the operator.
    public let description: String

    /// Creates an error.
    ///
    /// - Parameter description: The details, without secrets.
    public init(_ description: String) {
        self.description = description
    }
}
