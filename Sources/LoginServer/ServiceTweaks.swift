// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import LoginHummingbird
internal import LoginKeys
internal import LoginTokens

/// The tweaks of the service: settings that operators change at run time.
struct ServiceTweaks: Sendable {
    /// The ID of the log level tweak, for which `log-level` is an alias.
    static let logLevel = "log.level"

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
    ///   - names: The names of the providers, each of which gets a switch, in order.
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
            default: "info",
            choices: ["trace", "debug", "info", "notice", "warning", "error", "critical"],
            description: "From which level on is logged. No level logs tokens, secrets or addresses of people."
        )
        let switches = try tweaks.category("providers", "Providers").collection("providers", "Providers")
        var providers: [String: Tweak<Bool>] = [:]
        for name in names {
            providers[name] = try switches.add(
                "providers.\(name).enabled",
                "Sign-in with \(name)",
                default: true,
                description: "Whether anybody signs in with \(name). Who is signed in stays so."
            )
        }
        self.providers = providers
    }

    /// Whether sign-in with a provider is enabled.
    func isEnabled(_ provider: String) -> Bool { providers[provider]?.currentValue ?? true }
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
            description: "How far the clocks of providers and of this machine may disagree."
        )
        cachedTokens = try tokens.collection("cache", "Cache").add(
            "tokens.cache.size",
            "Remembered tokens",
            default: Limits.cachedTokens,
            in: 2...1_000_000,
            unit: "tokens",
            description:
                "How many tokens are remembered, so that one which comes again has its signature checked once; 32 MiB at most."
        )
    }
}

extension ServiceTweaks.KeyTweaks {
    fileprivate init(_ tweaks: Tweaks, refresh: @escaping @Sendable () async -> String) throws(TweakError) {
        let keys = try tweaks.category("keys", "Keys of providers").collection("cache", "Cache")
        let week = Duration.zero ... .seconds(7 * 86_400)
        minimumLifetime = try keys.add(
            "keys.cache.minimum-lifetime",
            "Shortest lifetime",
            default: .seconds(300),
            in: .seconds(60) ... .seconds(86_400),
            step: .seconds(1),
            description: "How long keys are good for at least, however short their provider says."
        )
        maximumLifetime = try keys.add(
            "keys.cache.maximum-lifetime",
            "Longest lifetime",
            default: .seconds(86_400),
            in: .seconds(60)...week.upperBound,
            step: .seconds(1),
            description:
                "How long keys are good for at most, however long their provider says; never less than the shortest lifetime."
        )
        staleLimit = try keys.add(
            "keys.cache.stale-limit",
            "Stale limit",
            default: .seconds(86_400),
            in: week,
            step: .seconds(1),
            description: "How long keys serve beyond their lifetime while their provider does not answer."
        )
        cooldown = try keys.add(
            "keys.cache.cooldown",
            "Cooldown",
            default: .seconds(30),
            in: .seconds(5) ... .seconds(3600),
            step: .seconds(1),
            description: "How often tokens with unknown keys, or operators, can have a provider's keys fetched."
        )
        try keys.addAction(
            "keys.refresh",
            "Fetch all keys now",
            description: "Asks each provider for its keys, unless it was asked within the cooldown.",
            perform: refresh
        )
    }

    /// The current times of the key cache.
    var times: KeyCacheTimes {
        let shortest = minimumLifetime.currentValue
        return KeyCacheTimes(
            lifetime: shortest...max(shortest, maximumLifetime.currentValue),
            staleLimit: staleLimit.currentValue,
            cooldown: cooldown.currentValue
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
            unit: "a minute",
            description: "How many requests one network may send in a minute, but for those below."
        )
        verifications = try limits.add(
            "limits.requests.verify-per-network-and-minute",
            "Verifications",
            default: 6_000,
            in: 1...10_000_000,
            unit: "a minute",
            description: "How many tokens one network may have verified in a minute."
        )
        forwarded = try limits.add(
            "limits.requests.forward-auth-per-network-and-minute",
            "Requests behind proxies",
            default: 6_000,
            in: 1...10_000_000,
            unit: "a minute",
            description:
                "How many requests of one network a proxy may ask about in a minute: each image of a page is one."
        )
    }
}
#endif
