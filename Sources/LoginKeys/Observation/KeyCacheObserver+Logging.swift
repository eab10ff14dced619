// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTPClient
internal import LoginTokens
public import Logging

extension KeyCacheObserver {
    /// Returns an observer that logs each event.
    ///
    /// Messages are constant, and the metadata has the details. Normal events are logged at `trace` and `debug`,
    /// transient failures at `info`, and events that need attention at `warning`. `docs/reference/observability.md`
    /// lists them all.
    ///
    /// - Parameter logger: The logger.
    /// - Returns: The observer.
    public static func logging(_ logger: Logger) -> KeyCacheObserver {
        KeyCacheObserver { event in
            let line = line(for: event.kind)
            logger.log(level: line.level, line.message, metadata: metadata(of: event))
        }
    }

    private static func line(for kind: KeyCacheEvent.Kind) -> (level: Logger.Level, message: Logger.Message) {
        switch kind {
        case .fetched: (.debug, "keys fetched")
        case .fetchFailed: (.info, "keys not fetched")
        case .keyAppeared: (.debug, "key appeared")
        case .keyVanished: (.debug, "key vanished")
        case .keySkipped: (.warning, "key skipped")
        case .servingStale: (.info, "keys are stale and stay in use")
        case .keysExpired: (.warning, "keys expired")
        case .noKeys: (.warning, "no keys yet")
        case .freshAgain: (.info, "keys are fresh again")
        case .restored: (.debug, "keys loaded from the store")
        case .notRestored: (.warning, "keys in the store not used")
        case .notKept: (.warning, "keys not saved in the store")
        case .inUse: (.trace, "keys in use")
        default: (.debug, "keys changed")
        }
    }

    private static func metadata(of event: KeyCacheEvent) -> Logger.Metadata {
        var metadata: Logger.Metadata = [
            "keys.provider": "\(event.provider)", "keys.event": "\(event.kind)",
        ]
        // A key ID is arbitrary text of the provider, so it is reduced to one line of bounded length.
        if let keyID = event.keyID { metadata["keys.key_id"] = "\(oneLine(keyID, limit: Limits.keyIDBytes))" }
        if let detail = event.detail { metadata["keys.detail"] = "\(detail)" }
        if let failure = event.failure {
            metadata["keys.failure"] = "\(failure.code)"
            metadata["keys.document"] = "\(failure.document.rawValue)"
            metadata["keys.detail"] = "\(failure.detail)"
        }
        if let age = event.age { metadata["keys.age_seconds"] = "\(age.components.seconds)" }
        return metadata
    }
}
#endif
