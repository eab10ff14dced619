// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine && HTTPClient
internal import ArgumentParser
internal import Foundation
internal import LoginServer
internal import LoginTokens

/// A command that examines an issuer, without a token.
struct DoctorCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Examine an issuer: what works, what fails, and what to do.",
        usage: """
            verify-token doctor (<issuer> | --issuer <url> | --provider <name>)
                [<options>]
            """,
        discussion: """
            The discovery document and the keys are fetched as verify fetches them, without a token. Each check is a \
            line: ok; warning, if tokens can be verified nevertheless; or failed. For a provider named with \
            --provider, only logins in browsers use the discovery document, and Facebook's is not used at all; instead, \
            the version of its Graph API is checked against the days on which Facebook retires versions. What was not checked is \
            listed at the end.

              verify-token doctor https://login.example.com --public-url https://example.com --name example

            With --try-secret, the client secret is sent once to the token endpoint, which is named before. Only the answer \
            invalid_grant proves the secret; invalid_client is a failure, and every other answer proves nothing. The service never \
            does this, nor does serve --check.

            Exit status: 0 nothing failed; 1 a check fails until something is changed; 2 the issuer could not be \
            reached: try again; 64 usage, or no such file.
            """
    )

    @Argument(help: ArgumentHelp("The issuer, as with --issuer.", valueName: "issuer"))
    var url: String?

    @OptionGroup(title: "The issuer") var issuer: IssuerOptions
    @OptionGroup(title: "The client of the service") var client: ClientOptions
    @OptionGroup(title: "Fetching") var fetching: FetchOptions

    @Option(help: "The format of the report.")
    var format = ReportFormat.text

    func validate() throws {
        guard url == nil || !issuer.isGiven else {
            throw ValidationError("Give only one of <issuer>, --issuer and --provider.")
        }
        if let url, ShownArgument(url).hasToken {
            throw ValidationError("The argument looks like a token: name the issuer, which is its claim iss.")
        }
        let named = named
        let nobody = "<issuer> or --provider <name>"
        try VerifyToken.require(nothing: named.isGiven ? named.missing : [nobody])
        if issuer.provider != nil, let option = fetching.ofDiscovery.first {
            throw ValidationError("\(option) requires an issuer: the key set URL of a named provider is known.")
        }
        if client.secretFile != nil, issuer.provider == .facebook {
            throw ValidationError(
                "--try-secret requires a provider with a discovery document, which Facebook's flow does not use."
            )
        }
        _ = try policy()
    }

    func run() async throws {
        let secret: String?
        do {
            if let file = fetching.authoritiesFile { try openFile(file).close() }
            secret = try client.secretFile.map { try readSecret($0, isPrivate: true) }
        } catch let error as FileProblem {
            FileHandle.warn("\(error)")
            throw error.status
        }
        let policy = try policy()
        let transport = fetching.transport
        let issuerClient = IssuerClient(configuration: fetching.cacheConfiguration, transport: transport)
        let isFacebook = issuer.provider == .facebook
        // Facebook's flow for browsers uses no discovery.
        let documents = await issuerClient.documents(of: policy.provider, usesDiscovery: !isFacebook)
        let diagnosis = IssuerDiagnosis(
            documents: documents,
            policy: policy,
            client: client.registration(at: issuer.provider)
        )
        let now = SystemClock().now
        var findings = diagnosis.findings
        if isFacebook { findings.append(IssuerDiagnosis.graphVersionFinding(at: now)) }
        if let secret { findings.append(await trySecret(secret, diagnosis, transport)) }
        let report = DiagnosisReport(
            findings: findings,
            issuer: policy.provider.issuers.first ?? "",
            provider: issuer.provider?.rawValue,
            time: now,
            unchecked: diagnosis.unchecked(triesSecret: secret != nil)
        )
        switch format {
        case .text: try show(report.text(palette: .forOutput))
        case .json: try show(encodedJSON(report, pretty: false))
        }
        if let status = report.exitCode { throw status }
    }

    /// Sends the client secret to the token endpoint, unless there is an obstacle.
    private func trySecret(
        _ secret: String,
        _ diagnosis: IssuerDiagnosis,
        _ transport: any HTTPTransport
    ) async -> IssuerDiagnosis.Finding {
        let trial: SecretTrial
        do throws(SecretTrial.Obstacle) {
            trial = try SecretTrial(diagnosis, clientID: client.clientID ?? "")
        } catch {
            return error.finding
        }
        FileHandle.warn(trial.announcement)
        do throws(TransportFailure) {
            return trial.finding(about: .success(try await transport.send(trial.request(with: secret))))
        } catch {
            return trial.finding(about: .failure(error))
        }
    }

    /// The options for the issuer, with the argument in the place of `--issuer`.
    private var named: IssuerOptions {
        var options = issuer
        if let url { options.issuer = url }
        return options
    }

    /// Returns the default policy for tokens of the issuer.
    ///
    /// The audience is a placeholder, because no token is verified.
    private func policy() throws(ValidationError) -> TokenPolicy {
        do throws(PolicyError) {
            var provider = fetching.applied(to: try named.tokenProvider())
            // The issuer is a template, which implies no place of the document.
            if issuer.provider == .microsoft, IssuerDiagnosis.isOfTenants(provider.issuers[0]) {
                provider.documents.discoveryURL =
                    "https://\(Provider.microsoftHost)/common/v2.0/.well-known/openid-configuration"
            }
            return try TokenPolicy(provider: provider, audiences: ["client"])
        } catch {
            throw ValidationError("\(error)")
        }
    }
}
#endif
