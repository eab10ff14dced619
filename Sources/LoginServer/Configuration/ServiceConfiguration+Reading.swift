// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Foundation
internal import LimitedLogin
internal import LoginHTTP
internal import LoginHummingbird
internal import LoginKeys
internal import LoginPages
internal import LoginProviders
internal import LoginTokens

extension ServiceConfiguration {
    /// Creates a configuration from values, and validates it.
    ///
    /// - Parameters:
    ///   - values: The values from flags, the environment and the file.
    ///   - stateDirectory: The directory for the store and the provider keys if no other path is set.
    /// - Throws: ``ConfigurationFault``, which names the key.
    init(_ values: ConfigurationValues, stateDirectory: String) throws(ConfigurationFault) {
        guard let listen = ListenAddress(try values.text(.listen) ?? Defaults.listen), case .host = listen else {
            throw ConfigurationFault("listen must be host:port, for example \(Defaults.listen) or [::1]:8080")
        }
        self.listen = listen
        store = try values.text(.store) ?? stateDirectory + "/" + Defaults.storeFile
        storeSchema = try values.text(.storeSchema)
        storeConnections = try values.number(.storeConnections)
        secretsFile = try values.secretFile(.secretsFile)
        keysDirectory = try values.text(.keysDirectory) ?? stateDirectory + "/" + Defaults.keysDirectory
        tls = try Self.tls(in: values)
        publicURL = try Self.publicURL(in: values, listen, hasTLS: tls != nil)
        trustedProxies = try Self.networks(.trustedProxies, in: values)
        allowedNetworks = try Self.networks(.networks, in: values)
        cleartextHosts = Set(try Self.hosts(.cleartextHosts, in: values))
        proxy = try ProxySettings(in: values)
        authoritiesFile = try values.text(.authorities)
        keysHosts = Set(try Self.hosts(.keysHosts, in: values))
        keySetLimits = try values.keySetLimits()
        providers = try Self.providers(in: values)
        policies = []
        for name in try Self.names(.policies, in: values) {
            policies.append(try PolicySettings(name, of: providers, in: values))
        }
        let policyNames = providers.map(\.name) + policies.map(\.name)
        apis = []
        for name in try Self.names(.apis, in: values) {
            let api = try APISettings(name, notIn: policyNames, cleartextHosts: cleartextHosts, in: values)
            try api.checkCertificates(from: trustedProxies)
            apis.append(api)
        }
        secretFiles = try values.secretFiles(of: providers.map(\.name), apis.map(\.name))
        requiresProofNonces = try Self.requiresProofNonces(of: apis, in: values)
        mailCommand = try Self.mailCommand(in: values)
        smsCommand = try values.list(.smsCommand)
        smsPerHour = try values.number(.smsPerHour)
        smsCountries = try Self.countries(in: values)
        allowsPhoneSignIn = try values.flag(.phoneSignIn)
        guard !allowsPhoneSignIn || smsCommand != nil else {
            throw ConfigurationFault("phone-sign-in requires sms.command, which sends the codes")
        }
        allowsGuests = try values.flag(.guests)
        storesProfiles = try values.flag(.storesProfiles)
        pagesName = try values.text(.pagesName)
        pagesLogoFile = try values.text(.pagesLogo)
        pagesSupport = try values.text(.pagesSupport)
        pagesLanguages = try Self.languages(in: values)
        connections = try values.number(.connections) ?? Defaults.connections
        connectionsPerNetwork = try values.number(.connectionsPerNetwork)
        headTimeout = try values.number(.headTimeout)
        requestTimeout = try values.number(.requestTimeout)
        headerFieldBytes = try Self.headerFieldBytes(for: apis, in: values)
        admin = try AdminSettings(in: values)
        // The system chooses a different port for each listener with the port 0.
        if case .host(_, let port) = listen, port != 0, admin?.listen == listen {
            throw ConfigurationFault("admin.listen must differ from listen")
        }
        tweaks = [:]
        if let level = try values.choice(.logLevel) { tweaks[ServiceTweaks.logLevel] = level }
    }

    private static func providers(in values: ConfigurationValues) throws(ConfigurationFault) -> [ProviderSettings] {
        var providers: [ProviderSettings] = []
        for name in try names(.providers, in: values) {
            let settings = try ProviderSettings(name, in: values)
            if ![.openid, .microsoft].contains(settings.kind),
                let other = providers.first(where: { $0.kind == settings.kind })
            {
                throw ConfigurationFault(
                    "\(ConfigurationKey.providerKind.of(name).name): only one provider can have the kind \(settings.kind.rawValue), and \(other.name) already has it"
                )
            }
            providers.append(settings)
        }
        return providers
    }

    /// Reads the program that sends mail; nil if sign-in with passwords is off.
    private static func mailCommand(in values: ConfigurationValues) throws(ConfigurationFault) -> [String]? {
        let command = try values.list(.mailCommand)
        guard try values.flag(.passwords) else { return nil }
        guard let command else {
            throw ConfigurationFault("passwords requires mail.command, which sends the links that confirm addresses")
        }
        return command
    }

    /// Reads the maximum size of a header field, which must have space for the tokens of every API.
    private static func headerFieldBytes(
        for apis: [APISettings],
        in values: ConfigurationValues
    ) throws(ConfigurationFault) -> Int {
        let largest = apis.max { $0.limits.tokenBytes < $1.limits.tokenBytes }
        let needed = Defaults.fieldBytes(for: largest?.limits ?? .standard)
        let key = ConfigurationKey.headerFieldBytes
        let bytes = try values.number(key) ?? needed
        guard bytes >= needed else {
            let tokenBytes = ConfigurationKey.apiTokenBytes.of(largest?.name ?? "").name
            throw ConfigurationFault("\(key.name) must be at least \(needed), 1024 more than \(tokenBytes)")
        }
        return bytes
    }

    private static func countries(in values: ConfigurationValues) throws(ConfigurationFault) -> [String] {
        let countries = try values.list(.smsCountries) ?? []
        for country in countries where country.wholeMatch(of: /\+[1-9][0-9]{0,14}/) == nil {
            throw ConfigurationFault(
                "\(ConfigurationKey.smsCountries.name): \(ShownArgument(country)) is not + and digits, for example +49"
            )
        }
        return countries
    }

    private static func languages(in values: ConfigurationValues) throws(ConfigurationFault) -> [String] {
        let (tags, all) = (try values.list(.pagesLanguages) ?? [], PageText.all.map(\.frame.language))
        for (index, tag) in tags.enumerated() {
            guard all.contains(tag), !tags[..<index].contains(tag) else {
                let name = ConfigurationKey.pagesLanguages.name
                throw ConfigurationFault("\(name) must contain only \(all.joined(separator: ", ")), each at most once")
            }
        }
        return tags
    }

    /// Reads the values of the tweaks with these IDs.
    mutating func readTweaks(_ ids: [String], in values: ConfigurationValues) throws(ConfigurationFault) {
        for id in ids {
            guard let text = try values.text(.tweaks.of(id)) else { continue }
            // `log-level` is an alias of the tweak: the source with the higher precedence wins.
            if id == ServiceTweaks.logLevel,
                try values.isSet(.logLevel, before: .tweaks.of(id))
            {
                continue
            }
            tweaks[id] = text
        }
    }

    private static func networks(_ key: ConfigurationKey, in values: ConfigurationValues)
        throws(ConfigurationFault) -> [IPNetwork]
    {
        var networks: [IPNetwork] = []
        for text in try values.list(key) ?? [] {
            guard let network = IPNetwork(text) else {
                throw ConfigurationFault(
                    "\(key.name): \(ShownArgument(text)) is not an address or a network, for example 10.0.0.0/8"
                )
            }
            if let mistake = network.mistake { throw ConfigurationFault("\(key.name): \(mistake)") }
            networks.append(network)
        }
        return networks
    }

    /// Reads host names in lower case, or addresses, without a scheme and a port.
    private static func hosts(_ key: ConfigurationKey, in values: ConfigurationValues)
        throws(ConfigurationFault) -> [String]
    {
        let hosts = try values.list(key) ?? []
        for host in hosts where (try? EndpointURL("https://\(host)/"))?.host != host {
            throw ConfigurationFault(
                "\(key.name): \(ShownArgument(host)) is not a host name in lower case without scheme and port"
            )
        }
        return hosts
    }

    private static func publicURL(in values: ConfigurationValues, _ listen: ListenAddress, hasTLS: Bool)
        throws(ConfigurationFault) -> String
    {
        guard let text = try values.text(.publicURL) else {
            guard listen.isOfThisMachine, case .host(_, let port) = listen else {
                throw ConfigurationFault("public-url is required unless listen is a loopback address")
            }
            return "\(hasTLS ? "https" : "http")://localhost:\(port)"
        }
        guard let url = try? EndpointURL(text, allowsLoopbackHTTP: true),
            text == url.origin || text == url.origin + "/"
        else {
            throw ConfigurationFault(
                "public-url must be an https origin in lower case without a path, for example https://login.example.com; http is allowed only for a loopback host"
            )
        }
        return url.origin
    }

    private static func tls(in values: ConfigurationValues) throws(ConfigurationFault) -> TLSFiles? {
        switch (try values.text(.certificate), try values.secretFile(.certificateKey)) {
        case (let certificate?, let key?): return TLSFiles(certificate: certificate, key: key)
        case (nil, nil): return nil
        case (nil, _): throw ConfigurationFault("tls.certificate-file is required with tls.key-file")
        case (_, nil): throw ConfigurationFault("tls.key-file is required with tls.certificate-file")
        }
    }

    /// Reads unique names of lower-case letters, digits and hyphens, which become parts of URLs and keys.
    private static func names(_ key: ConfigurationKey, in values: ConfigurationValues)
        throws(ConfigurationFault) -> [String]
    {
        let names = try values.list(key) ?? []
        for (index, name) in names.enumerated() {
            guard name.wholeMatch(of: /[a-z0-9][a-z0-9\-]{0,31}/) != nil else {
                throw ConfigurationFault(
                    "\(key.name): \(ShownArgument(name)) is not a valid name; use at most 32 lower-case letters, digits and hyphens"
                )
            }
            guard !names[..<index].contains(name) else {
                throw ConfigurationFault("\(key.name): \(name) is listed twice")
            }
        }
        return names
    }
}

extension ServiceConfiguration.ProviderSettings {
    init(_ name: String, in values: ConfigurationValues) throws(ConfigurationFault) {
        guard !["password", "phone", "second-factor"].contains(name) else {
            throw ConfigurationFault("providers: \(name) is a reserved name; choose another one")
        }
        self.name = name
        let kindKey = ConfigurationKey.providerKind.of(name)
        kind = try values.choice(kindKey).flatMap { Kind(rawValue: $0) } ?? Kind(rawValue: name) ?? .openid
        guard (kind == .facebook) == (name == "facebook") else {
            throw ConfigurationFault(
                "\(kindKey.name): a provider of the kind facebook must have the name facebook, and no other kind can have it"
            )
        }
        title = try values.text(.providerTitle.of(name))
        logoFile = try values.text(.providerLogo.of(name))
        issuer = try values.text(.providerIssuer.of(name))
        if kind == .openid, issuer == nil {
            throw ConfigurationFault("\(ConfigurationKey.providerIssuer.of(name).name) is required for the kind openid")
        }
        documents = try ServiceConfiguration.DocumentSettings(.provider, of: name, in: values)
        allowsLoopbackHTTP = try values.flag(.providerLoopback.of(name))
        emailDomains = try Self.emailDomains(of: name, in: values)
        permissions = Set((try values.list(.providerPermissions.of(name)) ?? []).map(Permission.init(rawValue:)))
        if kind == .facebook, permissions.isEmpty { permissions = [ServiceConfiguration.Defaults.permission] }
        permissionReasons = [:]
        for permission in permissions {
            permissionReasons[permission] = try values.text(.providerReason.of(name).of(permission.rawValue))
        }
        tracking =
            try values.choice(.providerTracking.of(name)).flatMap { LoginTracking(rawValue: $0) }
            ?? ServiceConfiguration.Defaults.tracking
        graphVersion = try values.text(.providerGraphVersion.of(name)) ?? FacebookApp.defaultGraphVersion
        protection = try ServiceConfiguration.ProtectionSettings(of: name, in: values)
        limits = try values.tokenLimits(.providerTokenBytes.of(name), .providerHeaderBytes.of(name))
        authenticationTime = try values.choice(.providerAuthenticationTime.of(name)).flatMap { .init(rawValue: $0) }
        if kind == .openid {
            browserAlgorithm = try values.choice(.providerBrowserAlgorithm.of(name)).flatMap { .init(rawValue: $0) }
            appAlgorithm = try values.choice(.providerAppAlgorithm.of(name)).flatMap { .init(rawValue: $0) }
        }
        if kind == .facebook {
            audiences = try values.list(.providerApps.of(name)) ?? []
            guard let first = audiences.first else {
                throw ConfigurationFault(
                    "\(ConfigurationKey.providerApps.of(name).name) must contain at least one app ID"
                )
            }
            clientID = first
            secretFile = try values.secretFile(.providerAppSecret.of(name))
        } else {
            guard let id = try values.text(.providerClientID.of(name)) else {
                throw ConfigurationFault("\(ConfigurationKey.providerClientID.of(name).name) is required")
            }
            clientID = id
            audiences = try values.list(.providerAudiences.of(name)) ?? [id]
            secretFile = try values.secretFile(.providerSecret.of(name))
        }
        client = try ServiceConfiguration.ClientSettings(of: name, in: values)
        try checkTokenSecret()
        try checkClient()
    }

    /// Checks that there is a client secret if ID tokens are signed with it, and that it is that of the only client.
    private func checkTokenSecret() throws(ConfigurationFault) {
        let secretKey = ConfigurationKey.providerSecret.of(name).name
        if kind == .line, secretFile == nil { throw ConfigurationFault("\(secretKey) is required for the kind line") }
        for (key, algorithm) in [
            (ConfigurationKey.providerBrowserAlgorithm, browserAlgorithm), (.providerAppAlgorithm, appAlgorithm),
        ] where algorithm != nil && secretFile == nil {
            throw ConfigurationFault("\(key.of(name).name) requires \(secretKey)")
        }
        guard appAlgorithm == nil || audiences == [clientID] else {
            throw ConfigurationFault(
                "\(ConfigurationKey.providerAppAlgorithm.of(name).name): the secret is that of one client, so \(ConfigurationKey.providerAudiences.of(name).name) must be the client ID"
            )
        }
    }

    /// Reads the domains for which the provider's `email_verified` is trusted; nil for the default of its kind.
    private static func emailDomains(of name: String, in values: ConfigurationValues)
        throws(ConfigurationFault) -> Set<String>?
    {
        let key = ConfigurationKey.providerEmailDomains.of(name)
        guard let domains = try values.list(key) else { return nil }
        for domain in domains where domain != "*" && !isDomain(domain) {
            throw ConfigurationFault(
                "\(key.name): \(ShownArgument(domain)) is not a domain in lower case and in ASCII form (xn--…), for example example.com"
            )
        }
        guard domains == ["*"] || !domains.contains("*") else {
            throw ConfigurationFault("\(key.name): * must be the only element, because it stands for all domains")
        }
        return Set(domains)
    }
}

extension ServiceConfiguration.PolicySettings {
    init(
        _ name: String,
        of providers: [ServiceConfiguration.ProviderSettings],
        in values: ConfigurationValues
    ) throws(ConfigurationFault) {
        let key = ConfigurationKey.policyProvider.of(name).name
        guard !providers.contains(where: { $0.name == name }) else {
            throw ConfigurationFault("policies: \(name) is already the policy of a provider; choose another name")
        }
        guard let provider = try values.text(.policyProvider.of(name)) else {
            throw ConfigurationFault("\(key) is required")
        }
        guard providers.contains(where: { $0.name == provider }) else {
            let nearest = ConfigurationNames.nearest(to: provider, of: providers.map(\.name))
            throw ConfigurationFault("\(key): unknown provider" + (nearest.map { "; did you mean \($0)?" } ?? ""))
        }
        self.name = name
        self.provider = provider
        audiences = try values.list(.policyAudiences.of(name))
        maximumAge = try values.number(.policyAge.of(name)).map { .seconds($0) }
        nonce =
            try values.choice(.policyNonce.of(name)).flatMap { VerificationPolicy.Nonce(rawValue: $0) }
            ?? ServiceConfiguration.Defaults.nonce
    }
}

extension ServiceConfiguration.AdminSettings {
    init?(in values: ConfigurationValues) throws(ConfigurationFault) {
        let hosts = try values.list(.adminHosts) ?? []
        let tokenFile = try values.secretFile(.adminToken)
        guard let text = try values.text(.adminListen) else {
            // A credential of systemd has no key, and may be left from an earlier configuration.
            guard try values.text(.adminToken) == nil, hosts.isEmpty else {
                let key: ConfigurationKey = hosts.isEmpty ? .adminToken : .adminHosts
                throw ConfigurationFault("\(key.name) requires admin.listen; without it, there is no admin page")
            }
            return nil
        }
        guard let listen = ServiceConfiguration.ListenAddress(text) else {
            throw ConfigurationFault(
                "admin.listen must be unix: and an absolute path of at most 103 bytes, or host:port, for example 127.0.0.1:9090"
            )
        }
        guard listen.isOfThisMachine else {
            throw ConfigurationFault(
                "admin.listen must be a Unix socket or a loopback address, for example 127.0.0.1:9090"
            )
        }
        if case .host = listen, tokenFile == nil {
            throw ConfigurationFault("admin.token-file is required unless admin.listen is a Unix socket")
        }
        for host in hosts where !isDomain(host) {
            throw ConfigurationFault(
                "admin.hosts: \(ShownArgument(host)) is not a host name in lower case without a port"
            )
        }
        self.init(listen: listen, tokenFile: tokenFile, hosts: hosts)
    }
}

extension ServiceConfiguration.ProxySettings {
    init?(in values: ConfigurationValues) throws(ConfigurationFault) {
        let exceptions = try values.list(.proxyExceptions) ?? []
        guard let url = try values.text(.proxy) else {
            // A credential of systemd has no key, and may be left from an earlier configuration.
            guard try values.text(.proxyCredentials) == nil, exceptions.isEmpty else {
                let key: ConfigurationKey = exceptions.isEmpty ? .proxyCredentials : .proxyExceptions
                throw ConfigurationFault("\(key.name) requires \(ConfigurationKey.proxy.name)")
            }
            return nil
        }
        for exception in exceptions where !isDomain(exception) && IPNetwork(exception) == nil {
            throw ConfigurationFault(
                "\(ConfigurationKey.proxyExceptions.name): \(ShownArgument(exception)) is neither a host name in lower case without a port nor a network"
            )
        }
        self.init(url: url, credentialsFile: try values.secretFile(.proxyCredentials), exceptions: exceptions)
    }
}

/// Returns whether a text is a domain in lower case, of which each label is one (RFC 1123 §2.1), without a dot at the
/// end.
private func isDomain(_ text: String) -> Bool {
    text.utf8.count <= 253
        && text.wholeMatch(of: /(?:[a-z0-9](?:[a-z0-9\-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9\-]{0,61}[a-z0-9])?/)
            != nil
}
#endif
