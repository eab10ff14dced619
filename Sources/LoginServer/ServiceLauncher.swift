// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Configuration
internal import Foundation
internal import LoginAccounts
internal import LoginProviders
internal import Logging
internal import Tweaks

/// The entry point of `verify-token serve`.
///
/// A process has one launcher, which owns the log, the signal handlers and the umask.
package struct ServiceLauncher: Sendable {
    private let version: String
    private let reader: ConfigurationFileReader
    private let path: String?

    /// Creates a launcher.
    ///
    /// - Parameters:
    ///   - version: The version in the OpenAPI document.
    ///   - flags: The values from the command line.
    ///   - environment: The environment variables of the process.
    ///   - file: The path of the YAML file; nil for the path in `VERIFY_TOKEN_CONFIG`, if it is set.
    /// - Throws: ``ConfigurationFault`` if an environment variable has the prefix `VERIFY_TOKEN_` but names no key.
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
        let variable = ConfigurationKey.variable("config")
        path = file ?? environment[variable]
        guard path != "" else {
            throw ConfigurationFault(
                "\(file == nil ? variable : "--config") must not be empty; leave it out for no file"
            )
        }
    }

    /// Serves until SIGTERM or SIGINT.
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
        }
    }

    /// Checks the configuration without opening a store or starting a listener.
    ///
    /// - Returns: The effects of a start.
    /// - Throws: The errors of ``run()``.
    package func check() async throws -> CheckedConfiguration {
        try await flushingLog {
            let run = try await prepare(isTrial: true)
            _ = try run.services()
            return CheckedConfiguration(
                createsStore: try run.parts.configuration.isNewFile,
                redirectURIs: run.parts.redirectURIs
            )
        }
    }

    /// Returns the text of docs/reference/configuration.md.
    ///
    /// - Throws: ``ConfigurationFault``
    package static func configurationReference() throws(ConfigurationFault) -> String {
        ConfigurationReference.text(of: try tweaks(of: ["google", ProviderID.phone.rawValue]).report)
    }

    /// Calls an operation, and flushes the log even if it throws.
    private func flushingLog<Value>(_ operation: () async throws -> Value) async throws -> Value {
        do {
            let value = try await operation()
            await LogWriter.standardError.flush()
            return value
        } catch {
            await LogWriter.standardError.flush()
            throw error
        }
    }

    private func prepare(isTrial: Bool) async throws -> ServiceRun {
        // Only the service's user may access the files it creates: the admin socket, the SQLite file, the keys. The
        // umask is set before other threads start.
        _ = umask(0o077)
        // A SIGHUP before the reloader's handler is installed would terminate the process.
        signal(SIGHUP, SIG_IGN)
        let logLevel = LogLevel(.info)
        LoggingSystem.bootstrap { _ in ServiceLog(level: logLevel) }
        let logger = Logger(label: "verify-token")
        let file: WatchedFile? = if let path { try WatchedFile(path) } else { nil }
        let snapshot = file?.content
        var configuration = try reader.configuration(snapshot)
        try reader.readTweaks(Self.tweaks(of: configuration.switches), in: snapshot, into: &configuration)
        try configuration.checkCommands()
        configuration.logWarnings(to: logger)
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

    /// Returns the tweaks of a service with these providers, without stored values.
    static func tweaks(of providers: [String]) throws(ConfigurationFault) -> Tweaks {
        do throws(TweakError) {
            return try ServiceTweaks(Tweaks(), providers: providers) { "" }.tweaks
        } catch {
            throw ConfigurationFault("\(error)")
        }
    }
}

/// The effects that the start of a service with a valid configuration would have.
package struct CheckedConfiguration: Sendable {
    /// Whether it would create the store.
    package let createsStore: Bool
    /// The redirect URIs to register at the providers that browsers use.
    package let redirectURIs: [RedirectURI]
}

/// The redirect URI of browser logins at a provider, which the app must have registered there.
package struct RedirectURI: Sendable, Hashable {
    /// The configured name of the provider.
    package let provider: String
    /// The URI.
    package let uri: String
}
#endif
