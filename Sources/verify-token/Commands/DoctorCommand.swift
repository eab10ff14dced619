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
            the version of its Graph API is checked against the days on which Facebook retires versions.

              verify-token doctor https://login.example.com

            Exit status: 0 nothing failed; 1 a check fails until something is changed; 2 the issuer could not be \
            reached: try again; 64 usage, or no such file.
            """
    )

    @Argument(help: ArgumentHelp("The issuer, as with --issuer.", valueName: "issuer"))
    var url: String?

    @OptionGroup(title: "The issuer") var issuer: IssuerOptions
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
        _ = try policy()
    }

    func run() async throws {
        do {
            if let file = fetching.authoritiesFile { try openFile(file).close() }
        } catch let error as FileProblem {
            FileHandle.warn("\(error)")
            throw error.status
        }
        let policy = try policy()
        let client = IssuerClient(configuration: fetching.cacheConfiguration, transport: fetching.transport)
        // Facebook's flow for browsers uses no discovery.
        let documents = await client.documents(of: policy.provider, usesDiscovery: issuer.provider != .facebook)
        let diagnosis = IssuerDiagnosis(documents: documents, policy: policy)
        let now = SystemClock().now
        let isFacebook = issuer.provider == .facebook
        let report = DiagnosisReport(
            verdict: diagnosis.verdict,
            findings: diagnosis.findings + (isFacebook ? [IssuerDiagnosis.graphVersionFinding(at: now)] : []),
            issuer: policy.provider.issuers.first ?? "",
            provider: issuer.provider?.rawValue,
            time: now
        )
        switch format {
        case .text: try show(report.text(palette: .forOutput))
        case .json: try show(encodedJSON(report, pretty: false))
        }
        if let status = report.exitCode { throw status }
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
            let provider = fetching.applied(to: try named.tokenProvider())
            return try TokenPolicy(provider: provider, audiences: ["client"])
        } catch {
            throw ValidationError("\(error)")
        }
    }
}
#endif
