// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import LoginKeys
internal import LoginTokens

extension ServiceConfiguration {
    /// The configured places of the documents of an identity provider, or of the issuer of an API's access tokens.
    struct DocumentSettings: Sendable, Hashable {
        /// The place of the key set; nil for the default.
        var keySet: Provider.Documents.KeySet?
        var discoveryURL: String?
        var discoveryIssuer: String?
        var contentTypes: Set<String> = []
        var followsRedirects = false
        var bearerFile: String?

        /// Whether nothing is configured.
        var isEmpty: Bool { self == Self() }

        /// Returns the documents of a provider with these places.
        func applied(to documents: Provider.Documents) -> Provider.Documents {
            var documents = documents
            documents.keySet = keySet ?? documents.keySet
            documents.discoveryURL = discoveryURL ?? documents.discoveryURL
            documents.discoveryIssuer = discoveryIssuer ?? documents.discoveryIssuer
            documents.contentTypes.formUnion(contentTypes)
            documents.followsRedirects = followsRedirects
            documents.bearerTokenFile = bearerFile
            return documents
        }
    }
}

extension ServiceConfiguration.DocumentSettings {
    /// Reads the places of documents.
    ///
    /// - Parameters:
    ///   - keys: The keys of identity providers, or those of APIs.
    ///   - name: The name of the provider or the API.
    ///   - values: The values of the configuration.
    /// - Throws: ``ConfigurationFault``, which names the key.
    init(_ keys: DocumentKeys, of name: String, in values: ConfigurationValues) throws(ConfigurationFault) {
        switch (try values.text(keys.keySetURL.of(name)), try values.text(keys.keysFile.of(name))) {
        case (let url?, nil): keySet = .url(url)
        case (nil, let path?): keySet = .file(path)
        case (nil, nil): keySet = nil
        case (_?, _?):
            throw ConfigurationFault(
                "only one of \(keys.keySetURL.of(name).name) and \(keys.keysFile.of(name).name) can be set"
            )
        }
        discoveryURL = try values.text(keys.discoveryURL.of(name))
        discoveryIssuer = try values.text(keys.discoveryIssuer.of(name))
        contentTypes = Set(try values.list(keys.contentTypes.of(name)) ?? [])
        followsRedirects = try values.flag(keys.redirects.of(name))
        bearerFile = try values.text(keys.bearerFile.of(name))
        do throws(TransportFailure) { try applied(to: Provider.Documents()).check() } catch {
            throw ConfigurationFault("\(keys.contentTypes.of(name).name): \(error.detail)")
        }
    }

    /// Checks that no setting of an API lacks an effect.
    func checkEffect(of name: String, _ documents: Provider.Documents) throws(ConfigurationFault) {
        let keys = DocumentKeys.api
        var idle: [ConfigurationKey] = []
        if documents.keySet != .discovered {
            if discoveryURL != nil { idle.append(keys.discoveryURL) }
            if discoveryIssuer != nil { idle.append(keys.discoveryIssuer) }
        }
        if case .file = documents.keySet {
            if !contentTypes.isEmpty { idle.append(keys.contentTypes) }
            if followsRedirects { idle.append(keys.redirects) }
            if bearerFile != nil { idle.append(keys.bearerFile) }
        }
        guard let key = idle.first else { return }
        throw ConfigurationFault(
            "\(key.of(name).name) has no effect, because the place of the keys is known without it"
        )
    }
}

extension ServiceConfiguration {
    /// Returns the providers whose keys are cached.
    ///
    /// - Parameter identityProviders: The identity providers.
    /// - Returns: The identity providers, and the issuers of APIs that are none of them, each once. The keys of an issuer
    ///   that shares a secret, or is asked about each token and does not sign its answers, are not needed.
    /// - Throws: ``ConfigurationFault`` if an API has places of documents that another provider of the same issuer
    ///   does not have, or if a file cannot be used.
    func keyProviders(beside identityProviders: [Provider]) throws(ConfigurationFault) -> [Provider] {
        var all = identityProviders
        for api in apis where api.usesKeys {
            let provider = api.issuer.provider
            let known = all.filter { !Set($0.issuers).isDisjoint(with: provider.issuers) }
            if let other = known.first(where: { $0.documents != provider.documents }), !api.documents.isEmpty {
                throw ConfigurationFault(
                    "api.\(api.name): \(other.name) has the same issuer, and its keys are used; state the places of its documents there"
                )
            }
            if !Set(known.flatMap(\.issuers)).isSuperset(of: provider.issuers) { all.append(provider) }
        }
        var cache = KeyCacheConfiguration()
        cache.keySetLimits = keySetLimits
        for provider in all {
            do throws(KeyFetchFailure) { try KeyCache.checkFiles(of: provider, cache) } catch {
                throw ConfigurationFault("\(provider.name): \(error)")
            }
        }
        return all
    }
}
#endif
