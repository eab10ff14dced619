// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine && Hummingbird
internal import ArgumentParser
internal import Foundation
internal import LoginServer

/// Serves sign-in, sessions and verification over HTTP.
struct ServeCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve sign-in, sessions and the verification of tokens over HTTP.",
        discussion: """
            Each value comes from the first that says it: an option here, the environment (VERIFY_TOKEN_LISTEN for listen), \
            the YAML file of --config, or the default; docs/reference/configuration.md lists all keys. Secrets stand in files.

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
        try await withAccounts {
            do {
                if printConfigurationReference {
                    try show(ServiceLauncher.configurationReference())
                    return
                }
                let launcher = try launcher()
                guard check else { return try await launcher.run() }
                try await launcher.check()
                try show("the configuration is valid")
            } catch let fault as ConfigurationFault {
                throw ValidationError(fault.description)
            }
        }
    }

    private func launcher() throws(ConfigurationFault) -> ServiceLauncher {
        let options: [(ConfigurationKey, String?)] = [
            (.listen, listen), (.publicURL, publicURL), (.store, store), (.secretsFile, secretsFile),
            (.adminListen, adminListen), (.adminToken, adminTokenFile), (.logLevel, logLevel),
        ]
        return try ServiceLauncher(
            version: VerifyToken.version,
            flags: ServiceFlags(assignments: settings, options: options),
            environment: ProcessInfo.processInfo.environment,
            file: config
        )
    }
}
#endif
