// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Configuration
internal import LoginHummingbird
internal import Logging
internal import ServiceLifecycle
internal import UnixSignals

/// Has what the file says of tweaks count when it has changed, and tells of what counts after a restart only.
struct ConfigurationReloader: Service {
    let parts: ServiceParts
    let file: WatchedFile?
    let reader: ConfigurationFileReader

    func run() async throws {
        try await cancelWhenGracefulShutdown {
            try await withThrowingTaskGroup(of: Void.self) { group in
                // The provider looks at the file itself.
                group.addTask {
                    for await _ in await UnixSignalsSequence(trapping: .sighup) {
                        parts.logger.notice("SIGHUP: looking at the configuration")
                        file?.look(isAsked: true)
                    }
                }
                if let file {
                    group.addTask {
                        try await file.provider.watchSnapshot { updates in
                            for try await snapshot in updates { apply(snapshot) }
                        }
                    }
                    group.addTask {
                        while true {
                            // Told to end.
                            do { try await Task.sleep(for: WatchedFile.pause) } catch { return }
                            file.look()
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    /// Takes what the file says now; where it is wrong, what was before counts on.
    func apply(_ snapshot: any ConfigSnapshot) {
        do throws(ConfigurationFault) {
            let ids = parts.settings.tweaks.ids
            if let fault = reader.unknownTweak(snapshot, of: ids) { throw ConfigurationFault(fault) }
            var configuration = try reader.configuration(snapshot)
            try configuration.readTweaks(ids, in: reader.values(snapshot))
            parts.settings.tweaks.take(file: configuration.tweaks)
            // What does not reload is compared without what does.
            configuration.tweaks = parts.configuration.tweaks
            if configuration != parts.configuration {
                parts.logger.warning("The configuration has changed in what counts after a restart only")
            }
        } catch {
            parts.logger.error(
                "The configuration is wrong; what was read before counts on",
                metadata: ["configuration.reason": "\(error.description)"]
            )
        }
    }
}
#endif
