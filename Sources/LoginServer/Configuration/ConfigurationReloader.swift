// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Configuration
internal import Logging
internal import ServiceLifecycle
internal import Tweaks
internal import UnixSignals

/// A service that applies tweaks from the changed file, and logs changes that need a restart.
struct ConfigurationReloader: Service {
    let parts: ServiceParts
    let file: WatchedFile?
    let reader: ConfigurationFileReader

    func run() async throws {
        try await cancelWhenGracefulShutdown {
            try await withThrowingTaskGroup(of: Void.self) { group in
                // The file provider has its own SIGHUP handler; this task logs the signal and any read error.
                group.addTask {
                    for await _ in await UnixSignalsSequence(trapping: .sighup) {
                        parts.logger.notice("SIGHUP received; checking the configuration file")
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
                            // Cancelled by the shutdown.
                            do { try await Task.sleep(for: WatchedFile.pause) } catch { return }
                            file.look()
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    /// Applies a new version of the file; if it is invalid, the previous configuration stays in effect.
    func apply(_ snapshot: any ConfigSnapshot) {
        do throws(ConfigurationFault) {
            var configuration = try reader.configuration(snapshot)
            // A provider of the new file has a tweak, too.
            let tweaks = try ServiceLauncher.tweaks(of: configuration.switches)
            try reader.readTweaks(tweaks, in: snapshot, into: &configuration)
            try configuration.checkCommands()
            _ = try configuration.pagesOptions()
            parts.settings.tweaks.replaceFileValues(with: configuration.tweaks)
            // Only values that need a restart are compared.
            configuration.tweaks = parts.configuration.tweaks
            if configuration != parts.configuration {
                parts.logger.warning("configuration changes need a restart")
            }
        } catch {
            parts.logger.error(
                "invalid configuration; the previous one stays in effect",
                metadata: ["configuration.reason": "\(error.description)"]
            )
        }
    }
}
#endif
