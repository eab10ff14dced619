// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens
internal import Synchronization

/// The identity providers of a server, with the verifiers of ID tokens, discovery and browser logins that are derived
/// from them.
///
/// ```swift
/// let providers = try SignInProviders(
///     [.google(clientID: "client-1", clientSecret: googleSecret)], keys: keys, transport: transport)
/// let auth = Auth(store: store, providers: providers, secrets: secrets)
/// ```
///
/// Accounts, pages and API share one value. ``apply(_:)`` switches providers off and changes the leeway for all of
/// them.
public final class SignInProviders: Sendable {
    /// The settings that an operator may change while the server runs.
    public struct Settings: Sendable, Hashable {
        /// The clock skew that is tolerated: 0 to 300 seconds.
        public var leeway: Duration = .seconds(30)

        /// The providers that are switched off.
        ///
        /// `password` and `phone` can be switched off too. Policies stay in effect: they verify tokens, but sign nobody
        /// in.
        public var disabled: Set<ProviderID> = []

        /// Creates settings: a leeway of 30 seconds, and no provider switched off.
        public init() {}
    }

    /// A provider and the verifier of ID tokens from apps.
    package struct Entry: Sendable {
        /// The provider.
        package let provider: SignInProvider
        /// The verifier.
        package let verifier: TokenVerifier
    }

    private struct State {
        var settings: Settings
        var entries: [ProviderID: Entry]
        var policies: [String: (VerificationPolicy, TokenVerifier)]
    }

    /// The providers, in the order of their declaration.
    public let all: [SignInProvider]

    /// The transport for requests to providers.
    package let transport: any HTTPTransport

    private let keys: any KeySource
    private let cache: VerifiedTokenCache?
    private let clock: any WallClock
    private let onVerdict: (@Sendable (ProviderID, VerificationError?) -> Void)?
    private let observers: [LoginObserver]
    private let policies: [VerificationPolicy]
    private let discoveries: [ProviderID: ProviderDiscovery]
    private let state: Mutex<State>

    /// Creates the providers of a server.
    ///
    /// - Parameters:
    ///   - providers: The providers. Each has a unique name of 1 to 64 bytes, other than `password` and `phone`. Any
    ///     other name is a programming error, and traps.
    ///   - keys: The source of their keys.
    ///   - transport: The transport for requests to them: discovery, token endpoints and APIs.
    ///   - policies: The policies under which clients may have tokens verified; nil for one policy for each provider,
    ///     by its name. Each has a unique name and a declared provider. Anything else is a programming error, and
    ///     traps.
    ///   - cache: The cache of verified tokens; nil for none.
    ///   - clock: The clock for expiry checks.
    ///   - onVerdict: Called with each verdict on an ID token, for metrics. It must not block.
    ///   - observers: The observers of browser logins, and of the providers' metadata.
    /// - Throws: ``LoginManagerError`` if a declaration is invalid: an empty client ID or client secret, an invalid
    ///   issuer, or a duration that is out of range. Errors that only the provider's metadata shows are reported at the
    ///   first login.
    public init(
        _ providers: [SignInProvider],
        keys: any KeySource,
        transport: any HTTPTransport,
        policies: [VerificationPolicy]? = nil,
        cache: VerifiedTokenCache? = nil,
        clock: any WallClock = .system,
        onVerdict: (@Sendable (ProviderID, VerificationError?) -> Void)? = nil,
        observers: [LoginObserver] = []
    ) throws(LoginManagerError) {
        precondition(Set(providers.map(\.id)).count == providers.count, "two providers have the same ID")
        precondition(
            providers.allSatisfy { (1...ProviderID.longestName).contains($0.id.rawValue.utf8.count) },
            "the name of a provider must have 1 to \(ProviderID.longestName) bytes"
        )
        precondition(
            !providers.contains { ["password", "phone"].contains($0.id.rawValue) },
            "password and phone are credentials that the server checks itself"
        )
        if let policies {
            precondition(Set(policies.map(\.name)).count == policies.count, "two policies have the same name")
            let declared = Set(providers.map(\.id))
            precondition(policies.allSatisfy { declared.contains($0.provider) }, "a policy has an undeclared provider")
        }
        for provider in providers { try provider.check() }
        all = providers
        self.keys = keys
        self.transport = transport
        self.cache = cache
        self.clock = clock
        self.onVerdict = onVerdict
        self.observers = observers
        self.policies = policies ?? providers.map { VerificationPolicy($0.id.rawValue, provider: $0.id) }
        var discoveries: [ProviderID: ProviderDiscovery] = [:]
        for provider in providers where provider.ownFlow == nil && provider.metadata == nil {
            discoveries[provider.id] = ProviderDiscovery(
                provider: provider.provider,
                transport: transport
            ) { change in
                let event = LoginEvent(change, of: provider.id)
                for observer in observers { observer.receive(event) }
            }
        }
        self.discoveries = discoveries
        state = Mutex(State(settings: Settings(), entries: [:], policies: [:]))
        do throws(PolicyError) {
            try apply(Settings())
        } catch {
            throw LoginManagerError(.client, "policies: \(error)")
        }
    }

    /// An empty set of providers.
    public static let none: SignInProviders = {
        do throws(LoginManagerError) {
            return try SignInProviders([], keys: KeySnapshot([]), transport: NoTransport())
        } catch {
            preconditionFailure("an empty list of declarations is valid")
        }
    }()

    /// Replaces the settings.
    ///
    /// Requests in flight keep the verifiers they started with. Identities of a provider that is switched off remain
    /// stored. Their users can sign in with another login, and with this one once the provider is switched on again.
    ///
    /// - Parameter settings: The settings.
    /// - Throws: `PolicyError` if the leeway is out of range. The previous settings then stay in use.
    public func apply(_ settings: Settings) throws(PolicyError) {
        var entries: [ProviderID: Entry] = [:]
        for provider in all {
            entries[provider.id] = Entry(
                provider: provider,
                verifier: try verifier(provider.appPolicy(leeway: settings.leeway), of: provider)
            )
        }
        var policies: [String: (VerificationPolicy, TokenVerifier)] = [:]
        for policy in self.policies {
            guard let entry = entries[policy.provider] else {
                preconditionFailure("the initializer has checked the policies' providers")
            }
            var verifier = entry.verifier
            // A policy that takes no attempt has the age that it states itself.
            let hasOtherAge =
                policy.maximumAge != nil || entry.provider.appNonce == .absent && policy.nonce != .required
            if policy.audiences != nil || hasOtherAge {
                let own = try entry.provider.appPolicy(
                    leeway: settings.leeway,
                    audiences: policy.audiences,
                    maximumAge: policy.maximumAge,
                    nonce: policy.nonce
                )
                verifier = try self.verifier(own, of: entry.provider)
            }
            policies[policy.name] = (policy, verifier)
        }
        let new = State(settings: settings, entries: entries, policies: policies)
        state.withLock { $0 = new }
    }

    private func verifier(_ policy: TokenPolicy, of provider: SignInProvider) throws(PolicyError) -> TokenVerifier {
        var verifier = try TokenVerifier(
            policy: policy,
            secret: provider.appSecret,
            otherwise: keys,
            listing: provider.algorithms == nil ? discoveries[provider.id] : nil,
            clock: clock,
            cache: cache
        )
        verifier.onVerdict = observer(of: provider.id)
        return verifier
    }

    private func observer(of id: ProviderID) -> (@Sendable (VerificationError?) -> Void)? {
        guard let onVerdict else { return nil }
        return { onVerdict(id, $0) }
    }

    /// The settings.
    public var settings: Settings { state.withLock { $0.settings } }

    /// The providers that users can sign in with now, in the order of their declaration.
    public var enabled: [SignInProvider] {
        let disabled = settings.disabled
        return all.filter { !disabled.contains($0.id) }
    }

    /// Returns whether this provider, `password` or `phone` is switched on.
    package func isEnabled(_ id: ProviderID) -> Bool {
        state.withLock { !$0.settings.disabled.contains(id) }
    }

    /// Returns a provider and its verifier; nil if it is not declared, or is switched off.
    package func entry(_ id: ProviderID) -> Entry? {
        // A client's text that is longer than any name is not looked up.
        guard id.rawValue.utf8.count <= ProviderID.longestName else { return nil }
        return state.withLock { $0.settings.disabled.contains(id) ? nil : $0.entries[id] }
    }

    /// Returns the user's profile in an identity, for JSON responses; nil if its provider has no profiles.
    ///
    /// A provider that is switched off still has them, since policies stay in effect.
    package func profile(in identity: VerifiedIdentity) -> (any Encodable & Sendable)? {
        all.first { $0.id == identity.providerID }?.profile(identity)
    }

    /// Returns a policy and its verifier; nil if no policy has this name.
    package func policy(named name: String) -> (VerificationPolicy, TokenVerifier)? {
        guard name.utf8.count <= ProviderID.longestName else { return nil }
        return state.withLock { $0.policies[name] }
    }
}

extension SignInProviders {
    /// Returns a manager of browser logins at a provider, with the current settings.
    ///
    /// Create one for each request.
    ///
    /// - Parameters:
    ///   - id: The provider.
    ///   - redirectURL: The redirect URI, exactly as it is registered at the provider: an `https` URL, or an `http` URL
    ///     of a loopback address if `Provider.allowsLoopbackHTTP` is set. Use a distinct path for each provider
    ///     (RFC 9700 §4.4.2.2).
    ///   - attempts: The store of attempts. Providers may share it.
    /// - Returns: The manager of the logins.
    /// - Throws: ``LoginManagerError`` for a configuration error, or for a provider that is unknown or switched off;
    ///   `ProviderMetadataError` if the provider's metadata is unavailable.
    public func loginManager(
        for id: ProviderID,
        redirectURL: String,
        attempts: any AttemptStore
    ) async throws -> LoginManager {
        try await loginManager(for: id, redirectURL: redirectURL, attempts: attempts, allowsLoopbackRedirect: nil)
    }

    /// Returns a manager of browser logins at a provider, with the current settings.
    ///
    /// - Parameters:
    ///   - id: The provider.
    ///   - redirectURL: The redirect URI, exactly as it is registered at the provider.
    ///   - attempts: The store of attempts.
    ///   - allowsLoopbackRedirect: Whether `redirectURL` may be an `http` URL of a loopback address, whatever the
    ///     provider allows; nil for the provider's setting.
    /// - Returns: The manager of the logins.
    /// - Throws: The same errors as ``loginManager(for:redirectURL:attempts:)``.
    package func loginManager(
        for id: ProviderID,
        redirectURL: String,
        attempts: any AttemptStore,
        allowsLoopbackRedirect: Bool?
    ) async throws -> LoginManager {
        guard let entry = entry(id) else {
            throw LoginManagerError(.provider, "the provider is not declared, or is disabled").at(id)
        }
        let metadata = try await discoveries[id]?.current()
        do throws(LoginManagerError) {
            return try LoginManager(
                provider: entry.provider,
                metadata: metadata,
                redirectURL: redirectURL,
                attempts: attempts,
                verification: LoginManager.Verification(
                    keys: keys,
                    clock: clock,
                    leeway: settings.leeway,
                    onVerdict: observer(of: id)
                ),
                transport: transport,
                allowsLoopbackRedirect: allowsLoopbackRedirect,
                onEvent: report
            )
        } catch {
            throw error.at(id)
        }
    }

    /// Passes an event to the observers.
    package func report(_ event: LoginEvent) {
        for observer in observers { observer.receive(event) }
    }

    /// The origins of the providers' dialogs, as browsers serialize them, for the directive `form-action` of pages.
    ///
    /// Browsers apply `form-action` to the whole chain of redirects.
    public var origins: [String] {
        var origins: [String] = []
        for provider in enabled {
            let metadata = provider.metadata ?? discoveries[provider.id]?.knownMetadata
            let discovered = metadata?.authorizationEndpoint.map { [$0.origin] } ?? []
            for origin in provider.knownOrigins + discovered where !origins.contains(origin) { origins.append(origin) }
        }
        return origins
    }

    /// Fetches the metadata of all providers once, each for at most five seconds.
    ///
    /// Call it before a server listens, so that its pages know all origins.
    ///
    /// An unreachable provider does not prevent the start: the first login, and ``run()``, fetch its metadata again.
    public func prepare() async {
        await withDiscardingTaskGroup { group in
            for discovery in discoveries.values { group.addTask { _ = try? await discovery.current() } }
        }
    }

    /// Fetches the metadata of all providers, and renews it once a day, until the task is cancelled.
    ///
    /// Without this task, the first login at a provider fetches its metadata, and a later login starts a renewal that
    /// is due.
    public func run() async {
        await withDiscardingTaskGroup { group in
            for discovery in discoveries.values { group.addTask { await discovery.run() } }
            // Without providers, it still runs until the task is cancelled: a service that returns ends the others.
            group.addTask {
                while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
            }
        }
    }
}

/// The transport of ``SignInProviders/none``.
private struct NoTransport: HTTPTransport {
    func send(_ request: TransportRequest) async throws(TransportFailure) -> TransportResponse {
        throw TransportFailure(.connection, "there are no providers")
    }
}
