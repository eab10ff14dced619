// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import ArgumentParser
internal import Foundation
internal import LimitedLogin
internal import LoginServer
internal import LoginTesting
internal import LoginTokens

/// A claim that can be printed alone.
enum ShownClaim: String, ExpressibleByArgument, CaseIterable {
    case subject
}

/// A command that verifies one token and prints a report.
struct VerifyCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verify a token (the default).",
        usage: """
            verify-token verify [<file>] (--provider <name> | --issuer <url>)
                --audience <id> (--nonce <value> | --nonce-sha256 <value> |
                --nonce-absent | --nonce-unchecked <reason>)
                [--keys <file or url> | --secret-file <file>] [<options>]
            """,
        discussion: """
            The issuer, the audience and the nonce have no default: specify all three.

              verify-token verify token.jwt --provider facebook --app-id 123 \\
                --nonce abc
              verify-token verify token.jwt --issuer https://login.example.com \\
                --audience 123 --nonce abc --keys-cache keys

            A token of any age is accepted until it expires; LimitedLoginVerifier accepts it for ten minutes, as --max-age 600 \
            does. verify-token access verifies access tokens.

            Each run fetches the keys, unless --keys-cache has stored them. The URL is known for the named providers; with \
            --issuer, it comes from the discovery document, and its host must be the issuer's or one of --keys-host. \
            With --keys <file>, nothing is fetched. The known URLs are:

            \(keyAddresses)

            With --secret-file, tokens are signed with a secret of your client (HS256, HS384 or HS512), and no keys are used.

            For Microsoft, common can be replaced by the tenant's ID, or by consumers for personal accounts. To fetch keys for a \
            machine without network access, use two steps, so that a failure does not replace valid keys:

              curl -fsS URL -o keys.new && mv keys.new keys.json
            """
    )

    /// The addresses where the named providers publish their keys, one on each line.
    private static var keyAddresses: String {
        [Provider.facebook, .google, .apple, .microsoftAnyTenant]
            .map { "  \(padded($0.name, to: 10)) \($0.keySetURL ?? "")" }
            .joined(separator: "\n")
    }

    @OptionGroup var input: TokenInput
    @OptionGroup(title: "The expected claims") var policy: PolicyOptions
    @OptionGroup(title: "The nonce, exactly one of these") var nonce: NonceOptions
    @OptionGroup(title: "Values received with the token") var response: AuthorizationResponseOptions

    @OptionGroup(title: "The keys") var keys: KeyOptions
    @OptionGroup(title: "The secret, instead of keys") var secret: SharedSecretOptions

    @Option(
        name: .customLong("show"),
        help: ArgumentHelp(
            "Print only this claim of a verified token, for scripts. If the token is not verified, print the reason to standard error.",
            valueName: "claim"
        )
    )
    var shownClaim: ShownClaim?

    @OptionGroup var output: ReportOptions

    func validate() throws {
        guard shownClaim == nil || !output.explain && !output.showClaims && output.format == .text else {
            throw ValidationError("--show cannot be combined with --explain, --show-claims and --format.")
        }
        try VerifyToken.require(nothing: policy.missing + nonce.missing + secret.missing(keys))
        let provider = try policy.tokenPolicy().provider
        try nonce.validate(for: provider)
        try secret.check(policy)
        _ = try secret.source(or: keys, policy.algorithms, of: provider)
    }

    func run() async throws {
        var notes: [String] = []
        let text = try input.read(notes: &notes, limit: policy.limits.maxTokenBytes)
        let report = try await report(on: text)
        guard shownClaim == .subject else { return try output.finish(report, notes: notes) }
        try showSubject(report)
        if let status = report.exitCode { throw status }
    }

    /// Prints only the subject of a verified token.
    ///
    /// Otherwise writes the reason to standard error.
    private func showSubject(_ report: VerificationReport) throws(ExitCode) {
        guard case .verified(let content) = report.verdict else {
            return FileHandle.warn(
                report.text(explains: false, notes: [], palette: Palette(environment: [:], isTerminal: false))
            )
        }
        if let reason = nonce.nonceUnchecked { FileHandle.warn("NONCE NOT CHECKED: \(quoted(reason))") }
        let subject = content.claims.subject ?? ""
        guard printable(subject) == subject else {
            FileHandle.warn("the subject has characters that cannot be printed: use --format json --show-claims")
            throw .undecided
        }
        try show(subject)
    }

    private func report(on text: String) async throws -> VerificationReport {
        let (accessToken, code, sharedSecret) = try readFiles()
        let source = try secret.source(or: keys, policy.algorithms, of: policy.tokenPolicy().provider)
        let verifier = try policy.verifier(sharedSecret, keys: source)
        var checks: [CheckReport] = []
        let result: Result<ReportedContent, VerificationError> = await source.serving {
            do throws(VerificationError) {
                let token = try await verifier.verify(
                    text,
                    nonce: nonce.expectation,
                    accessToken: accessToken,
                    code: code,
                    explain: { checks.append($0) }
                )
                return .success(ReportedContent(token, showsClaims: output.showClaims))
            } catch {
                return .failure(error)
            }
        }
        var hints: [String] = []
        if case .failure(.refused(let refusal)) = result {
            let nonce = nonce.expectedValue
            hints = RefusalHints(refusal: refusal, text: text, nonce: nonce, hasKeyInPEM: source.hasKeyInPEM).all
        }
        return VerificationReport(
            verdict: VerificationReport.Verdict(result),
            checks: checks,
            keys: source.origin,
            showsClaims: output.showClaims,
            hints: hints,
            failureStatus: source.failureStatus,
            time: try policy.clock().now
        )
    }

    private func readFiles() throws -> (accessToken: HashExpectation?, code: HashExpectation?, SharedSecret?) {
        do throws(FileProblem) {
            let allowPublished = keys.fetching.allowPublishedTestKeys
            return (
                try response.accessToken(), try response.code(),
                try secret.read(policy.algorithms, allowPublished: allowPublished)
            )
        } catch {
            FileHandle.warn("\(error)")
            throw error.status
        }
    }
}
#endif
