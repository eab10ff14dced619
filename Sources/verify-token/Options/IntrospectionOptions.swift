// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import ArgumentParser
internal import LoginServer
internal import LoginTokens

/// The introspection endpoint of the issuer, and the credentials for it.
struct IntrospectionOptions: ParsableArguments {
    @Option(
        name: .customLong("introspect"),
        help: ArgumentHelp(
            "Ask the issuer's introspection endpoint (RFC 7662) about the token, instead of verifying its signature.",
            valueName: "url"
        )
    )
    var endpoint: String?

    @Option(
        name: .customLong("introspection-client"),
        help: ArgumentHelp("The client ID by which your API authenticates at the endpoint.", valueName: "id")
    )
    var clientID: String?

    @Option(
        name: .customLong("introspection-secret-file"),
        help: ArgumentHelp(
            "A file with the client secret, which only you can access; one line break at the end is ignored.",
            valueName: "file"
        ),
        completion: .file()
    )
    var secretFile: String?

    @Option(
        name: .customLong("introspection-optional"),
        help: ArgumentHelp("A member that the endpoint's answer may omit. May be repeated.", valueName: "member")
    )
    var optionalMembers: [IntrospectionPolicy.Member] = []

    /// Whether the endpoint is asked.
    var isGiven: Bool { endpoint != nil }

    /// The missing options.
    var missing: [String] {
        guard isGiven else { return [] }
        return (clientID == nil ? ["--introspection-client <id>: the client ID of your API"] : [])
            + (secretFile == nil ? ["--introspection-secret-file <file>: the client secret"] : [])
    }

    func validate() throws {
        guard isGiven || (clientID == nil && secretFile == nil && optionalMembers.isEmpty) else {
            throw ValidationError(
                "--introspection-client, --introspection-secret-file and --introspection-optional require --introspect."
            )
        }
        guard !isGiven || KeyOptions.canFetch else {
            throw ValidationError("This build, without the trait HTTPClient, cannot ask an introspection endpoint.")
        }
        guard clientID != "", secretFile != "" else {
            throw ValidationError("The value of --introspection-client or --introspection-secret-file is empty.")
        }
    }

    /// Returns the introspector, with the secret from the file.
    ///
    /// - Parameters:
    ///   - policy: The policy that answers must meet.
    ///   - fetching: The options for the request.
    ///   - clock: The clock used for time checks.
    /// - Returns: The introspector.
    /// - Throws: `FileProblem` if the secret cannot be read, `ValidationError` for a usage error.
    func introspector(
        policy: IntrospectionPolicy,
        fetching: FetchOptions,
        clock: any WallClock
    ) throws -> TokenIntrospector {
        #if HTTPClient
        let path = secretFile ?? ""
        let secret = try readSecret(path, isPrivate: true)
        return try TokenIntrospector(
            endpoint: fetching.endpoint(endpoint ?? "", option: "--introspect"),
            clientID: clientID ?? "",
            clientSecret: secret,
            policy: policy,
            transport: fetching.transport,
            clock: clock
        )
        #else
        throw ValidationError("This build cannot ask an introspection endpoint.")
        #endif
    }
}
#endif
