// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine && Hummingbird
internal import LimitedLogin
internal import LoginAccounts
internal import LoginHummingbird
internal import LoginProviders
internal import LoginTokens
internal import Logging
internal import ServiceLifecycle
internal import Synchronization

/// Where people log in at one provider: what it says about itself is asked when somebody first wants to, and again each day.
///
/// So the service begins without its providers, and a provider that cannot be asked is in nobody's way but of those who log in there.
final class ProviderDoor: Service {
    /// What is known of the provider.
    private struct Known {
        var manager: LoginManager?
        /// Why it could not be asked last.
        var fault: (any Error)?
        var origins: [String]
        /// Who waits for the first answer.
        var waiting: [CheckedContinuation<LoginManager, any Error>] = []
    }

    /// How long an answer is good, and after how long a provider is asked again that gave none.
    private static let (freshness, pause) = (Duration.seconds(86_400), Duration.seconds(5))

    private let settings: ServiceConfiguration.ProviderSettings
    private let redirectURL: String
    private let authentication: ClientAuthentication
    /// The app at Facebook, with the secret of the start; nil of other providers.
    private let app: FacebookApp?
    private let attempts: any AttemptStore
    private let keys: any KeySource
    private let transport: any HTTPTransport
    private let logger: Logger
    private let known: Mutex<Known>

    /// - Throws: ``ConfigurationFault`` where its secret cannot be read, or it is no app.
    init(
        _ settings: ServiceConfiguration.ProviderSettings,
        publicURL: String,
        attempts: any AttemptStore,
        keys: any KeySource,
        transport: any HTTPTransport,
        logger: Logger
    ) throws(ConfigurationFault) {
        self.settings = settings
        self.logger = logger
        self.attempts = attempts
        self.keys = keys
        self.transport = transport
        redirectURL = "\(publicURL)/login/\(settings.id.rawValue)/callback"
        let secret = try settings.secret()
        authentication = secret.map { settings.kind == .apple ? .post(secret: $0) : .basic(secret: $0) } ?? .none
        guard settings.kind != .facebook else {
            app = try ProviderDoor.facebookApp(settings.clientID, secret, settings.name)
            // It sends phones on from one host to the other.
            known = Mutex(Known(origins: ["https://www.facebook.com", "https://m.facebook.com"]))
            return
        }
        app = nil
        let issuer = settings.provider.issuers.first ?? ""
        let origin = try? EndpointURL(issuer, allowsLoopbackHTTP: settings.allowsLoopbackHTTP).origin
        known = Mutex(Known(origins: origin.map { [$0] } ?? []))
    }

    private static func facebookApp(_ id: String, _ secret: String?, _ name: String)
        throws(ConfigurationFault) -> FacebookApp
    {
        do throws(FacebookAppError) {
            return try FacebookApp(id: id, secret: secret)
        } catch {
            throw ConfigurationFault("\(ConfigurationKey.providerApps.name(name)): \(error)")
        }
    }

    /// The provider, as the pages have it.
    ///
    /// - Throws: ``ConfigurationFault`` where nobody can be sent there like that.
    func provider() throws(ConfigurationFault) -> BrowserLogin.Provider {
        BrowserLogin.Provider(
            id: settings.id,
            name: settings.title,
            request: try request(),
            postsForm: settings.kind == .apple,
            origins: { self.known.withLock(\.origins) },
            manager: { try await self.manager() }
        )
    }

    private func request() throws(ConfigurationFault) -> LoginRequest {
        do {
            switch settings.kind {
            // Without tracking Facebook answers in the fragment of the address, which no page without a script can read.
            case .facebook: return try .facebook(permissions: [.email], tracking: .enabled)
            case .apple: return try .openID(scopes: ["email", "name"], responseMode: .formPost)
            case .google, .openid: return try .openID(scopes: ["email", "profile"])
            }
        } catch {
            throw ConfigurationFault("provider.\(settings.name): \(error)")
        }
    }

    /// What sends people there; who comes before the provider has answered for the first time waits.
    private func manager() async throws -> LoginManager {
        try await withCheckedThrowingContinuation { continuation in
            let answer: Result<LoginManager, any Error>? = known.withLock { known in
                if let manager = known.manager { return .success(manager) }
                if let fault = known.fault { return .failure(fault) }
                known.waiting.append(continuation)
                return nil
            }
            if let answer { continuation.resume(with: answer) }
        }
    }

    /// Asks the provider for its addresses at the start and once a day, and every few seconds while it does not answer.
    func run() async {
        await cancelWhenGracefulShutdown {
            while true {
                let answer: Result<LoginManager, any Error>
                do {
                    let (manager, origin) = try await self.ask()
                    answer = .success(manager)
                    if let origin { self.note(origin) }
                } catch {
                    answer = .failure(error)
                }
                self.settle(answer)
                let wait = if case .success = answer { Self.freshness } else { Self.pause }
                // Told to end.
                do { try await Task.sleep(for: wait) } catch { return }
            }
        }
    }

    private func note(_ origin: String) {
        known.withLock { known in
            if !known.origins.contains(origin) { known.origins.append(origin) }
        }
    }

    /// Keeps an answer: where there was a good one before, that stays in the place of none.
    private func settle(_ answer: Result<LoginManager, any Error>) {
        let (isNews, waiting) = known.withLock { known in
            var isNews = false
            switch answer {
            case .success(let manager): (known.manager, known.fault) = (manager, nil)
            case .failure(let fault):
                isNews = known.fault == nil
                known.fault = fault
            }
            defer { known.waiting = [] }
            return (isNews, known.waiting)
        }
        if isNews, case .failure(let fault) = answer {
            logger.warning(
                "a provider does not say where people log in",
                metadata: ["provider": "\(settings.name)", "provider.reason": "\(fault)"]
            )
        }
        for continuation in waiting { continuation.resume(with: answer) }
    }

    private func ask() async throws -> (LoginManager, origin: String?) {
        if let app { return (try manager(of: .facebook(app)), nil) }
        let metadata = try await ProviderMetadata.fetch(
            issuer: settings.provider.issuers[0],
            transport: transport,
            allowsLoopbackHTTP: settings.allowsLoopbackHTTP
        )
        let client = LoginClient.openID(
            provider: settings.provider,
            metadata: metadata,
            clientID: settings.clientID,
            authentication: authentication,
            algorithms: [.rs256, .es256]
        )
        return (try manager(of: client), metadata.authorizationEndpoint?.origin)
    }

    private func manager(of client: LoginClient) throws(LoginManagerError) -> LoginManager {
        try LoginManager(
            client: client,
            redirectURL: redirectURL,
            attempts: attempts,
            keys: keys,
            transport: transport,
            allowsLoopbackHTTP: true
        )
    }
}
#endif
