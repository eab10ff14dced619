// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Configuration
internal import Foundation
internal import LoginAccounts
internal import LoginHummingbird
internal import LoginProviders
internal import Logging

/// The service of `verify-token serve`, from its settings to its end.
///
/// The process has one: its log, its signals and its file mode creation mask are the service's.
package struct ServiceLauncher: Sendable {
    private let version: String
    private let reader: ConfigurationFileReader
    private let path: String?

    /// Creates a launcher.
    ///
    /// - Parameters:
    ///   - version: The version in the OpenAPI document.
    ///   - flags: The settings of the command line.
    ///   - environment: The environment of the process.
    ///   - file: The path of the YAML file; nil for the one that `VERIFY_TOKEN_CONFIG` names, or none.
    /// - Throws: ``ConfigurationFault`` if a variable of the environment looks like a setting and is none.
    package init(
        version: String,
        flags: ServiceFlags,
        environment: [String: String],
        file: String?
    ) throws(ConfigurationFault) {
        if let fault = ConfigurationNames.fault(ofVariables: Array(environment.keys)) {
            throw ConfigurationFault(fault)
        }
        self.version = version
        reader = ConfigurationFileReader(flags: flags.values, environment: environment)
        path = file ?? environment[ConfigurationKey.variable("config")]
    }

    /// Serves until the process is told to end (SIGTERM, SIGINT).
    ///
    /// - Throws: ``ConfigurationFault``, ``OperationFailure``, `StoreError`, `AuthError`
    package func run() async throws {
        try await flushingLog {
            let run = try await prepare(isTrial: false)
            do {
                try await run.run()
            } catch {
                await run.parts.store.shutdown()
                throw error
            }
            await run.parts.store.shutdown()
        }
    }

    /// Reads and checks the settings, and starts nothing: no store is opened or created.
    ///
    /// - Throws: as ``run()``
    package func check() async throws {
        try await flushingLog {
            let run = try await prepare(isTrial: true)
            _ = try run.services()
            for value in run.parts.settings.tweaks.report.values {
                if let fault = value.faults.first { throw ConfigurationFault("tweaks.\(value.id): \(fault.reason)") }
            }
        }
    }

    /// Returns the reference of all settings, which is docs/reference/configuration.md.
    ///
    /// - Throws: ``ConfigurationFault``
    package static func configurationReference() throws(ConfigurationFault) -> String {
        ConfigurationReference.text(of: try tweaks(of: ["google"]).report)
    }

    /// Waits until the log is written, also after an error.
    private func flushingLog(_ operation: () async throws -> Void) async throws {
        do {
            try await operation()
        } catch {
            await LogWriter.standardError.flush()
            throw error
        }
        await LogWriter.standardError.flush()
    }

    private func prepare(isTrial: Bool) async throws -> ServiceRun {
        // Only the user of the service may read what it creates: the operators' socket, the SQLite file, the keys. The mask is set before
        // another thread runs.
        _ = umask(0o077)
        // A SIGHUP before the reloader traps it would end the process.
        signal(SIGHUP, SIG_IGN)
        let logLevel = LogLevel(.info)
        LoggingSystem.bootstrap { _ in ServiceLog(level: logLevel) }
        let logger = Logger(label: "verify-token")
        let file: WatchedFile? = if let path { try await WatchedFile(path, logger: logger) } else { nil }
        let snapshot = file?.provider.snapshot()
        var configuration = try reader.configuration(snapshot)
        let ids = try Self.tweaks(of: configuration.providers.map(\.name)).ids
        try configuration.readTweaks(ids, in: reader.values(snapshot))
        if let fault = reader.unknownTweak(snapshot, of: ids) { throw ConfigurationFault(fault) }
        if !isTrial { try await configuration.admin?.socket?.checkSilence() }
        let parts = try await ServiceParts(
            configuration,
            version: version,
            metrics: PrometheusMetrics(),
            logger: logger,
            logLevel: logLevel,
            isTrial: isTrial
        )
        return ServiceRun(parts: parts, file: file, reader: reader)
    }

    /// Returns the tweaks of a service with these providers, in a store in memory.
    static func tweaks(of providers: [String]) throws(ConfigurationFault) -> Tweaks {
        let auth = Auth(
            store: InMemoryAccountStore(),
            providers: .none,
            secrets: AccountSecrets([[UInt8](repeating: 0, count: 32)])
        )
        do throws(TweakError) {
            return try ServiceTweaks(Tweaks(auth: auth, logger: Logger(label: "none")), providers: providers) { "" }
                .tweaks
        } catch {
            throw ConfigurationFault("\(error)")
        }
    }
}
#endif
