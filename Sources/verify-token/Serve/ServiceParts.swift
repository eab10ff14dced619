// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine && Hummingbird
internal import Foundation
internal import LoginAccounts
internal import LoginCrypto
internal import LoginHummingbird
internal import LoginKeys
internal import LoginTokens
internal import Logging

/// What the service is made of: what the public listener's routes and the operators' page have in common.
struct ServiceParts: Sendable {
    let configuration: ServiceConfiguration
    let store: any AccountStore
    let auth: Auth
    let keys: KeyCache
    let providers: ServiceProviders
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
    /// - Throws: ``ConfigurationFault``, ``StoreError``, ``AuthError``.
    init(
        _ configuration: ServiceConfiguration,
        metrics: PrometheusMetrics,
        logger: Logger,
        logLevel: LogLevel
    ) async throws {
        let store = try configuration.openStore()
        try await store.migrate()
        let transport = AsyncHTTPClientTransport()
        let keys = try Self.keyCache(configuration, transport, metrics, logger)
        let cache = VerifiedTokenCache()
        if configuration.mailCommand != nil { CommandMailer.prepare() }
        let mail = configuration.mailCommand.map {
            MailQueue(CommandMailer(command: $0, publicURL: configuration.publicURL), logger: logger)
        }
        let providers = try ServiceProviders(
            configuration,
            keys: keys,
            cache: cache,
            transport: transport,
            mail: mail
        )
        let auth = Auth(
            store: store,
            providers: try providers.apply(leeway: .seconds(30)) { _ in true },
            secrets: try configuration.secrets()
        )
        // A server with other keys than the one before would sign everybody out.
        try await auth.checkSecrets()
        let settings = try ServiceTweaks(
            Tweaks(auth: auth, logger: logger),
            providers: configuration.providers.map(\.name)
        ) {
            Self.words(for: keys.refresh())
        }
        settings.tweaks.take(file: configuration.tweaks)
        try await settings.tweaks.load()
        self.configuration = configuration
        self.store = store
        self.auth = auth
        self.keys = keys
        self.providers = providers
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
        do throws(ConfigurationFault) {
            auth.replaceProviders(
                try providers.apply(leeway: settings.tokens.leeway.currentValue) { settings.isEnabled($0) }
            )
        } catch {
            logger.error("The providers are not changed", metadata: ["providers.reason": "\(error)"])
        }
    }

    private static func keyCache(
        _ configuration: ServiceConfiguration,
        _ transport: any HTTPTransport,
        _ metrics: PrometheusMetrics,
        _ logger: Logger
    ) throws(ConfigurationFault) -> KeyCache {
        var keys = KeyCacheConfiguration()
        keys.allowsLoopbackHTTP = configuration.providers.contains { $0.allowsLoopbackHTTP }
        do throws(KeyCacheError) {
            return try KeyCache(
                providers: configuration.providers.map(\.provider),
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

extension ServiceConfiguration {
    /// The store, as the other commands open it.
    fileprivate func openStore() throws(ConfigurationFault) -> any AccountStore {
        var options = StoreOptions()
        options.store = store
        options.schema = storeSchema
        do {
            try options.validate()
            if !options.isDatabase {
                try FileManager.default.createDirectory(
                    at: URL(filePath: store).deletingLastPathComponent(),
                    withIntermediateDirectories: true,
                    attributes: [.posixPermissions: 0o700]
                )
            }
            return try options.open(makesFile: true)
        } catch {
            throw ConfigurationFault("store: \(printable("\(error)"))")
        }
    }

    /// The keys that close what the store keeps; beside a SQLite file that is new they are made.
    fileprivate func secrets() throws(ConfigurationFault) -> AccountSecrets {
        var options = StoreOptions()
        options.store = store
        let beside = options.isDatabase ? nil : URL(filePath: store).deletingLastPathComponent().path + "/accounts.keys"
        guard let path = secretsFile ?? beside else {
            throw ConfigurationFault("secrets-file: it must be said, since all servers of one database have the same")
        }
        if beside != nil, secretsFile == nil || !FileManager.default.fileExists(atPath: path) {
            try SecretFile.makeKeys(at: path) { randomBytes(count: $0) }
        }
        do throws(AccountSecretsFileError) {
            return try AccountSecrets(contentsOf: path)
        } catch {
            throw ConfigurationFault("secrets-file: \(error)")
        }
    }
}
#endif
