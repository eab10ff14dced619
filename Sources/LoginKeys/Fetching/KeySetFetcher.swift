// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTokens

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A key set that was fetched and found good.
struct FetchedKeySet: Sendable {
    /// The keys, at least one of which can be used.
    let keys: JSONWebKeySet
    /// What they were read from.
    let document: [UInt8]
    /// How long the provider says they are good for; nil if it does not.
    let lifetime: Duration?
    /// Where they are from.
    let url: EndpointURL
    /// Whether the address was discovered on the way.
    let wasDiscovered: Bool
}

/// Where a provider's keys come from.
enum KeySetSource: Sendable, Hashable {
    /// From an address that is known.
    case address(EndpointURL)
    /// From the address that the issuer's discovery document names.
    case discovery(issuer: String, document: EndpointURL)

    /// The source of a provider's keys: its address, or else discovery from its first issuer.
    init(_ provider: Provider, _ configuration: KeyCacheConfiguration) throws(KeyCacheError) {
        let allowsHTTP = configuration.allowsLoopbackHTTP
        guard let issuer = provider.issuers.first else { throw KeyCacheError("a provider has no issuer") }
        do throws(TransportFailure) {
            if let address = provider.keySetURL {
                self = .address(try EndpointURL(address, allowsLoopbackHTTP: allowsHTTP))
            } else {
                let document = try ProviderMetadata.url(of: issuer, allowsLoopbackHTTP: allowsHTTP)
                self = .discovery(issuer: issuer, document: document)
            }
        } catch {
            let what = provider.keySetURL == nil ? "issuer" : "key-set address"
            throw KeyCacheError("the \(what) of \(quoted(provider.name)): \(error.detail)")
        }
    }

    /// The address, where it need not be discovered.
    var address: EndpointURL? {
        if case .address(let url) = self { url } else { nil }
    }

    /// Whether keys from this address are the provider's.
    func mayHaveKeys(at url: EndpointURL, _ configuration: KeyCacheConfiguration) -> Bool {
        switch self {
        case .address(let address): url == address
        case .discovery(_, let document):
            url.hasSameOrigin(as: document) || configuration.keySetHosts.contains(url.host)
        }
    }
}

/// Fetches a provider's keys once, and judges every answer before it is believed.
struct KeySetFetcher: Sendable {
    let source: KeySetSource
    let configuration: KeyCacheConfiguration
    let transport: any HTTPTransport
    let timekeeper: Timekeeper
    let wallClock: any WallClock

    /// Fetches the keys.
    ///
    /// - Parameter known: The address of the keys, where it was discovered before.
    /// - Returns: Keys, at least one of which can be used.
    /// - Throws: ``KeyFetchFailure``, after no more than the deadline where the transport keeps to it.
    func fetch(from known: EndpointURL?) async throws(KeyFetchFailure) -> FetchedKeySet {
        let end = timekeeper.now() + configuration.fetchDeadline
        let url: EndpointURL
        switch source {
        case .address(let address): url = address
        case .discovery(let issuer, let document):
            if let known {
                url = known
            } else {
                url = try await discover(issuer, at: document, until: end)
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

    /// Reads a key set, and insists on one key that can be used: a set without any must not replace good keys.
    static func keys(
        in body: [UInt8],
        _ configuration: KeyCacheConfiguration
    ) throws(KeyFetchFailure) -> JSONWebKeySet {
        let keys: JSONWebKeySet
        do throws(KeySetError) {
            keys = try JSONWebKeySet(json: body, allowPublishedTestKeys: configuration.allowsPublishedTestKeys)
        } catch {
            throw KeyFetchFailure(.keySet, of: .keySet, error.description)
        }
        guard !keys.keys.isEmpty else {
            let reasons = keys.unusableKeys.prefix(3).map(\.description).joined(separator: "; ")
            throw KeyFetchFailure(.keySet, of: .keySet, "none of its keys can be used: \(reasons)")
        }
        return keys
    }

    /// The address of the keys that the issuer's discovery document names, where keys from there are the issuer's.
    private func discover(
        _ issuer: String,
        at document: EndpointURL,
        until end: Duration
    ) async throws(KeyFetchFailure) -> EndpointURL {
        let metadata: ProviderMetadata
        do throws(ProviderMetadataError) {
            metadata = try await ProviderMetadata.fetch(
                issuer: issuer,
                document: document,
                transport: transport,
                contentTypes: configuration.contentTypes,
                allowsLoopbackHTTP: configuration.allowsLoopbackHTTP,
                deadline: max(end - timekeeper.now(), .zero)
            )
        } catch {
            throw KeyFetchFailure(error)
        }
        guard source.mayHaveKeys(at: metadata.keySetURL, configuration) else {
            let detail =
                "the keys are on \(quoted(metadata.keySetURL.origin)): if they are the issuer's, allow that host by name (keySetHosts, --keys-host)"
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
            responseLimit: Limits.keySetBytes,
            deadline: max(end - timekeeper.now(), .zero)
        )
        let response: TransportResponse
        do throws(TransportFailure) {
            response = try await transport.send(request)
        } catch {
            throw KeyFetchFailure(error, of: .keySet).from(url)
        }
        do throws(ResponseFault) {
            try response.check(contentTypes: configuration.contentTypes, limit: request.responseLimit)
        } catch {
            throw KeyFetchFailure(.response(error.code), of: .keySet, error.detail).from(url)
        }
        return response
    }
}
