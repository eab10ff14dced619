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
    /// The URL of the key set.
    let url: EndpointURL
    /// Whether the URL was discovered by this fetch.
    let wasDiscovered: Bool
}

/// The source of a provider's keys.
package enum KeySetSource: Sendable, Hashable {
    /// A configured URL.
    case address(EndpointURL)
    /// The `jwks_uri` of the provider's discovery document.
    case discovery(Provider, document: EndpointURL)

    /// Creates the source for a provider: its key-set URL, or else discovery with its first issuer.
    package init(_ provider: Provider) throws(KeyCacheError) {
        guard !provider.issuers.isEmpty else { throw KeyCacheError("a provider has no issuer") }
        do throws(TransportFailure) {
            if let address = provider.keySetURL {
                self = .address(try EndpointURL(address, allowsLoopbackHTTP: provider.allowsLoopbackHTTP))
            } else {
                self = .discovery(provider, document: try ProviderMetadata.url(of: provider))
            }
        } catch {
            let what = provider.keySetURL == nil ? "issuer" : "key set URL"
            throw KeyCacheError("the \(what) of \(quoted(provider.name)): \(error.detail)")
        }
    }

    /// The URL of the key set; nil if it has to be discovered.
    package var address: EndpointURL? {
        if case .address(let url) = self { url } else { nil }
    }

    /// Returns whether a key set at this URL is the provider's.
    package func mayHaveKeys(at url: EndpointURL, _ configuration: KeyCacheConfiguration) -> Bool {
        switch self {
        case .address(let address): url == address
        case .discovery(_, let document):
            url.hasSameOrigin(as: document) || configuration.keySetHosts.contains(url.host)
        }
    }
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
        switch source {
        case .address(let address): url = address
        case .discovery(let provider, let document):
            if let known {
                url = known
            } else {
                url = try await discover(provider, at: document, until: end)
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
    private func discover(
        _ provider: Provider,
        at document: EndpointURL,
        until end: Duration
    ) async throws(KeyFetchFailure) -> EndpointURL {
        let metadata: ProviderMetadata
        do throws(ProviderMetadataError) {
            metadata = try await ProviderMetadata.fetch(
                provider: provider,
                document: document,
                transport: transport,
                contentTypes: configuration.contentTypes,
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
        let request = TransportRequest(
            url: url,
            headers: [("Accept", configuration.contentTypes.sorted().joined(separator: ", "))],
            responseLimit: configuration.keySetLimits.bytes,
            deadline: max(end - timekeeper.now(), .zero)
        )
        let response: TransportResponse
        do throws(TransportFailure) {
            response = try await transport.send(request)
        } catch {
            throw KeyFetchFailure(error, of: .keySet).naming(configuration.keySetLimits).from(url)
        }
        do throws(ResponseFault) {
            try response.check(contentTypes: configuration.contentTypes, limit: request.responseLimit)
        } catch {
            throw KeyFetchFailure(.response(error.code), of: .keySet, error.detail)
                .naming(configuration.keySetLimits)
                .from(url)
        }
        return response
    }
}
