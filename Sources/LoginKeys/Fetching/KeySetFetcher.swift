// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

package import LoginTokens

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A fetched and validated key set.
package struct FetchedKeySet: Sendable {
    /// The keys, at least one of which is usable.
    package let keys: JSONWebKeySet
    /// The document that contained the keys.
    let document: [UInt8]
    /// The lifetime that the provider states; nil if it states none.
    package let lifetime: Duration?
    /// The URL of the key set; nil if it is a file.
    let url: EndpointURL?
    /// Whether the URL was discovered by this fetch.
    let wasDiscovered: Bool
}

/// Fetches a provider's key set, and validates every response.
package struct KeySetFetcher: Sendable {
    let source: KeySetSource
    let configuration: KeyCacheConfiguration
    let transport: any HTTPTransport
    let timekeeper: Timekeeper
    let wallClock: any WallClock

    /// Creates a fetcher.
    ///
    /// - Parameters:
    ///   - source: The source of the keys.
    ///   - configuration: The configuration of the key cache.
    ///   - transport: The HTTP client.
    ///   - timekeeper: The clock for the deadline.
    ///   - wallClock: The clock for `Expires`.
    package init(
        source: KeySetSource,
        configuration: KeyCacheConfiguration,
        transport: any HTTPTransport,
        timekeeper: Timekeeper,
        wallClock: any WallClock
    ) {
        self.source = source
        self.configuration = configuration
        self.transport = transport
        self.timekeeper = timekeeper
        self.wallClock = wallClock
    }

    /// Fetches the key set.
    ///
    /// - Parameter known: The URL of the key set from an earlier discovery; nil if there is none.
    /// - Returns: The key set, with at least one usable key.
    /// - Throws: ``KeyFetchFailure``, at the latest when the deadline has passed, if the transport enforces it.
    package func fetch(from known: EndpointURL?) async throws(KeyFetchFailure) -> FetchedKeySet {
        let end = timekeeper.now() + configuration.fetchDeadline
        let url: EndpointURL
        switch source.place {
        case .url(let configured): url = configured
        case .file(let path): return try Self.read(path, configuration)
        case .discovery:
            if let known {
                url = known
            } else {
                url = try await discover(until: end)
            }
        }
        let response = try await askForKeys(at: url, until: end)
        return FetchedKeySet(
            keys: try Self.keys(in: response.body, configuration),
            document: response.body,
            lifetime: Freshness.lifetime(of: response, now: wallClock.now),
            url: url,
            wasDiscovered: source.address == nil && known == nil
        )
    }

    /// Reads the key set in a file.
    static func read(_ path: String, _ configuration: KeyCacheConfiguration) throws(KeyFetchFailure) -> FetchedKeySet {
        let document: [UInt8]
        do throws(ConfiguredFile.Fault) {
            // A set beyond the configured limit is refused below, with the name of the setting.
            document = try ConfiguredFile(path).read(limit: Limits.largestKeySetBytes)
        } catch {
            throw KeyFetchFailure(.file, of: .keySet, error.description)
        }
        let keys = try keys(in: document, configuration)
        return FetchedKeySet(keys: keys, document: document, lifetime: nil, url: nil, wasDiscovered: false)
    }

    /// Returns the key set in a document, and throws an error if it has no usable key.
    ///
    /// A set without usable keys must not replace good keys.
    static func keys(
        in body: [UInt8],
        _ configuration: KeyCacheConfiguration
    ) throws(KeyFetchFailure) -> JSONWebKeySet {
        let keys: JSONWebKeySet
        do throws(KeySetError) {
            keys = try JSONWebKeySet(
                json: body,
                allowPublishedTestKeys: configuration.allowsPublishedTestKeys,
                limits: configuration.keySetLimits
            )
        } catch {
            throw KeyFetchFailure(.keySet, of: .keySet, error.description)
        }
        guard !keys.keys.isEmpty else {
            let reasons = keys.unusableKeys.prefix(3).map(\.description).joined(separator: "; ")
            throw KeyFetchFailure(.keySet, of: .keySet, "none of the keys is usable: \(reasons)")
        }
        return keys
    }

    /// Returns the `jwks_uri` of the provider's discovery document, and throws an error if its host is not allowed.
    private func discover(until end: Duration) async throws(KeyFetchFailure) -> EndpointURL {
        let metadata: ProviderMetadata
        do throws(ProviderMetadataError) {
            metadata = try await ProviderMetadata.fetch(
                provider: source.provider,
                transport: transport,
                deadline: max(end - timekeeper.now(), .zero)
            )
        } catch {
            throw KeyFetchFailure(error)
        }
        guard source.mayHaveKeys(at: metadata.keySetURL, configuration) else {
            let detail =
                "the keys are on another host, \(quoted(metadata.keySetURL.origin)): if it belongs to the issuer, allow it (keySetHosts, --keys-host)"
            throw KeyFetchFailure(.keySetHost, of: .discovery, detail)
        }
        return metadata.keySetURL
    }

    private func askForKeys(
        at url: EndpointURL,
        until end: Duration
    ) async throws(KeyFetchFailure) -> TransportResponse {
        let (provider, limits) = (source.provider, configuration.keySetLimits)
        do throws(ProviderMetadataError) {
            let left = max(end - timekeeper.now(), .zero)
            let response = try await provider.requestDocument(
                at: url,
                limit: limits.bytes,
                transport: transport,
                deadline: left
            )
            try provider.checkDocument(in: response, limit: limits.bytes)
            return response
        } catch {
            throw KeyFetchFailure(error, of: .keySet).naming(limits).from(url)
        }
    }
}
