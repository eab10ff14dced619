// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import LoginProviders
internal import LoginTokens

extension ServiceConfiguration {
    /// The settings of the client registration at an identity provider, and of the ID tokens for it.
    struct ClientSettings: Sendable, Hashable {
        /// The tenants whose users can sign in.
        enum Tenants: Sendable, Hashable {
            case listed([String])
            case any
        }

        /// The client authentication at the token endpoint.
        enum Authentication: String, Sendable, Hashable, CaseIterable {
            case basic, post
            case privateKeyJWT = "private-key-jwt"
            case publicClient = "none"
        }

        /// The tenants; nil for other kinds of providers.
        var tenants: Tenants?
        /// The client authentication; nil for the default of the kind.
        var authentication: Authentication?
        /// The path of the private key; nil unless assertions are signed with it.
        var keyFile: String?
        var keyID: String?
        /// The accepted algorithms of ID tokens; nil for the default of the kind.
        var algorithms: Set<SignatureAlgorithm>?
        var trustedAudiences: TrustedAudiences
        var tokenType: SignInProvider.TokenType
        /// The scopes that logins in browsers request; nil for the default of the kind.
        var scopes: Set<String>?
        /// The maximum age of ID tokens; nil for no limit.
        var maximumAge: Duration?
        /// Whether the pages do not offer the provider.
        var isForAppsOnly: Bool
    }
}

extension ServiceConfiguration.ClientSettings {
    /// Reads the settings of a provider.
    init(of name: String, in values: ConfigurationValues) throws(ConfigurationFault) {
        tenants = try Self.tenants(of: name, in: values)
        authentication = try values.choice(.providerAuthentication.of(name)).flatMap { Authentication(rawValue: $0) }
        keyID = try values.text(.providerClientKeyID.of(name))
        if authentication == .privateKeyJWT {
            keyFile = try values.secretFile(.providerClientKey.of(name))
            guard keyFile != nil else {
                let key = ConfigurationKey.providerClientKey.of(name).name
                throw ConfigurationFault("\(key) is required with the client authentication private-key-jwt")
            }
        } else {
            // A credential of systemd has no key, and may be left from an earlier configuration.
            for key in [ConfigurationKey.providerClientKey.of(name), .providerClientKeyID.of(name)] {
                guard try values.text(key) == nil else {
                    let needed = ConfigurationKey.providerAuthentication.of(name).name
                    throw ConfigurationFault("\(key.name) requires \(needed) private-key-jwt")
                }
            }
        }
        algorithms = try Self.algorithms(of: name, in: values)
        trustedAudiences = try Self.trustedAudiences(of: name, in: values)
        tokenType =
            try values.choice(.providerTokenType.of(name)).flatMap { SignInProvider.TokenType(rawValue: $0) }
            ?? .required
        scopes = try values.list(.providerScopes.of(name)).map { Set($0) }
        maximumAge = try values.number(.providerAge.of(name)).map { .seconds($0) }
        isForAppsOnly = try values.flag(.providerAppsOnly.of(name))
    }

    private static func tenants(of name: String, in values: ConfigurationValues)
        throws(ConfigurationFault) -> Tenants?
    {
        let key = ConfigurationKey.providerTenants.of(name)
        guard let tenants = try values.list(key) else { return nil }
        guard tenants != ["*"] else { return .any }
        for (index, tenant) in tenants.enumerated() {
            do throws(PolicyError) { _ = try Provider.microsoft(tenantID: tenant) } catch {
                throw ConfigurationFault(
                    "\(key.name): \(ShownArgument(tenant)) is not a tenant ID, a GUID in lower case; * stands alone for any tenant"
                )
            }
            guard !tenants[..<index].contains(tenant) else {
                throw ConfigurationFault("\(key.name): \(tenant) is listed twice")
            }
        }
        return .listed(tenants)
    }

    private static func algorithms(of name: String, in values: ConfigurationValues)
        throws(ConfigurationFault) -> Set<SignatureAlgorithm>?
    {
        let key = ConfigurationKey.providerAlgorithms.of(name)
        guard let names = try values.list(key) else { return nil }
        var algorithms: Set<SignatureAlgorithm> = []
        for name in names {
            guard let algorithm = SignatureAlgorithm(rawValue: name) else {
                let all = SignatureAlgorithm.allCases.map(\.rawValue).joined(separator: ", ")
                throw ConfigurationFault("\(key.name): \(ShownArgument(name)) is none of \(all)")
            }
            algorithms.insert(algorithm)
        }
        return algorithms
    }

    private static func trustedAudiences(of name: String, in values: ConfigurationValues)
        throws(ConfigurationFault) -> TrustedAudiences
    {
        let key = ConfigurationKey.providerTrustedAudiences.of(name)
        guard let names = try values.list(key) else { return [] }
        guard names != ["*"] else { return .any }
        guard !names.contains("*") else {
            throw ConfigurationFault("\(key.name): * must be the only element, because it stands for all audiences")
        }
        return .listed(names)
    }
}

extension ServiceConfiguration.ProviderSettings {
    /// Checks that the settings of the client fit the kind of the provider and each other.
    ///
    /// - Throws: ``ConfigurationFault`` for a setting that is missing, contradicts another, or has no effect.
    func checkClient() throws(ConfigurationFault) {
        func key(_ key: ConfigurationKey) -> String { key.of(name).name }
        guard (client.tenants != nil) == (kind == .microsoft) else {
            // For other kinds, the key is refused by its name.
            guard kind == .microsoft else { return }
            throw ConfigurationFault(
                "\(key(.providerTenants)) is required for the kind microsoft; * stands for any tenant"
            )
        }
        guard client.tenants != .any || emailDomains?.isEmpty ?? true else {
            throw ConfigurationFault(
                "\(key(.providerEmailDomains)) can only be none with any tenant (*), because anybody can create a tenant"
            )
        }
        let usesSecret = browserAlgorithm != nil || appAlgorithm != nil
        switch client.authentication {
        case .basic, .post:
            guard secretFile != nil else {
                let method = client.authentication?.rawValue ?? ""
                throw ConfigurationFault("\(key(.providerAuthentication)): \(method) requires \(key(.providerSecret))")
            }
        case .privateKeyJWT, .publicClient:
            guard secretFile == nil || usesSecret else {
                throw ConfigurationFault(
                    "\(key(.providerSecret)) has no effect with \(key(.providerAuthentication)) \(client.authentication?.rawValue ?? "")"
                )
            }
        case nil: break
        }
        guard client.trustedAudiences == [] || !usesSecret else {
            throw ConfigurationFault(
                "\(key(.providerTrustedAudiences)): tokens that are signed with a client secret are for this client alone"
            )
        }
        guard client.algorithms == nil || browserAlgorithm == nil || appAlgorithm == nil else {
            throw ConfigurationFault(
                "\(key(.providerAlgorithms)) has no effect, because all tokens are signed with the secret"
            )
        }
    }

    /// Sets what the settings of the client say.
    ///
    /// - Parameter provider: The provider, as its kind has it.
    /// - Throws: ``ConfigurationFault`` if a secret or the private key cannot be used, or a scope is invalid.
    func applyClient(to provider: inout SignInProvider) throws(ConfigurationFault) {
        switch client.authentication {
        case .basic: provider.authentication = try secret().map { .basic(secret: $0) } ?? .none
        case .post: provider.authentication = try secret().map { .post(secret: $0) } ?? .none
        case .privateKeyJWT: provider.authentication = try keyAuthentication()
        case .publicClient: provider.authentication = .none
        case nil: break
        }
        // Facebook has no discovery document.
        if kind == .facebook { provider.algorithms = [.rs256, .es256] }
        if let algorithms = client.algorithms { provider.algorithms = algorithms }
        provider.trustedAudiences = client.trustedAudiences
        provider.tokenType = client.tokenType
        if let scopes = client.scopes {
            do throws(LoginManagerError) {
                provider.request = try .openID(scopes: scopes)
            } catch {
                let key = ConfigurationKey.providerScopes.of(name).name
                throw ConfigurationFault(
                    "\(key): a scope must have 1 to 256 printable characters without spaces, quotation marks and backslashes; at most \(Limits.requestedPermissions) scopes"
                )
            }
        }
        if let maximumAge = client.maximumAge {
            (provider.appMaximumAge, provider.browserMaximumAge) = (maximumAge, maximumAge)
        }
        provider.offersBrowserLogin = !client.isForAppsOnly
    }

    private func keyAuthentication() throws(ConfigurationFault) -> ClientAuthentication {
        let key = ConfigurationKey.providerClientKey.of(name).name
        let pem = try SecretFile.content(client.keyFile ?? "", key: key)
        do throws(PolicyError) {
            return try .privateKeyJWT(pem: pem, keyID: client.keyID)
        } catch {
            throw ConfigurationFault("\(key): \(error.detail)")
        }
    }
}
#endif
