// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

package import LoginTokens

/// The place of a provider's keys, checked.
package struct KeySetSource: Sendable, Hashable {
    /// The place of a key set.
    enum Place: Sendable, Hashable {
        /// A configured URL.
        case url(EndpointURL)
        /// A file at this path.
        case file(String)
        /// The `jwks_uri` of the discovery document at this URL.
        case discovery(EndpointURL)
    }

    let provider: Provider
    let place: Place

    /// Creates the source for a provider, as its `documents` state it.
    package init(_ provider: Provider) throws(KeyCacheError) {
        guard !provider.issuers.isEmpty else { throw KeyCacheError("a provider has no issuer") }
        self.provider = provider
        let documents = provider.documents
        do throws(TransportFailure) { try documents.check() } catch {
            throw KeyCacheError("the documents of \(quoted(provider.name)): \(error.detail)")
        }
        do throws(TransportFailure) {
            switch documents.keySet {
            case .url(let url): place = .url(try provider.endpoint(url))
            case .file(let path): place = .file(path)
            case .discovered: place = .discovery(try ProviderMetadata.url(of: provider))
            }
        } catch {
            let what =
                provider.keySetURL != nil ? "key set URL" : documents.discoveryURL != nil ? "discovery URL" : "issuer"
            throw KeyCacheError("the \(what) of \(quoted(provider.name)): \(error.detail)")
        }
        guard documents.bearerTokenFile == nil || isHTTPS else {
            throw KeyCacheError("the documents of \(quoted(provider.name)): a bearer token is sent over https only")
        }
    }

    /// Whether the configured URL has the scheme `https`; true for a file.
    private var isHTTPS: Bool {
        switch place {
        case .url(let url), .discovery(let url): url.scheme == .https
        case .file: true
        }
    }

    /// The URL of the key set; nil if it has to be discovered, or is a file.
    package var address: EndpointURL? {
        if case .url(let url) = place { url } else { nil }
    }

    /// Whether the key set is a file.
    var isFile: Bool {
        if case .file = place { true } else { false }
    }

    /// Returns whether a key set at this URL is the provider's.
    package func mayHaveKeys(at url: EndpointURL, _ configuration: KeyCacheConfiguration) -> Bool {
        switch place {
        case .url(let configured): return url == configured
        case .file: return false
        case .discovery(let document):
            // The document may be elsewhere than the issuer, for example behind a proxy.
            let issuer = provider.issuers.first.flatMap { try? provider.endpoint($0) }
            return [document, issuer].contains { $0?.hasSameOrigin(as: url) == true }
                || configuration.keySetHosts.contains(url.host)
        }
    }
}
