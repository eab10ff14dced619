// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine && HTTPClient
internal import LoginKeys
internal import LoginTokens

/// The documents of an issuer, as the package has fetched and validated them.
struct IssuerDocuments: Sendable {
    /// A request for a document, and its result.
    struct Fetch<Document: Sendable>: Sendable {
        /// The request with the response; nil if it was not sent.
        let exchange: RecordedExchange?
        /// The document, or the reason why it cannot be used.
        let result: Result<Document, KeyFetchFailure>

        /// The document; nil if it cannot be used.
        var document: Document? { try? result.get() }
    }

    /// The configuration of the key cache.
    let configuration: KeyCacheConfiguration

    /// The source of the keys; nil if the issuer is not an acceptable URL.
    var source: KeySetSource?

    /// The discovery document; nil if it was not requested.
    var discovery: Fetch<ProviderMetadata>?

    /// The key set; nil if it was not requested, because its URL is unknown or not allowed.
    var keySet: Fetch<FetchedKeySet>?

    /// The requests that were sent, in their order.
    var exchanges: [RecordedExchange] { [discovery?.exchange, keySet?.exchange].compactMap(\.self) }
}

/// A client that fetches the documents of an issuer as the package does.
struct IssuerClient: Sendable {
    let configuration: KeyCacheConfiguration
    let transport: any HTTPTransport
    var timekeeper = Timekeeper(ContinuousClock())
    var clock: any WallClock = .system

    /// Fetches the documents.
    ///
    /// - Parameters:
    ///   - provider: The provider.
    ///   - usesDiscovery: Whether to request the discovery document.
    /// - Returns: The documents, or the reasons why they cannot be used.
    func documents(of provider: Provider, usesDiscovery: Bool) async -> IssuerDocuments {
        var documents = IssuerDocuments(configuration: configuration)
        guard let source = try? KeySetSource(provider) else { return documents }
        documents.source = source
        let start = timekeeper.now()
        // An issuer that is not a URL, with a key set at a known place, has no document.
        let hasURL = (try? ProviderMetadata.url(of: provider)) != nil
        if usesDiscovery, hasURL { documents.discovery = await discovery(of: provider) }
        // With discovery, the deadline of a key cache applies to both requests together.
        let spent = source.address == nil ? timekeeper.now() - start : .zero
        if let url = source.address ?? documents.discovery?.document?.keySetURL,
            source.mayHaveKeys(at: url, configuration)
        {
            documents.keySet = await keySet(of: source, at: url, deadline: configuration.fetchDeadline - spent)
        }
        return documents
    }

    private func discovery(of provider: Provider) async -> IssuerDocuments.Fetch<ProviderMetadata> {
        let recorder = RecordingTransport(transport, timekeeper: timekeeper, clock: clock)
        let result: Result<ProviderMetadata, KeyFetchFailure>
        do throws(ProviderMetadataError) {
            let metadata = try await ProviderMetadata.fetch(
                provider: provider,
                transport: recorder,
                deadline: configuration.fetchDeadline
            )
            result = .success(metadata)
        } catch {
            result = .failure(KeyFetchFailure(error))
        }
        return IssuerDocuments.Fetch(exchange: recorder.exchange, result: result)
    }

    private func keySet(
        of source: KeySetSource,
        at url: EndpointURL,
        deadline: Duration
    ) async -> IssuerDocuments.Fetch<FetchedKeySet> {
        let recorder = RecordingTransport(transport, timekeeper: timekeeper, clock: clock)
        var configuration = configuration
        configuration.fetchDeadline = deadline
        let fetcher = KeySetFetcher(
            source: source,
            configuration: configuration,
            transport: recorder,
            timekeeper: timekeeper,
            wallClock: clock
        )
        let result: Result<FetchedKeySet, KeyFetchFailure>
        do throws(KeyFetchFailure) {
            result = .success(try await fetcher.fetch(from: url))
        } catch {
            result = .failure(error)
        }
        return IssuerDocuments.Fetch(exchange: recorder.exchange, result: result)
    }
}
#endif
