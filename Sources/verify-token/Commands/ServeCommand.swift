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
        abstract: "Serve sign-in, sessions and token verification over HTTP.",
        discussion: """
            Each value comes from the first source that sets it: an option, the environment (VERIFY_TOKEN_LISTEN for listen), \
            the YAML file given by --config, or the default. All keys are listed in docs/reference/configuration.md. Secrets are in files.

            On SIGTERM or SIGINT, the service responds to open requests and exits. On SIGHUP, it checks its file for changes.

            Exit status: 0 stopped by SIGTERM or SIGINT; 2 could not run; 64 usage error or invalid configuration.
            """
    )

    @Option(help: ArgumentHelp("The YAML configuration file.", valueName: "file"), completion: .file())
    var config: String?

    @Option(help: ArgumentHelp("\(ConfigurationKey.listen.description)", valueName: "host:port"))
    var listen: String?

    @Option(
        name: .customLong("public-url"),
        help: ArgumentHelp(
            "The origin under which browsers reach the service: scheme, host and port.",
            valueName: "url"
        )
    )
    var publicURL: String?

    @Option(
        help: ArgumentHelp("The location of the accounts: a SQLite file or a postgresql: URL.", valueName: "store"),
        completion: .file()
    )
    var store: String?

    @Option(help: ArgumentHelp("The encryption keys of the store.", valueName: "file"), completion: .file())
    var secretsFile: String?

    @Option(
        help: ArgumentHelp("The address of the admin page: unix:path or a loopback address.", valueName: "address")
    )
    var adminListen: String?

    @Option(
        help: ArgumentHelp(
            "The token of operators, required unless --admin-listen is a Unix socket.",
            valueName: "file"
        ),
        completion: .file()
    )
    var adminTokenFile: String?

    @Option(help: ArgumentHelp("The minimum level of log messages.", valueName: "level"))
    var logLevel: String?

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp(
            "Any configuration key; separate the elements of a list by commas. May be repeated.",
            valueName: "key=value"
        )
    )
    var settings: [String] = []

    @Flag(help: "Check the configuration without starting the service, and print the redirect URIs to register.")
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
                let checked = try await launcher.check()
                let store = checked.createsStore ? "; the store does not exist, and a start would create it" : ""
                let redirects = checked.redirectURIs.map { "redirect URI to register at \($0.provider): \($0.uri)" }
                try show((["the configuration is valid\(store)"] + redirects).joined(separator: "\n"))
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
