// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import LimitedLogin
internal import LimitedLoginHTTP
internal import LoginAccounts
internal import LoginHTTP
internal import LoginKeys
internal import LoginPages
internal import LoginProviders
internal import LoginTokens
internal import Logging
internal import Metrics
internal import Tweaks
internal import TweaksHummingbird

/// The components of the service, shared by the public routes and the admin page.
struct ServiceParts: Sendable {
    let configuration: ServiceConfiguration
    /// The version of the service in its OpenAPI document.
    let version: String
    let store: any AccountStore
    /// The service, with the accounts, their providers and the keys.
    let login: LoginService
    /// The options of the pages.
    let pages: SignInPagesOptions
    let cache: VerifiedTokenCache
    /// The secrets of the APIs that have one, by their names.
    let apiSecrets: [String: APISecret]
    /// The files of all secrets, as they were when the secrets were read.
    let secretFiles: SecretFiles
    /// The ledger of used DPoP proofs, which all instances on the store share.
    let proofLedger: StoredDPoPLedger
    /// The server nonces that DPoP proofs need; nil if they need none.
    let proofNonces: DPoPNonces?
    let settings: ServiceTweaks
    let transport: any HTTPTransport
    /// The queue of outgoing mail; nil if sign-in with passwords is off.
    let mail: MessageQueue<EmailMessage>?
    /// The queues of codes to phones; nil if no program sends them.
    let codes: CodeQueues?
    let metrics: PrometheusMetrics
    let logger: Logger
    let logLevel: LogLevel

    /// Opens and migrates the store, and creates the components that use it.
    ///
    /// - Parameters:
    ///   - configuration: The configuration.
    ///   - version: The version of the service.
    ///   - metrics: The metrics factory.
    ///   - logger: The logger.
    ///   - logLevel: The log level, which operators can change.
    ///   - isTrial: Whether an empty in-memory store replaces the configured one, to check the configuration without
    ///     side effects.
    /// - Throws: ``ConfigurationFault``, ``StoreError``, ``AuthError``, ``OperationFailure``.
    init(
        _ configuration: ServiceConfiguration,
        version: String,
        metrics: PrometheusMetrics,
        logger: Logger,
        logLevel: LogLevel,
        isTrial: Bool = false
    ) async throws {
        // Errors of the configuration are reported first: the store may be unavailable.
        let isNew = try configuration.isNewFile
        secretFiles = SecretFiles(configuration.secretFiles)
        let secrets = try configuration.secrets(makesFile: !isTrial)
        proofNonces = try configuration.requiresProofNonces ? secrets.proofNonces() : nil
        let pages = try configuration.pagesOptions()
        let transport = try configuration.transport()
        let declared = try configuration.signInProviders()
        apiSecrets = try configuration.apiSecrets()
        let keys = try Self.keyCache(configuration, declared, transport, metrics, logger)
        let cache = VerifiedTokenCache()
        let mail = configuration.mailQueue(logger)
        let codes = configuration.codeQueues(logger)
        let facebookApp = try configuration.facebookApp()
        let providers = try Self.providers(configuration, declared, keys, transport, cache, metrics, logger)
        let store = try await isTrial ? configuration.trialStore() : configuration.openStore()
        if !isTrial {
            try configuration.makeDirectory(configuration.keysDirectory, for: .keysDirectory)
            configuration.logStore(to: logger, isNew: isNew)
        }
        let auth = Auth(
            store: store,
            providers: providers,
            secrets: secrets,
            policy: configuration.authPolicy,
            mail: mail,
            phoneCodes: codes,
            allowsPhoneSignIn: configuration.allowsPhoneSignIn
        )
        // Different encryption keys would end every session.
        try await auth.checkSecrets()
        let settings = try await Self.settings(configuration, auth, keys, logger)
        self.configuration = configuration
        self.version = version
        (self.store, proofLedger) = (store, StoredDPoPLedger(store: store))
        var login = Self.service(configuration, auth, keys, settings.limits, metrics, logger)
        login.api.facebookApp = facebookApp
        self.login = login
        self.pages = pages
        self.cache = cache
        self.settings = settings
        self.transport = transport
        self.mail = mail
        self.codes = codes
        self.metrics = metrics
        self.logger = logger
        self.logLevel = logLevel
        follow()
    }

    /// Returns the tweaks, with the values of the configuration and of the store.
    private static func settings(
        _ configuration: ServiceConfiguration,
        _ auth: Auth,
        _ keys: KeyCache,
        _ logger: Logger
    ) async throws -> ServiceTweaks {
        let settings = try ServiceTweaks(
            Tweaks(
                persistence: AccountTweaks(auth),
                onProblem: { $0.log(to: logger) },
                onChange: { $0.log(to: logger) }
            ),
            providers: configuration.switches
        ) {
            Self.words(for: keys.refresh())
        }
        settings.tweaks.replaceFileValues(with: configuration.tweaks)
        do throws(TweakError) {
            try await settings.tweaks.load()
        } catch {
            throw OperationFailure("the tweaks cannot be read: \(error)")
        }
        return settings
    }

    /// Returns the service, whose limits follow the tweaks.
    private static func service(
        _ configuration: ServiceConfiguration,
        _ auth: Auth,
        _ keys: KeyCache,
        _ limits: ServiceTweaks.LimitTweaks,
        _ metrics: PrometheusMetrics,
        _ logger: Logger
    ) -> LoginService {
        var login = LoginService(publicURL: configuration.publicURL, auth: auth, keys: keys, logger: logger)
        login.api.allowsGuests = configuration.allowsGuests
        login.trustedProxies = configuration.proxies
        login.limits = RequestLimits(
            requests: limits.requests.value,
            verifications: limits.verifications.value,
            forwarded: limits.forwarded.value
        )
        let counters = eventCounters(metrics)
        login.onAccountEvent = { event in counters[event.action]?.increment() }
        return login
    }

    /// The redirect URIs of the providers that browsers use.
    var redirectURIs: [RedirectURI] {
        login.auth.providers.all.filter(\.offersBrowserLogin).map { provider in
            RedirectURI(
                provider: provider.id.rawValue,
                uri: provider.id.redirectURI(at: configuration.publicURL)
            )
        }
    }

    /// Applies the current values of the tweaks, and every later change.
    private func follow() {
        settings.logLevel.observe(includingNow: true) { level in
            logLevel.current = Logger.Level(rawValue: level) ?? .info
        }
        settings.tokens.cachedTokens.observe(includingNow: true) { cache.resize(entries: $0) }
        for tweak in [
            settings.keys.minimumLifetime, settings.keys.maximumLifetime, settings.keys.staleLimit,
            settings.keys.cooldown,
        ] {
            tweak.observe(includingNow: true) { _ in applyKeyTimes() }
        }
        settings.tokens.leeway.observe(includingNow: true) { _ in applyProviders() }
        for tweak in settings.providers.values { tweak.observe(includingNow: true) { _ in applyProviders() } }
    }

    private func applyKeyTimes() {
        do throws(KeyCacheError) {
            try login.keys.reconfigure(settings.keys.times)
        } catch {
            logger.error("key cache settings not applied", metadata: ["keys.reason": "\(error)"])
        }
    }

    private func applyProviders() {
        let providers = login.auth.providers
        var changed = providers.settings
        changed.leeway = settings.tokens.leeway.value
        changed.disabled = Set(configuration.providers.filter { !settings.isEnabled($0.name) }.map(\.id))
        if !settings.isEnabled(ProviderID.phone.rawValue) { changed.disabled.insert(.phone) }
        do throws(PolicyError) {
            try providers.apply(changed)
            login.api.resources.replaceAll(with: try apis(leeway: changed.leeway))
        } catch {
            logger.error("provider settings not applied", metadata: ["providers.reason": "\(error)"])
        }
    }

    /// Returns the APIs of the configuration.
    private func apis(leeway: Duration) throws(PolicyError) -> [String: ProtectedResource] {
        var resources: [String: ProtectedResource] = [:]
        for api in configuration.apis {
            let verdicts = VerificationMetrics(provider: api.issuer.provider, factory: metrics)
            let parts = APIParts(
                keys: login.keys,
                secret: apiSecrets[api.name],
                ledger: proofLedger,
                nonces: proofNonces,
                cache: cache,
                transport: transport,
                leeway: leeway,
                trustedProxies: configuration.proxies,
                onVerdict: { verdicts.record($0) }
            )
            resources[api.name] = try api.protectedResource(parts)
        }
        return resources
    }

    private static func providers(
        _ configuration: ServiceConfiguration,
        _ declared: [SignInProvider],
        _ keys: KeyCache,
        _ transport: any HTTPTransport,
        _ cache: VerifiedTokenCache,
        _ metrics: PrometheusMetrics,
        _ logger: Logger
    ) throws(ConfigurationFault) -> SignInProviders {
        let verdicts = Dictionary(
            declared.map { ($0.id, VerificationMetrics(provider: $0.provider, factory: metrics)) }
        ) { first, _ in first }
        for provider in configuration.providers {
            guard let notice = provider.graphVersionNotice(at: SystemClock().now) else { continue }
            logger.log(level: notice.level, notice.message, metadata: notice.metadata)
        }
        do throws(LoginManagerError) {
            return try SignInProviders(
                declared,
                keys: keys,
                transport: transport,
                policies: configuration.verificationPolicies,
                cache: cache,
                onVerdict: { verdicts[$0]?.record($1) },
                observers: [.logging(logger), .metrics(of: declared.map(\.id), factory: metrics)]
            )
        } catch {
            throw ConfigurationFault("providers: \(error)")
        }
    }

    private static func keyCache(
        _ configuration: ServiceConfiguration,
        _ declared: [SignInProvider],
        _ transport: any HTTPTransport,
        _ metrics: PrometheusMetrics,
        _ logger: Logger
    ) throws(ConfigurationFault) -> KeyCache {
        var keys = KeyCacheConfiguration()
        keys.keySetHosts = configuration.keysHosts
        keys.keySetLimits = configuration.keySetLimits
        let providers = try configuration.keyProviders(beside: declared.filter(\.usesKeys).map(\.provider))
        do throws(KeyCacheError) {
            return try KeyCache(
                providers: providers,
                transport: transport,
                configuration: keys,
                store: KeyDirectory(path: configuration.keysDirectory),
                observers: [.logging(logger), .metrics(metrics)]
            )
        } catch {
            throw ConfigurationFault("providers: \(error)\(loopbackRemedy(declared))")
        }
    }

    /// Returns the counters of all account events: a counter that starts at zero shows the first increase.
    private static func eventCounters(_ metrics: PrometheusMetrics) -> [AuditAction: Counter] {
        let counters = AuditAction.all.map { action in
            let labels = [("action", action.rawValue)]
            return (action, Counter(label: "login_account_events_total", dimensions: labels, factory: metrics))
        }
        return Dictionary(counters) { first, _ in first }
    }

    /// Returns the end of a message that names the key for `http` of the first provider that needs it; empty if none
    /// does.
    private static func loopbackRemedy(_ declared: [SignInProvider]) -> String {
        let refused = declared.first { one in
            var allowed = one.provider
            allowed.allowsLoopbackHTTP = true
            return (try? KeyCache.check(one.provider)) == nil && (try? KeyCache.check(allowed)) != nil
        }
        guard let refused else { return "" }
        return "; \(ConfigurationKey.providerLoopback.of(refused.id.rawValue).name) allows it, for development"
    }

    private static func words(for refreshes: [KeyRefresh]) -> String {
        guard !refreshes.isEmpty else { return "No providers are configured." }
        return refreshes.map { refresh in
            switch refresh.outcome {
            case .begun: "\(refresh.provider): keys are being fetched."
            case .underWay: "\(refresh.provider): keys were already being fetched."
            case .tooSoon(let wait):
                "\(refresh.provider): keys were requested just now; try again in \(wait.components.seconds + 1) s."
            case .unavailable: "\(refresh.provider): keys cannot be requested now."
            }
        }.joined(separator: " ")
    }
}
#endif
