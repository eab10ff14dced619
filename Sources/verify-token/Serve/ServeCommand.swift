// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine && Hummingbird
internal import ArgumentParser
internal import Configuration
internal import Foundation
internal import LoginAccounts
internal import LoginHummingbird
internal import LoginProviders
internal import Logging
internal import Metrics

/// Serves sign-in, sessions and verification over HTTP.
struct ServeCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve sign-in, sessions and the verification of tokens over HTTP.",
        discussion: """
            Each value comes from the first that says it: an option here, the environment (VERIFY_TOKEN_LISTEN for listen), \
            the YAML file of --config, or the default; docs/configuration.md lists all keys. Secrets stand in files.

            It ends on SIGTERM or SIGINT when the requests that run are answered, and looks at its file again on SIGHUP.

            Exit status: 0 ended as it was told to; 2 could not run; 64 usage, or a wrong configuration.
            """
    )

    @Option(help: ArgumentHelp("The YAML file with the configuration.", valueName: "file"), completion: .file())
    var config: String?

    @Option(help: ArgumentHelp("\(ConfigurationKey.listen.description)", valueName: "host:port"))
    var listen: String?

    @Option(
        name: .customLong("public-url"),
        help: ArgumentHelp("How browsers reach it: scheme, host and port.", valueName: "url")
    )
    var publicURL: String?

    @Option(
        help: ArgumentHelp("Where the accounts are: a SQLite file, or a postgresql: URL.", valueName: "store"),
        completion: .file()
    )
    var store: String?

    @Option(help: ArgumentHelp("The keys that close what the store keeps.", valueName: "file"), completion: .file())
    var secretsFile: String?

    @Option(
        help: ArgumentHelp("Where operators look: unix:path, or an address of this machine.", valueName: "address")
    )
    var adminListen: String?

    @Option(
        help: ArgumentHelp("What operators show, where that is an address.", valueName: "file"),
        completion: .file()
    )
    var adminTokenFile: String?

    @Option(help: ArgumentHelp("From which level on is logged.", valueName: "level"))
    var logLevel: String?

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp("Any key of the configuration; lists with commas. May be repeated.", valueName: "key=value")
    )
    var settings: [String] = []

    @Flag(help: "Read and check the configuration, and start nothing.")
    var check = false

    @Flag(help: .hidden)
    var printConfigurationReference = false

    func run() async throws {
        // What the service makes is its own: the socket of operators, the SQLite file, the keys. Set once, before anything runs beside.
        _ = umask(0o077)
        // Sent before anybody looks at the file again, it would end the process.
        signal(SIGHUP, SIG_IGN)
        try await withAccounts {
            do {
                if printConfigurationReference {
                    try show(ConfigurationReference.text(of: Self.tweaks(of: ["google"]).report))
                } else {
                    try await serveAndLog()
                }
            } catch let fault as ConfigurationFault {
                throw ValidationError(fault.description)
            }
        }
    }

    /// Serves; what was logged is written when it ends.
    private func serveAndLog() async throws {
        do {
            try await serve()
        } catch {
            await LogWriter.standardError.flush()
            throw error
        }
        await LogWriter.standardError.flush()
    }

    private func serve() async throws {
        let environment = ProcessInfo.processInfo.environment
        if let fault = ConfigurationNames.fault(ofVariables: Array(environment.keys)) {
            throw ConfigurationFault(fault)
        }
        let flags = try flags()
        let logLevel = LogLevel(.info)
        LoggingSystem.bootstrap { _ in ServiceLog(level: logLevel) }
        let logger = Logger(label: "verify-token")
        let metrics = PrometheusMetrics()
        let file = try await file(environment, logger)
        let reader = ConfigurationFileReader(flags: flags, environment: environment)
        let snapshot = file?.provider.snapshot()
        var configuration = try reader.configuration(snapshot)
        let ids = try Self.tweaks(of: configuration.providers.map(\.name)).ids
        try configuration.readTweaks(ids, in: reader.values(snapshot))
        if let fault = reader.unknownTweak(snapshot, of: ids) { throw ConfigurationFault(fault) }
        if !check { try await configuration.admin?.socket?.checkSilence() }
        let parts = try await ServiceParts(
            configuration,
            metrics: metrics,
            logger: logger,
            logLevel: logLevel,
            isTrial: check
        )
        let run = ServiceRun(parts: parts, file: file, reader: reader)
        guard !check else {
            _ = try run.services()
            for value in parts.settings.tweaks.report.values {
                if let fault = value.faults.first { throw ConfigurationFault("tweaks.\(value.id): \(fault.reason)") }
            }
            try show("the configuration is good")
            return
        }
        do {
            try await run.run()
        } catch {
            await parts.store.shutdown()
            throw error
        }
        await parts.store.shutdown()
    }

    /// What the options say, by the names of keys.
    private func flags() throws(ConfigurationFault) -> [String: String] {
        var flags: [String: String] = [:]
        for setting in settings {
            let parts = setting.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2 else { throw ConfigurationFault("--set: it is a key, an equals sign, and a value") }
            if let fault = ConfigurationNames.fault(of: parts[0]) { throw ConfigurationFault("--set: \(fault)") }
            guard flags.updateValue(parts[1], forKey: parts[0]) == nil else {
                throw ConfigurationFault("--set \(parts[0]): it is said twice")
            }
        }
        let named: [(ConfigurationKey, String?)] = [
            (.listen, listen), (.publicURL, publicURL), (.store, store), (.secretsFile, secretsFile),
            (.adminListen, adminListen), (.adminToken, adminTokenFile), (.logLevel, logLevel),
        ]
        for (key, value) in named {
            guard let value else { continue }
            guard flags.updateValue(value, forKey: key.name) == nil else {
                throw ConfigurationFault("--set \(key.name): it is said twice")
            }
        }
        return flags
    }

    private func file(_ environment: [String: String], _ logger: Logger) async throws -> WatchedFile? {
        guard let path = config ?? environment[ConfigurationKey.variable("config")] else { return nil }
        return try await WatchedFile(path, logger: logger)
    }

    /// The tweaks that there are with these providers, over a store that keeps nothing.
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
