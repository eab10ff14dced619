// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import LimitedLogin
internal import LoginAccounts
internal import LoginHummingbird
internal import LoginKeys
internal import LoginProviders
internal import LoginTokens
internal import Logging

/// What the service is made of: what the public listener's routes and the operators' page have in common.
struct ServiceParts: Sendable {
    let configuration: ServiceConfiguration
    /// The version of the service, for its OpenAPI document.
    let version: String
    let store: any AccountStore
    let auth: Auth
    let keys: KeyCache
    let providers: SignInProviders
    /// The app at Facebook whose callbacks are answered; nil where none has a secret.
    let facebookApp: FacebookApp?
    let cache: VerifiedTokenCache
    let settings: ServiceTweaks
    let transport: any HTTPTransport
    /// What sends mail; nil where nobody signs in with a password.
    let mail: MailQueue?
    let metrics: PrometheusMetrics
    let logger: Logger
    let logLevel: LogLevel

    /// Opens the store, brings it to what this version needs, and makes all that stands on it.
    ///
    /// - Parameters:
    ///   - configuration: What it is to be.
    ///   - version: The version of the service.
    ///   - metrics: Who counts.
    ///   - logger: Who is told.
    ///   - logLevel: What operators change.
    ///   - isTrial: Whether all of it stands on a store that keeps nothing, since it is only to be seen whether it can be made.
    /// - Throws: ``ConfigurationFault``, ``StoreError``, ``AuthError``, ``OperationFailure``.
    init(
        _ configuration: ServiceConfiguration,
        version: String,
        metrics: PrometheusMetrics,
        logger: Logger,
        logLevel: LogLevel,
        isTrial: Bool = false
    ) async throws {
        // What is wrong with the configuration is said first: the store may be down.
        let isNew = try configuration.isNewFile
        let secrets = try configuration.secrets(makesFile: !isTrial)
        let transport = try configuration.transport()
        let declared = try configuration.signInProviders()
        let keys = try Self.keyCache(configuration, declared, transport, metrics, logger)
        let cache = VerifiedTokenCache()
        let mail = configuration.mailCommand.map {
            MailQueue(CommandMailer(command: $0, publicURL: configuration.publicURL), logger: logger)
        }
        let facebookApp = try configuration.facebookApp()
        let providers = try Self.providers(configuration, declared, keys, transport, cache, metrics, logger)
        let store = try await isTrial ? configuration.trialStore() : configuration.openStore()
        if !isTrial {
            try configuration.makeDirectory(configuration.keysDirectory, for: .keysDirectory)
            configuration.tell(logger, isNew: isNew)
        }
        let auth = Auth(store: store, providers: providers, secrets: secrets, mail: mail)
        // A server with other keys than the one before would sign everybody out.
        try await auth.checkSecrets()
        let settings = try ServiceTweaks(
            Tweaks(auth: auth, logger: logger),
            providers: configuration.providers.map(\.name)
        ) {
            Self.words(for: keys.refresh())
        }
        settings.tweaks.take(file: configuration.tweaks)
        do throws(TweakError) {
            try await settings.tweaks.load()
        } catch {
            throw OperationFailure("the tweaks cannot be read: \(error)")
        }
        self.configuration = configuration
        self.version = version
        self.store = store
        self.auth = auth
        self.keys = keys
        self.providers = providers
        self.facebookApp = facebookApp
        self.cache = cache
        self.settings = settings
        self.transport = transport
        self.mail = mail
        self.metrics = metrics
        self.logger = logger
        self.logLevel = logLevel
        follow()
    }

    /// Has what operators change take effect, now and from now on.
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
            try keys.reconfigure(settings.keys.times)
        } catch {
            logger.error("The times of the key cache are not changed", metadata: ["keys.reason": "\(error)"])
        }
    }

    private func applyProviders() {
        var changed = providers.settings
        changed.leeway = settings.tokens.leeway.currentValue
        changed.disabled = Set(configuration.providers.filter { !settings.isEnabled($0.name) }.map(\.id))
        do throws(PolicyError) {
            try providers.apply(changed)
        } catch {
            logger.error("provider settings not applied", metadata: ["providers.reason": "\(error)"])
        }
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
        do throws(LoginManagerError) {
            return try SignInProviders(
                declared,
                keys: keys,
                transport: transport,
                policies: configuration.verificationPolicies,
                cache: cache,
                onVerdict: { verdicts[$0]?.record($1) },
                onAvailability: OutageLog.metadata(to: logger)
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
        keys.allowsLoopbackHTTP = declared.contains(where: \.allowsLoopbackHTTP)
        keys.keySetHosts = configuration.keysHosts
        do throws(KeyCacheError) {
            return try KeyCache(
                providers: declared.map(\.provider),
                transport: transport,
                configuration: keys,
                store: KeyDirectory(path: configuration.keysDirectory),
                observers: [.logging(logger), .metrics(metrics)]
            )
        } catch {
            throw ConfigurationFault("providers: \(error)")
        }
    }

    private static func words(for refreshes: [KeyRefresh]) -> String {
        guard !refreshes.isEmpty else { return "There are no providers." }
        return refreshes.map { refresh in
            switch refresh.outcome {
            case .begun: "\(refresh.provider): its keys are being fetched."
            case .underWay: "\(refresh.provider): its keys were being fetched already."
            case .tooSoon(let wait):
                "\(refresh.provider): asked just now; again in \(wait.components.seconds + 1) s."
            case .unavailable: "\(refresh.provider): cannot be asked now."
            }
        }.joined(separator: " ")
    }
}
#endif
