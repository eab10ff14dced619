// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine && HTTPClient
internal import ArgumentParser
internal import Foundation
internal import LoginClient
internal import LoginKeys
internal import LoginProviders
internal import LoginServer
internal import LoginTokens

/// A command that signs the user in at a service, and keeps the session in a file.
struct LoginCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Sign in at a service through a provider, and show who is signed in.",
        usage: """
            verify-token login --service <url> --session <file> --service-provider <name>
                (--issuer <url> | --provider <name>) --client-id <id> [<options>]
            verify-token login --service <url> --session <file> [--sign-out]
            """,
        discussion: """
            The command shows a URL for the browser, and receives the response of the provider on 127.0.0.1. The \
            client ID is that of a native app, whose tokens the service must accept, too; some providers issue a \
            client secret with it. The service verifies the ID token. A second factor is a code of an authenticator \
            app or of a message to a phone, or a recovery code. The tokens of the session are stored in the file, \
            which only its owner can read, and are never printed; with them the next call needs no browser. A missing \
            directory of the file is created.

              verify-token login --service https://login.example.com --session ~/.config/login-session \\
                  --service-provider corp --issuer https://login.corp.example --client-id tool

            Exit status: 0 signed in, or signed out; 1 refused, or not signed in; 2 a service could not be reached: \
            try again; 64 usage, or the session file, the port or the address of the service cannot be used.
            """
    )

    @Option(help: ArgumentHelp("The URL of the service.", valueName: "url"))
    var service: String?

    @Option(help: ArgumentHelp("The file for the session.", valueName: "file"), completion: .file())
    var session: String?

    @Option(help: ArgumentHelp("The name of the provider in the configuration of the service.", valueName: "name"))
    var serviceProvider: String?

    @OptionGroup(title: "The issuer") var issuer: IssuerOptions

    @Option(parsing: .unconditional, help: ArgumentHelp("The client ID at the provider.", valueName: "id"))
    var clientID: String?

    @Option(
        help: ArgumentHelp(
            "A file with the client secret, if the provider requires one; one line break at the end is ignored.",
            valueName: "file"
        ),
        completion: .file()
    )
    var clientSecretFile: String?

    @Option(help: ArgumentHelp("The port of the redirect URI; 0 for any free one.", valueName: "port"))
    var port = 0

    @Flag(help: "Sign out: revoke the tokens, and delete the file.")
    var signOut = false

    @OptionGroup(title: "Fetching") var fetching: FetchOptions

    func validate() throws {
        try VerifyToken.require(
            nothing: (service == nil ? ["--service <url>: the URL of the service"] : [])
                + (session == nil ? ["--session <file>: the file for the session"] : []) + issuer.missing
        )
        guard issuer.provider != .facebook else {
            throw ValidationError("Facebook has no logins of public clients with an ID token.")
        }
        guard (0...65_535).contains(port) else { throw ValidationError("--port must be between 0 and 65535.") }
        _ = try endpoint()
        _ = try provider()
    }

    func run() async throws {
        do {
            let transport = fetching.transport
            let user = try makeSession(transport)
            let state = try await user.load()
            if signOut {
                try await user.signOut()
                try show(state == .created ? "not signed in" : "signed out")
            } else if state == .createdTokenLoaded {
                try await open(user, transport)
            } else {
                try await signIn(user, transport)
            }
        } catch let error as LoginClientError where error.code == .otherService {
            let stored = (try? await tokenFile.fetch())?.service ?? "another service"
            let given = try endpoint().withoutQuery
            FileHandle.warn("the session file belongs to \(printable(stored)), not to \(given)")
            throw ExitCode.refused
        } catch let error as LoginClientError {
            FileHandle.warn(error.report)
            throw error.exitStatus
        } catch let error as ProviderMetadataError {
            FileHandle.warn("\(error)")
            throw ExitCode.undecided
        } catch let error as LoginFailure {
            FileHandle.warn("\(error)")
            throw error.code == .unavailable ? ExitCode.undecided : .refused
        } catch let error as LoginManagerError {
            FileHandle.warn("\(error)")
            throw ExitCode.refused
        } catch let error as TransportFailure {
            FileHandle.warn(error.detail)
            throw ExitCode.validationFailure
        } catch let error as FileProblem {
            FileHandle.warn("\(error)")
            throw error.status
        } catch let error as TokenFileError {
            FileHandle.warn("cannot use the session file \(ShownArgument(session ?? "")): \(error)")
            throw ExitCode.validationFailure
        }
    }

    /// Opens the stored session, and signs in again if it is no longer valid.
    private func open(_ user: ClientSession, _ transport: any HTTPTransport) async throws {
        do {
            try await user.open()
            try show(Self.text(try await user.account()))
        } catch let error as LoginClientError where error.endsSession {
            FileHandle.warn("the session has ended: \(error.code.rawValue)")
            try await signIn(makeSession(transport), transport)
        }
    }

    private func signIn(_ user: ClientSession, _ transport: any HTTPTransport) async throws {
        guard serviceProvider != nil || clientID != nil || issuer.isGiven else {
            FileHandle.warn("not signed in: sign in with --service-provider, --client-id, and --issuer or --provider")
            throw ExitCode.refused
        }
        guard let serviceProvider, let clientID, issuer.isGiven else {
            throw ValidationError(
                "There is no valid session: --service-provider, --client-id, and --issuer or --provider are required."
            )
        }
        let clientSecret = try clientSecretFile.map { try readSecret($0) }
        let provider = try provider()
        let (attempt, outcome) = try await LoopbackListener.run(port: port) { listener in
            let metadata = try await ProviderMetadata.fetch(provider: provider, transport: transport)
            let attempt = try await user.begin(provider: serviceProvider)
            let login = try NativeAppLogin(
                provider: provider,
                metadata: metadata,
                clientID: clientID,
                clientSecret: clientSecret,
                redirectURL: listener.redirectURL,
                nonce: attempt.nonce
            )
            try show("Open this URL in a browser on this machine:\n\(printable(login.url))")
            let outcome = try await listener.response(within: Self.timeout(until: attempt.expiresAt)) { query in
                let outcome = try await login.outcome(of: LoginCallback(query: query), transport: transport)
                if outcome == nil { FileHandle.warn("a response of another login was refused") }
                return outcome
            }
            return (attempt, outcome)
        }
        guard case .idToken(let idToken, _)? = outcome else {
            try await user.cancelSignIn()
            FileHandle.warn(outcome == nil ? "the login took too long: begin again" : "the login was cancelled")
            throw ExitCode.refused
        }
        switch try await user.signIn(with: .idToken(idToken, attempt: attempt)) {
        case .signedIn(let result): try show(Self.text(result.account))
        case .secondFactorRequired(let resolver):
            guard let account = try await SecondFactorPrompt(session: user, resolver: resolver).complete() else {
                try await user.cancelSignIn()
                throw ExitCode.refused
            }
            try show(Self.text(account))
        case .accountExists:
            FileHandle.warn("another account has this e-mail address: sign in there, and link the login")
            throw ExitCode.refused
        }
    }

    /// Returns the time to wait for responses until an attempt expires: at least five minutes, because the clock of the
    /// service may differ, and at most one hour.
    static func timeout(until expiry: Date, now: Date = Date()) -> Duration {
        .seconds(min(max(300, expiry.timeIntervalSince(now)), 3600))
    }

    private static func text(_ account: ClientAccount) -> String {
        let name = account.email ?? account.displayName ?? "no e-mail address"
        let providers = Set(account.logins.map(\.provider)).sorted().joined(separator: ", ")
        return "signed in: \(printable(name)), account \(printable(account.id)), logins: \(printable(providers))"
    }

    private func makeSession(_ transport: any HTTPTransport) throws -> ClientSession {
        ClientSession(
            transport: ServiceTransport(endpoint: try endpoint(), transport: transport),
            caching: tokenFile
        )
    }

    private var tokenFile: TokenFile { TokenFile(path: session ?? "") }

    /// The URL of the service.
    private func endpoint() throws(ValidationError) -> EndpointURL {
        let endpoint = try fetching.endpoint(service ?? "", option: "--service")
        guard !endpoint.target.contains("?") else { throw ValidationError("--service must have no query.") }
        return endpoint
    }

    private func provider() throws(ValidationError) -> Provider {
        do throws(PolicyError) {
            return fetching.applied(to: try issuer.tokenProvider())
        } catch {
            throw ValidationError("\(error)")
        }
    }
}
#endif
