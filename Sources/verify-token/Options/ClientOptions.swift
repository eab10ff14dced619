// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine && HTTPClient
internal import ArgumentParser
internal import LoginTokens

/// The client of a service at the provider, as the service is configured.
struct ClientOptions: ParsableArguments {
    @Option(
        name: .customLong("public-url"),
        help: ArgumentHelp(
            "The origin under which browsers reach the service, as public-url of it, for the redirect URI to register.",
            valueName: "url"
        )
    )
    var publicURL: String?

    @Option(
        help: ArgumentHelp(
            "The provider's name in the configuration of the service, which is part of the redirect URI; by default that of --provider.",
            valueName: "name"
        )
    )
    var name: String?

    @Option(help: "The client authentication of the service; by default by the discovery document, as in the service.")
    var clientAuthentication: ClientAuthenticationMethod?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The client ID, for --try-secret.", valueName: "id")
    )
    var clientID: String?

    @Option(
        name: .customLong("try-secret"),
        help: ArgumentHelp(
            "Send the client secret in this file once to the token endpoint, over https, with a code that does not exist. The file must be accessible only to you.",
            valueName: "file"
        ),
        completion: .file()
    )
    var secretFile: String?

    func validate() throws {
        try VerifyToken.requireValues(of: [
            "--client-id": clientID.map { [$0] } ?? [], "--try-secret": secretFile.map { [$0] } ?? [],
        ])
        guard (clientID == nil) == (secretFile == nil) else {
            throw ValidationError("--client-id and --try-secret require each other.")
        }
        if let clientAuthentication, secretFile != nil, !clientAuthentication.sendsSecret {
            throw ValidationError("--try-secret: \(clientAuthentication.rawValue) sends no secret.")
        }
        if let publicURL {
            let url = try? EndpointURL(publicURL, allowsLoopbackHTTP: true)
            guard let url, publicURL == url.origin || publicURL == url.origin + "/" else {
                throw ValidationError(
                    "--public-url must be an https origin in lower case without a path, for example https://login.example.com."
                )
            }
        }
        guard name == nil || publicURL != nil else { throw ValidationError("--name requires --public-url.") }
        if let name {
            guard name.wholeMatch(of: /[a-z0-9][a-z0-9\-]{0,31}/) != nil else {
                throw ValidationError("--name: a name has lower-case letters, digits and hyphens, at most 32.")
            }
        }
    }

    /// Returns the registration that the options state.
    ///
    /// - Parameter provider: The value of `--provider`.
    /// - Returns: The registration.
    func registration(at provider: IssuerOptions.ProviderName?) -> ClientRegistration {
        ClientRegistration(
            publicURL: publicURL,
            name: name ?? provider?.rawValue,
            authentication: clientAuthentication
        )
    }
}
#endif
