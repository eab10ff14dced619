// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import LoginKeys
internal import LoginTokens
internal import Tweaks

/// The tweaks of the service: settings that operators change at run time.
struct ServiceTweaks: Sendable {
    /// The ID of the log level tweak, for which `log-level` is an alias.
    static let logLevel = "log.level"

    /// The log levels, the most detailed first.
    static let logLevels = ["trace", "debug", "info", "notice", "warning", "error", "critical"]

    /// The default log level.
    static let defaultLogLevel = "info"

    /// Tweaks of token verification.
    struct TokenTweaks: Sendable {
        let leeway: Tweak<Duration>
        let cachedTokens: Tweak<Int>
    }

    /// Tweaks of the provider key cache.
    struct KeyTweaks: Sendable {
        let minimumLifetime: Tweak<Duration>
        let maximumLifetime: Tweak<Duration>
        let staleLimit: Tweak<Duration>
        let cooldown: Tweak<Duration>
    }

    /// Rate limits for each network.
    struct LimitTweaks: Sendable {
        let requests: Tweak<Int>
        let verifications: Tweak<Int>
        let forwarded: Tweak<Int>
    }

    let tweaks: Tweaks
    let tokens: TokenTweaks
    let keys: KeyTweaks
    let limits: LimitTweaks
    let logLevel: Tweak<String>
    let providers: [String: Tweak<Bool>]

    /// Declares the tweaks of the service.
    ///
    /// - Parameters:
    ///   - tweaks: The registry of tweaks.
    ///   - names: The names of the providers, and of sign-in by phone, each of which gets a switch, in order.
    ///   - refreshKeys: Starts a refresh of all provider keys, and returns a message about it.
    /// - Throws: `TweakError` if two tweaks have the same ID.
    init(
        _ tweaks: Tweaks,
        providers names: [String],
        refreshKeys: @escaping @Sendable () async -> String
    ) throws(TweakError) {
        self.tweaks = tweaks
        tokens = try TokenTweaks(tweaks)
        keys = try KeyTweaks(tweaks, refresh: refreshKeys)
        limits = try LimitTweaks(tweaks)
        logLevel = try tweaks.category("log", "Log").collection("log", "Log").add(
            Self.logLevel,
            "Level",
            default: Self.defaultLogLevel,
            choices: Self.logLevels,
            description: "The minimum level of log messages. No level logs tokens, secrets or addresses of users."
        )
        let switches = try tweaks.category("providers", "Providers").collection("providers", "Providers")
        var providers: [String: Tweak<Bool>] = [:]
        for name in names {
            providers[name] = try switches.add(
                "providers.\(name).enabled",
                "Sign-in with \(name)",
                default: true,
                description: "Whether users can sign in with \(name). Open sessions are not affected."
            )
        }
        self.providers = providers
    }

    /// Whether sign-in with a provider is enabled.
    func isEnabled(_ provider: String) -> Bool { providers[provider]?.value ?? true }
}

extension ServiceTweaks.TokenTweaks {
    fileprivate init(_ tweaks: Tweaks) throws(TweakError) {
        let tokens = try tweaks.category("tokens", "Tokens")
        leeway = try tokens.collection("times", "Times").add(
            "tokens.times.leeway",
            "Leeway",
            default: .seconds(30),
            in: Limits.leeway,
            step: .seconds(1),
            description: "The accepted difference between the clocks of providers and of this machine."
        )
        cachedTokens = try tokens.collection("cache", "Cache").add(
            "tokens.cache.size",
            "Cached tokens",
            default: Limits.cachedTokens,
            in: 2...1_000_000,
            unit: "tokens",
            description:
                "The maximum number of verified tokens in the cache, which saves a second check of their signatures; at most 32 MiB."
        )
    }
}

extension ServiceTweaks.KeyTweaks {
    fileprivate init(_ tweaks: Tweaks, refresh: @escaping @Sendable () async -> String) throws(TweakError) {
        let keys = try tweaks.category("keys", "Keys of providers").collection("cache", "Cache")
        let week = Duration.zero ... .seconds(7 * 86_400)
        minimumLifetime = try keys.add(
            "keys.cache.minimum-lifetime",
            "Minimum lifetime",
            default: .seconds(300),
            in: .seconds(60) ... .seconds(86_400),
            step: .seconds(1),
            description: "The minimum lifetime of keys, even if their provider sets a shorter one."
        )
        maximumLifetime = try keys.add(
            "keys.cache.maximum-lifetime",
            "Maximum lifetime",
            default: .seconds(86_400),
            in: .seconds(60)...week.upperBound,
            step: .seconds(1),
            description:
                "The maximum lifetime of keys, even if their provider sets a longer one; never less than the minimum lifetime."
        )
        staleLimit = try keys.add(
            "keys.cache.stale-limit",
            "Stale limit",
            default: .seconds(86_400),
            in: week,
            step: .seconds(1),
            description: "The time for which keys are used beyond their lifetime while their provider is unreachable."
        )
        cooldown = try keys.add(
            "keys.cache.cooldown",
            "Cooldown",
            default: .seconds(30),
            in: .seconds(5) ... .seconds(3600),
            step: .seconds(1),
            description:
                "The minimum time between two fetches of a provider's keys that unknown key IDs or operators trigger."
        )
        try keys.addAction(
            "keys.refresh",
            "Fetch all keys now",
            description: "Fetches the keys of every provider, unless they were requested within the cooldown.",
            perform: refresh
        )
    }

    /// The current times of the key cache.
    var times: KeyCacheTimes {
        let shortest = minimumLifetime.value
        return KeyCacheTimes(
            lifetime: shortest...max(shortest, maximumLifetime.value),
            staleLimit: staleLimit.value,
            cooldown: cooldown.value
        )
    }
}

extension ServiceTweaks.LimitTweaks {
    fileprivate init(_ tweaks: Tweaks) throws(TweakError) {
        let limits = try tweaks.category("limits", "Limits").collection("requests", "Requests")
        requests = try limits.add(
            "limits.requests.per-network-and-minute",
            "Requests",
            default: 300,
            in: 1...1_000_000,
            unit: "per minute",
            description: "The maximum number of requests from one network per minute, except those below."
        )
        verifications = try limits.add(
            "limits.requests.verify-per-network-and-minute",
            "Verifications",
            default: 6_000,
            in: 1...10_000_000,
            unit: "per minute",
            description: "The maximum number of tokens that one network can verify per minute."
        )
        forwarded = try limits.add(
            "limits.requests.forward-auth-per-network-and-minute",
            "Forward-auth requests",
            default: 6_000,
            in: 1...10_000_000,
            unit: "per minute",
            description:
                "The maximum number of forward-auth requests per minute for one network of clients; each image of a page is one."
        )
    }
}
#endif
