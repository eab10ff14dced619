// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import HTTPTypes
internal import LoginHTTP
internal import LoginKeys
internal import LoginTokens

extension ServiceConfiguration {
    /// The settings of an API whose access tokens the service verifies.
    struct APISettings: Sendable, Hashable {
        var name: String
        /// The issuer; its provider has the name of the API, for logs and metrics.
        var issuer: AccessTokenIssuer
        var audiences: [String]
        /// The public URL.
        var resource: String
        /// The scopes that every token must contain.
        var scopes: [String]
        /// The IDs of the clients that can call the API; empty for all.
        var clients: [String]
        /// The accepted values of claims, in addition to those of the issuer.
        var requiredValues: [String: [String]]
        /// The accepted algorithms; nil for those of the issuer.
        var algorithms: Set<SignatureAlgorithm>?
        /// The secret that tokens are signed with; nil if they are signed with the issuer's keys.
        var secret: Secret?
        var maximumAge: Duration?
        var proofs: Proofs
        var certificates: Certificates

        /// A file with a shared secret.
        struct Secret: Sendable, Hashable {
            var file: String
            var encoding: SharedSecret.Encoding
            var algorithm: SharedSecret.Algorithm
        }

        /// The use of DPoP proofs.
        enum Proofs: String, Sendable, Hashable, CaseIterable { case off, accepted, required }

        /// The header field with the client certificate, which a proxy passes.
        enum Certificates: String, Sendable, Hashable, CaseIterable {
            case off
            case clientCert = "client-cert"
            case escapedPEM = "escaped-pem"
        }
    }

    /// Returns the providers whose keys are cached.
    ///
    /// - Parameter identityProviders: The identity providers.
    /// - Returns: The identity providers, and the issuers of APIs that are none of them, each once. An API with a secret
    ///   needs no keys.
    func keyProviders(beside identityProviders: [Provider]) -> [Provider] {
        var all = identityProviders
        for provider in apis.filter({ $0.secret == nil }).map(\.issuer.provider) {
            let known = Set(all.flatMap(\.issuers))
            if !known.isSuperset(of: provider.issuers) { all.append(provider) }
        }
        return all
    }

    /// Returns the secrets of the APIs that have one, by their names.
    ///
    /// - Throws: ``ConfigurationFault`` if a file cannot be read, or does not contain a secret.
    func apiSecrets() throws(ConfigurationFault) -> [String: SharedSecret] {
        var secrets: [String: SharedSecret] = [:]
        for api in apis {
            guard let secret = api.secret else { continue }
            let key = ConfigurationKey.apiSecret.of(api.name).name
            let text = try SecretFile.read(secret.file, key: key)
            do throws(PolicyError) {
                secrets[api.name] = try SharedSecret(text, encoding: secret.encoding, algorithm: secret.algorithm)
            } catch {
                throw ConfigurationFault("\(key): \(error.detail)")
            }
        }
        return secrets
    }
}

extension ServiceConfiguration.APISettings {
    /// Reads the settings of an API.
    ///
    /// - Parameters:
    ///   - name: The name of the API.
    ///   - names: The names of the providers and of the policies for ID tokens.
    ///   - values: The values of the configuration.
    /// - Throws: ``ConfigurationFault``, which names the key.
    init(_ name: String, notIn names: [String], in values: ConfigurationValues) throws(ConfigurationFault) {
        guard !names.contains(name) else {
            throw ConfigurationFault("apis: \(name) is already the name of a provider or a policy; choose another name")
        }
        self.name = name
        secret = try Self.secret(of: name, in: values)
        issuer = try Self.issuer(of: name, in: values)
        if secret == nil { try Self.checkKeys(of: issuer.provider) }
        guard let audiences = try values.list(.apiAudiences.of(name)) else {
            throw ConfigurationFault(
                "\(ConfigurationKey.apiAudiences.of(name).name) must contain at least one audience"
            )
        }
        self.audiences = audiences
        guard let url = try values.text(.apiResource.of(name)) else {
            throw ConfigurationFault("\(ConfigurationKey.apiResource.of(name).name) is required")
        }
        resource = url
        scopes = try values.list(.apiScopes.of(name)) ?? []
        clients = try values.list(.apiClients.of(name)) ?? []
        requiredValues = try Self.read(.apiValues.of(name), in: values, AccessTokenPolicy.requiredValues)
        if secret == nil {
            algorithms = try Self.read(.apiAlgorithms.of(name), in: values, AccessTokenPolicy.algorithms)
        }
        maximumAge = try values.number(.apiAge.of(name)).map { .seconds($0) }
        proofs =
            try values.choice(.apiProofs.of(name)).flatMap { Proofs(rawValue: $0) }
            ?? ServiceConfiguration.Defaults.proofs
        certificates =
            try values.choice(.apiCertificates.of(name)).flatMap { Certificates(rawValue: $0) }
            ?? ServiceConfiguration.Defaults.certificates
        do throws(PolicyError) {
            // The other settings are checked where they are used.
            _ = try protectedResource(keys: KeySnapshot([]), ledger: InMemoryDPoPLedger(capacity: 1))
        } catch {
            throw ConfigurationFault("api.\(name): \(error.detail)")
        }
    }

    /// Checks that the proxies are named from which alone certificates are read.
    func checkCertificates(from trustedProxies: [IPNetwork]) throws(ConfigurationFault) {
        guard certificates == .off || !trustedProxies.isEmpty else {
            throw ConfigurationFault(
                "\(ConfigurationKey.apiCertificates.of(name).name) requires \(ConfigurationKey.trustedProxies.name), from which alone certificates are read"
            )
        }
    }

    /// Reads a list of texts that state a part of the policy.
    private static func read<Part>(
        _ key: ConfigurationKey,
        in values: ConfigurationValues,
        _ part: ([String]) throws(PolicyError) -> Part
    ) throws(ConfigurationFault) -> Part {
        let texts = try values.list(key) ?? []
        do throws(PolicyError) {
            return try part(texts)
        } catch {
            throw ConfigurationFault("\(key.name): \(error.detail)")
        }
    }

    private static func issuer(of name: String, in values: ConfigurationValues) throws(ConfigurationFault)
        -> AccessTokenIssuer
    {
        let (issuerKey, presetKey) = (ConfigurationKey.apiIssuer.of(name), ConfigurationKey.apiPreset.of(name))
        var issuer: AccessTokenIssuer
        switch (try values.text(issuerKey), try values.text(presetKey)) {
        case (let url?, nil): issuer = .rfc9068(issuers: [url])
        case (nil, let preset?):
            do throws(PolicyError) {
                issuer = try AccessTokenPreset.issuer(preset)
            } catch {
                throw ConfigurationFault("\(presetKey.name): \(error.detail)")
            }
        default: throw ConfigurationFault("exactly one of \(issuerKey.name) and \(presetKey.name) is required")
        }
        issuer.provider = issuer.provider.with(name: name)
        issuer.provider.allowsLoopbackHTTP = try values.flag(.apiLoopback.of(name))
        return issuer
    }

    /// Returns the file with the secret that tokens are signed with; nil if they are signed with keys.
    ///
    /// The algorithms of both are different names, so a list has those of one.
    private static func secret(of name: String, in values: ConfigurationValues) throws(ConfigurationFault) -> Secret? {
        let (fileKey, encodingKey) = (ConfigurationKey.apiSecret.of(name), ConfigurationKey.apiSecretEncoding.of(name))
        let algorithmsKey = ConfigurationKey.apiAlgorithms.of(name)
        let names = try values.list(algorithmsKey) ?? []
        let encoding = try values.choice(encodingKey).flatMap { SharedSecret.Encoding(rawValue: $0) }
        guard let file = try values.secretFile(fileKey) else {
            if encoding != nil { throw ConfigurationFault("\(encodingKey.name) requires \(fileKey.name)") }
            if let name = names.first(where: { SharedSecret.Algorithm(rawValue: $0) != nil }) {
                throw ConfigurationFault("\(algorithmsKey.name): \(name) requires \(fileKey.name), since no key has it")
            }
            return nil
        }
        guard names.count <= 1, let algorithm = SharedSecret.Algorithm(rawValue: names.first ?? "HS256") else {
            let all = SharedSecret.Algorithm.allCases.map(\.rawValue).joined(separator: ", ")
            throw ConfigurationFault("\(algorithmsKey.name) must be one of \(all) with \(fileKey.name)")
        }
        return Secret(file: file, encoding: encoding ?? .text, algorithm: algorithm)
    }

    /// Checks that the keys of an issuer have a URL from which they can be fetched.
    private static func checkKeys(of provider: Provider) throws(ConfigurationFault) {
        do throws(KeyCacheError) {
            try KeyCache.check(provider)
        } catch {
            var allowed = provider
            allowed.allowsLoopbackHTTP = true
            let loopback = ConfigurationKey.apiLoopback.of(provider.name).name
            let remedy = (try? KeyCache.check(allowed)) == nil ? "" : "; \(loopback) allows it, for development"
            throw ConfigurationFault("api.\(provider.name): \(error)\(remedy)")
        }
    }

    /// Returns the API, as the operations of the HTTP API use it.
    ///
    /// - Parameters:
    ///   - keys: The keys of the issuer.
    ///   - secret: The secret that tokens are signed with instead; nil for keys.
    ///   - ledger: The ledger of used DPoP proofs.
    ///   - cache: The cache of verified tokens; nil for none.
    ///   - leeway: The leeway for the times of tokens, 0 to 300 seconds.
    ///   - trustedProxies: The proxies that may forward the requests of clients.
    ///   - onVerdict: A closure called with the result of each verification.
    /// - Returns: The API.
    /// - Throws: `PolicyError` if a setting is invalid.
    func protectedResource(
        keys: any KeySource,
        secret: SharedSecret? = nil,
        ledger: any DPoPLedger,
        cache: VerifiedTokenCache? = nil,
        leeway: Duration = .seconds(30),
        trustedProxies: TrustedProxies = .none,
        onVerdict: (@Sendable (VerificationError?) -> Void)? = nil
    ) throws(PolicyError) -> ProtectedResource {
        let policy = try AccessTokenPolicy(
            issuer: issuer,
            audiences: audiences,
            requiredScopes: scopes,
            allowedClients: clients,
            requiredValues: requiredValues,
            algorithms: algorithms,
            leeway: leeway,
            maximumAge: maximumAge
        )
        var verifier = AccessTokenVerifier(policy: policy, secret: secret, otherwise: keys, cache: cache)
        verifier.onVerdict = onVerdict
        let proofPolicy = try DPoPPolicy(requiresBoundTokens: proofs == .required)
        return try ProtectedResource(
            resource,
            verifier: verifier,
            dpop: proofs == .off ? nil : DPoPVerifier(policy: proofPolicy, ledger: ledger),
            clientCertificates: certificates.field,
            trustedProxies: trustedProxies
        )
    }
}

extension ServiceConfiguration.APISettings.Certificates {
    /// The header field; nil to refuse tokens that are bound to a certificate.
    var field: ClientCertificateField? {
        switch self {
        case .off: nil
        case .clientCert: .clientCert
        // The name that ingress controllers and authorization servers use for nginx's `$ssl_client_escaped_cert`.
        case .escapedPEM: .sslClientCert
        }
    }
}
#endif
