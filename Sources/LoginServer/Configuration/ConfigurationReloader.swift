// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Configuration
internal import Logging
internal import ServiceLifecycle
internal import Tweaks
internal import UnixSignals

/// A service that applies tweaks from the changed file, and logs changes of it and of secrets that need a restart.
struct ConfigurationReloader: Service {
    /// The interval between two checks of the files.
    static let pause = Duration.seconds(15)

    let parts: ServiceParts
    let file: WatchedFile?
    let reader: ConfigurationFileReader

    func run() async throws {
        // Whether each requested check is one by SIGHUP.
        let (checks, requests) = AsyncStream.makeStream(of: Bool.self)
        try await cancelWhenGracefulShutdown {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for await _ in await UnixSignalsSequence(trapping: .sighup) {
                        parts.logger.notice(
                            file == nil
                                ? "SIGHUP received; there is no configuration file, checking the secret files"
                                : "SIGHUP received; checking the configuration file and the secret files"
                        )
                        requests.yield(true)
                    }
                }
                group.addTask {
                    var follower = file.map { ConfigurationFollower(parts, $0, reader, clock: ContinuousClock()) }
                    var secrets = SecretFollower(parts.secretFiles, logger: parts.logger)
                    for await isAsked in checks {
                        await follower?.check(isAsked: isAsked)
                        await secrets.check(isAsked: isAsked)
                    }
                }
                group.addTask {
                    while true {
                        // Cancelled by the shutdown.
                        do { try await Task.sleep(for: Self.pause) } catch { return }
                        requests.yield(false)
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}

/// The configuration file of a running service, with the versions of it that were read and applied.
struct ConfigurationFollower: Sendable {
    private let parts: ServiceParts
    private let file: WatchedFile
    private let reader: ConfigurationFileReader
    private let clock: any Clock<Duration>
    private var readings: FileReadings
    private var applied: AppliedFile

    /// Follows a file from the version with which the service started.
    init(_ parts: ServiceParts, _ file: WatchedFile, _ reader: ConfigurationFileReader, clock: any Clock<Duration>) {
        (self.parts, self.file, self.reader, self.clock) = (parts, file, reader, clock)
        readings = FileReadings(file.first)
        applied = AppliedFile(names: file.content.names, tweaks: parts.configuration.tweaks)
    }

    /// Reads the file, and applies it if it has changed.
    ///
    /// - Parameter isAsked: Whether the result is logged again, even if the file has not changed.
    mutating func check(isAsked: Bool = false) async {
        var (reading, step) = (await file.read(), FileReadings.Step.unchanged)
        while true {
            step = readings.add(reading)
            guard step == .readAgain else { break }
            // Cancelled by the shutdown.
            do { try await clock.sleep(for: FileReadings.interval) } catch { return }
            reading = await file.read()
        }
        if step == .settled || isAsked { apply(reading) }
    }

    /// Applies a version of the file; if it is refused, the previous configuration stays in effect.
    private mutating func apply(_ reading: WatchedFile.Reading) {
        do throws(ConfigurationFault) {
            let (file, changed) = try configuration(in: reading)
            var configuration = changed
            if let refusal = applied.refusal(of: file.names, configuration.tweaks) { throw refusal }
            applied.tweaks = configuration.tweaks
            parts.settings.tweaks.replaceFileValues(with: configuration.tweaks)
            parts.logger.debug("configuration file applied")
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

    private func configuration(in reading: WatchedFile.Reading)
        throws(ConfigurationFault) -> (ServiceFile, ServiceConfiguration)
    {
        let file: ServiceFile
        do throws(ServiceFile.Fault) {
            file = try reading.content()
        } catch {
            throw ConfigurationFault(error.description)
        }
        var configuration = try reader.configuration(file)
        // A provider of the new file has a tweak, too.
        let tweaks = try ServiceLauncher.tweaks(of: configuration.switches)
        try reader.readTweaks(tweaks, in: file, into: &configuration)
        try configuration.checkCommands()
        _ = try configuration.pagesOptions()
        return (file, configuration)
    }
}

/// The version of the file in effect, and the rule for the next one: a line that is missing resets nothing.
///
/// A file that lacks lines may be the beginning of one, as after an interrupted copy.
struct AppliedFile: Sendable, Hashable {
    /// The keys in the file at the start.
    let names: Set<String>
    /// The values of tweaks.
    var tweaks: [String: String]

    /// Returns the reason why a later version is not applied; nil if there is none.
    ///
    /// - Parameters:
    ///   - names: The keys in the later version.
    ///   - tweaks: The values of tweaks in it and in the other sources.
    /// - Returns: The reason, which names the missing key.
    func refusal(of names: Set<String>, _ tweaks: [String: String]) -> ConfigurationFault? {
        let fixed = ConfigurationKey.all.filter { !$0.isReloadable }
        if let gone = self.names.subtracting(names).filter({ name in fixed.contains { $0.matches(name) } }).min() {
            return ConfigurationFault(
                "\(printable(gone)) is missing; the file may be incomplete. If the key was removed on purpose, restart"
            )
        }
        // A default can lift a limit, or switch a provider on.
        guard let (id, value) = self.tweaks.filter({ tweaks[$0.key] == nil }).min(by: { $0.key < $1.key }) else {
            return nil
        }
        let name = ConfigurationKey.tweaks.of(id).name
        let names = id == ServiceTweaks.logLevel ? "\(ConfigurationKey.logLevel.name) or \(name)" : name
        return ConfigurationFault(
            "\(names) is missing, and was \(value); the file may be incomplete. To reset it, write the default value, or restart"
        )
    }
}
#endif
