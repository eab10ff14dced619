// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine && Hummingbird
internal import LimitedLogin
internal import LoginAccounts
internal import LoginKeys
internal import LoginProviders
internal import LoginTokens
internal import Metrics
internal import Synchronization

/// The providers of the configuration, as verifiers: made anew where an operator changes what they depend on.
final class ServiceProviders: Sendable {
    private let configuration: ServiceConfiguration
    private let keys: any KeySource
    private let cache: VerifiedTokenCache
    private let graphs: [String: GraphAPI]
    private let verdicts: [String: VerificationMetrics]

    /// The app at Facebook, whose callbacks are answered; nil where none has a secret.
    let facebookApp: FacebookApp?

    private let mail: (any EmailSender)?
    private let table: Mutex<[String: TokenVerifier]>

    /// - Throws: ``ConfigurationFault`` where a policy cannot be so.
    init(
        _ configuration: ServiceConfiguration,
        keys: any KeySource,
        cache: VerifiedTokenCache,
        transport: any HTTPTransport,
        mail: (any EmailSender)?,
        metrics: any MetricsFactory
    ) throws(ConfigurationFault) {
        self.configuration = configuration
        let verdicts = configuration.providers.map { settings in
            (settings.name, VerificationMetrics(provider: settings.provider, factory: metrics))
        }
        self.verdicts = Dictionary(verdicts) { first, _ in first }
        self.keys = keys
        self.cache = cache
        self.mail = mail
        var graphs: [String: GraphAPI] = [:]
        var callbacks: FacebookApp?
        for settings in configuration.providers where settings.kind == .facebook {
            let secret = try settings.secret()
            do throws(FacebookAppError) {
                let app = try FacebookApp(id: settings.clientID, secret: secret)
                graphs[settings.name] = GraphAPI(app: app, transport: transport)
                if secret != nil { callbacks = callbacks ?? app }
            } catch {
                throw ConfigurationFault("\(ConfigurationKey.providerApps.name(settings.name)): \(error)")
            }
        }
        self.graphs = graphs
        facebookApp = callbacks
        table = Mutex([:])
        _ = try apply(leeway: .seconds(30)) { _ in true }
    }

    /// What verifies tokens under one of the names of the configuration, whether or not anybody signs in with that provider now.
    func verifier(named name: String) -> TokenVerifier {
        guard let verifier = table.withLock({ $0[name] }) else {
            preconditionFailure("\(name) is no provider and no policy of the configuration")
        }
        return verifier
    }

    /// Makes all verifiers anew.
    ///
    /// - Parameters:
    ///   - leeway: How far clocks may disagree.
    ///   - isEnabled: Whether a provider of this name is switched on.
    /// - Returns: What accounts are told of.
    /// - Throws: ``ConfigurationFault`` where a policy cannot be so; what was before counts on then.
    func apply(leeway: Duration, isEnabled: (String) -> Bool) throws(ConfigurationFault) -> [AuthProvider] {
        var table: [String: TokenVerifier] = [:]
        var accounts: [AuthProvider] = mail.map { [.password($0)] } ?? []
        for settings in configuration.providers {
            let verifier = try verifier(for: settings, leeway: leeway)
            table[settings.name] = verifier
            guard isEnabled(settings.name) else { continue }
            accounts.append(
                settings.kind == .facebook
                    ? .federated(.facebook(verifier: verifier, graph: graphs[settings.name]))
                    : .openID(settings.id, verifier: verifier, emailTrust: settings.emailTrust)
            )
        }
        for policy in configuration.policies {
            guard var settings = configuration.providers.first(where: { $0.name == policy.provider }) else { continue }
            settings.audiences = policy.audiences
            table[policy.name] = try verifier(for: settings, leeway: leeway, maximumAge: policy.maximumAge)
        }
        self.table.withLock { $0 = table }
        return accounts
    }

    private func verifier(
        for settings: ServiceConfiguration.ProviderSettings,
        leeway: Duration,
        maximumAge: Duration? = nil
    ) throws(ConfigurationFault) -> TokenVerifier {
        do throws(PolicyError) {
            let policy = try TokenPolicy(
                provider: settings.provider,
                audiences: settings.audiences,
                algorithms: [.rs256, .es256],
                leeway: leeway,
                maximumAge: maximumAge
            )
            var verifier = TokenVerifier(policy: policy, keys: keys, cache: cache)
            verifier.onVerdict = { [verdicts = verdicts[settings.name]] in verdicts?.record($0) }
            return verifier
        } catch {
            throw ConfigurationFault("provider.\(settings.name): \(error)")
        }
    }
}

extension ServiceConfiguration.ProviderSettings {
    /// The name under which its logins are kept.
    var id: ProviderID { kind == .facebook ? .facebook : ProviderID(name) }

    /// The provider.
    var provider: Provider {
        switch kind {
        case .facebook: .facebook
        case .google: .google
        case .apple: .apple
        case .openid: Provider(name: name, issuers: [issuer ?? ""], reauthentication: reauthentication)
        }
    }

    /// How a provider of the kind `openid` authenticates users again.
    private var reauthentication: Provider.Reauthentication {
        var reauthentication = Provider.Reauthentication.openID
        if let authenticationTime { reauthentication.authenticationTime = authenticationTime }
        return reauthentication
    }

    /// How far an address is believed that the provider calls verified.
    ///
    /// Google itself says that it stands for an address only of its own domain, and only as long as it is; Apple's are forwarded by
    /// it. Of others nobody knows.
    fileprivate var emailTrust: SignInProvider.EmailTrust {
        switch (kind, emailDomains) {
        case (.facebook, _): .never
        case (_, let domains?): domains.contains("*") ? .verifiedClaimOfAnyDomain : .verifiedClaim(domains: domains)
        case (.google, nil): .verifiedClaim(domains: ["gmail.com", "googlemail.com"])
        case (.apple, nil): .verifiedClaimOfAnyDomain
        case (.openid, nil): .never
        }
    }

    /// The secret of the registration; nil where none is configured.
    func secret() throws(ConfigurationFault) -> String? {
        guard let secretFile else { return nil }
        let key: ConfigurationKey = kind == .facebook ? .providerAppSecret : .providerSecret
        return try SecretFile.read(secretFile, key: key.name(name))
    }
}
#endif
