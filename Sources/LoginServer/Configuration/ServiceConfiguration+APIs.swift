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
        /// The configured places of the issuer's documents, which its provider has.
        var documents: DocumentSettings
        /// The endpoint that judges its tokens; nil if they have signatures.
        var introspection: IntrospectionSettings?
        var audiences: [String]
        /// The public URL.
        var resource: String
        /// The origins whose scripts may call the API in browsers.
        var origins: AllowedOrigins
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
        /// Whether keys of the issuer verify its tokens, or the answers about them.
        let usesKeys: Bool
        var maximumAge: Duration?
        /// The maximum sizes of tokens.
        var limits: TokenLimits
        var proofs: Proofs
        /// The maximum age of a proof.
        var proofAge: Duration
        /// The time by which a proof may be ahead of the clock.
        var proofLeeway: Duration
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

    /// Reads whether DPoP proofs for the APIs need a nonce of the service.
    static func requiresProofNonces(
        of apis: [APISettings],
        in values: ConfigurationValues
    ) throws(ConfigurationFault) -> Bool {
        guard try values.flag(.proofNonces) else { return false }
        guard apis.contains(where: { $0.proofs != .off }) else {
            throw ConfigurationFault("\(ConfigurationKey.proofNonces.name) requires an API with dpop")
        }
        return true
    }

    /// Reads the secrets of the APIs.
    ///
    /// - Returns: The secrets, by the name of the API; none for an API whose tokens are verified with keys alone.
    /// - Throws: ``ConfigurationFault`` if a file cannot be read, or does not contain a secret.
    func apiSecrets() throws(ConfigurationFault) -> [String: APISecret] {
        var secrets: [String: APISecret] = [:]
        for api in apis { secrets[api.name] = try api.readSecret() }
        return secrets
    }
}

/// The secret of an API.
enum APISecret: Sendable {
    /// The secret that access tokens are signed with.
    case shared(SharedSecret)
    /// The client secret for the introspection endpoint.
    case client(String)

    fileprivate var shared: SharedSecret? { if case .shared(let secret) = self { secret } else { nil } }
    fileprivate var client: String? { if case .client(let secret) = self { secret } else { nil } }
}

extension ServiceConfiguration.APISettings {
    /// Reads the secret from its file; nil if none is configured.
    fileprivate func readSecret() throws(ConfigurationFault) -> APISecret? {
        if let introspection {
            let key = ConfigurationKey.apiIntrospectionSecret.of(name).name
            return .client(try SecretFile.read(introspection.secretFile, key: key))
        }
        guard let secret else { return nil }
        let key = ConfigurationKey.apiSecret.of(name).name
        let text = try SecretFile.read(secret.file, key: key)
        do throws(PolicyError) {
            return .shared(try SharedSecret(text, encoding: secret.encoding, algorithm: secret.algorithm))
        } catch {
            throw ConfigurationFault("\(key): \(error.detail)")
        }
    }
}

extension ServiceConfiguration.APISettings {
    /// Reads the settings of an API.
    ///
    /// - Parameters:
    ///   - name: The name of the API.
    ///   - names: The names of the providers and of the policies for ID tokens.
    ///   - cleartextHosts: The hosts at which the issuer and its introspection endpoint can be reached over `http`.
    ///   - values: The values of the configuration.
    /// - Throws: ``ConfigurationFault``, which names the key.
    init(
        _ name: String,
        notIn names: [String],
        cleartextHosts: Set<String>,
        in values: ConfigurationValues
    ) throws(ConfigurationFault) {
        guard !names.contains(name) else {
            throw ConfigurationFault("apis: \(name) is already the name of a provider or a policy; choose another name")
        }
        self.name = name
        introspection = try ServiceConfiguration.IntrospectionSettings(
            of: name,
            cleartextHosts: cleartextHosts,
            in: values
        )
        secret = try Self.secret(of: name, in: values)
        var issuer = try Self.issuer(of: name, in: values)
        documents = try ServiceConfiguration.DocumentSettings(.api, of: name, in: values)
        issuer.provider.cleartextHosts = cleartextHosts
        issuer.provider.documents = documents.applied(to: issuer.provider.documents)
        usesKeys = secret == nil && introspection?.isSigned != false
        if usesKeys {
            try documents.checkEffect(of: name, issuer.provider.documents)
            try Self.checkKeys(of: issuer.provider)
        } else {
            try values.refuse(DocumentKeys.api.all, of: name, "has no effect, because no keys are fetched")
        }
        self.issuer = issuer
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
        origins = try Self.read(.apiOrigins.of(name), in: values) { texts throws(PolicyError) in
            try AllowedOrigins(texts)
        }
        scopes = try values.list(.apiScopes.of(name)) ?? []
        clients = try values.list(.apiClients.of(name)) ?? []
        requiredValues = try Self.read(.apiValues.of(name), in: values, AccessTokenPolicy.requiredValues)
        if secret == nil {
            algorithms = try Self.read(.apiAlgorithms.of(name), in: values, AccessTokenPolicy.algorithms)
        }
        maximumAge = try values.number(.apiAge.of(name)).map { .seconds($0) }
        limits = try values.tokenLimits(.apiTokenBytes.of(name), .apiHeaderBytes.of(name))
        proofs =
            try values.choice(.apiProofs.of(name)).flatMap { Proofs(rawValue: $0) }
            ?? ServiceConfiguration.Defaults.proofs
        (proofAge, proofLeeway) = try Self.proofTimes(of: name, proofs, in: values)
        certificates =
            try values.choice(.apiCertificates.of(name)).flatMap { Certificates(rawValue: $0) }
            ?? ServiceConfiguration.Defaults.certificates
        do throws(PolicyError) {
            // The other settings are checked where they are used.
            let parts = APIParts(keys: KeySnapshot([]), secret: .client("-"), ledger: InMemoryDPoPLedger(capacity: 1))
            _ = try protectedResource(parts)
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

    /// Reads the times of proofs, which have no effect where proofs are off.
    private static func proofTimes(
        of name: String,
        _ proofs: Proofs,
        in values: ConfigurationValues
    ) throws(ConfigurationFault) -> (age: Duration, leeway: Duration) {
        let keys = [ConfigurationKey.apiProofAge.of(name), ConfigurationKey.apiProofLeeway.of(name)]
        let seconds = [try values.number(keys[0]), try values.number(keys[1])]
        if proofs == .off, let unused = zip(keys, seconds).first(where: { $0.1 != nil })?.0 {
            throw ConfigurationFault(
                "\(unused.name) has no effect while \(ConfigurationKey.apiProofs.of(name).name) is \(proofs.rawValue)"
            )
        }
        return (
            seconds[0].map { .seconds($0) } ?? DPoPPolicy.standard.maximumAge,
            seconds[1].map { .seconds($0) } ?? DPoPPolicy.standard.leeway
        )
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
        case (let url?, nil): issuer = try jwt(of: name, issuer: url, in: values) ?? .rfc9068(issuers: [url])
        case (nil, let preset?):
            try values.refuse([.apiMark, .apiClientClaim, .apiScopeClaim], of: name, without: .apiIssuer)
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

    /// Returns the issuer whose tokens have the form that `jwt.mark` describes; nil without this key.
    private static func jwt(
        of name: String,
        issuer url: String,
        in values: ConfigurationValues
    ) throws(ConfigurationFault) -> AccessTokenIssuer? {
        guard let mark = try values.text(.apiMark.of(name)) else {
            try values.refuse([.apiClientClaim, .apiScopeClaim], of: name, without: .apiMark)
            return nil
        }
        let clientClaim = try values.text(.apiClientClaim.of(name))
        let scopeClaim = try values.text(.apiScopeClaim.of(name))
        do throws(PolicyError) {
            return try .jwt(url, mark: mark, clientClaim: clientClaim, scopeClaim: scopeClaim)
        } catch {
            throw ConfigurationFault("api.\(name).jwt: \(error.detail)")
        }
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
    /// - Parameter parts: The parts of the service that it uses.
    /// - Returns: The API.
    /// - Throws: `PolicyError` if a setting is invalid.
    func protectedResource(_ parts: APIParts) throws(PolicyError) -> ProtectedResource {
        let proofPolicy = try DPoPPolicy(
            maximumAge: proofAge,
            leeway: proofLeeway,
            nonces: parts.nonces,
            requiresBoundTokens: proofs == .required
        )
        return try ProtectedResource(
            resource,
            verifier: verifier(parts),
            dpop: proofs == .off ? nil : DPoPVerifier(policy: proofPolicy, ledger: parts.ledger),
            clientCertificates: certificates.field,
            trustedProxies: parts.trustedProxies,
            allowedOrigins: origins
        )
    }

    private func verifier(_ parts: APIParts) throws(PolicyError) -> any BearerTokenVerifier {
        if let introspection { return try introspector(introspection, parts) }
        let policy = try AccessTokenPolicy(
            issuer: issuer,
            audiences: audiences,
            requiredScopes: scopes,
            allowedClients: clients,
            requiredValues: requiredValues,
            algorithms: algorithms,
            leeway: parts.leeway,
            maximumAge: maximumAge,
            limits: limits
        )
        var verifier = try AccessTokenVerifier(
            policy: policy,
            secret: parts.secret?.shared,
            otherwise: parts.keys,
            cache: parts.cache
        )
        verifier.onVerdict = parts.onVerdict
        return verifier
    }

    private func introspector(
        _ settings: ServiceConfiguration.IntrospectionSettings,
        _ parts: APIParts
    ) throws(PolicyError) -> any BearerTokenVerifier {
        let policy = try IntrospectionPolicy(
            issuers: issuer.provider.issuers,
            audiences: audiences,
            requiredScopes: scopes,
            allowedClients: clients,
            requiredValues: requiredValues,
            optionalMembers: settings.optionalMembers,
            subjectMembers: settings.subjectMembers,
            leeway: parts.leeway,
            maximumAge: maximumAge,
            limits: limits
        )
        var introspector = try TokenIntrospector(
            endpoint: settings.endpoint,
            clientID: settings.clientID,
            clientSecret: parts.secret?.client ?? "",
            policy: policy,
            responseKeys: settings.isSigned ? parts.keys : nil,
            responseAlgorithms: algorithms ?? issuer.algorithms,
            transport: parts.transport,
            cacheLifetime: settings.cacheLifetime
        )
        introspector.onVerdict = parts.onVerdict
        return introspector
    }
}

/// The parts of the service that an API uses.
struct APIParts: Sendable {
    /// The keys of the issuer.
    var keys: any KeySource
    /// The secret of the API; nil if tokens are verified with keys alone.
    var secret: APISecret?
    /// The ledger of used DPoP proofs.
    var ledger: any DPoPLedger
    /// The server nonces that DPoP proofs need; nil if they need none.
    ///
    /// Either all APIs on a ledger have them, or none.
    var nonces: DPoPNonces?
    /// The cache of verified tokens; nil for none.
    var cache: VerifiedTokenCache?
    /// The transport for requests to introspection endpoints.
    var transport: any HTTPTransport = AsyncHTTPClientTransport()
    /// The leeway for the times of tokens, 0 to 300 seconds.
    var leeway = Duration.seconds(30)
    /// The proxies that may forward the requests of clients.
    var trustedProxies = TrustedProxies.none
    /// A closure called with the result of each verification.
    var onVerdict: (@Sendable (VerificationError?) -> Void)?
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
