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
                [--keys <file or url>] [<options>]
            """,
        discussion: """
            The issuer, the audience and the nonce have no default: specify all three.

              verify-token verify token.jwt --provider facebook --app-id 123 \\
                --nonce abc
              verify-token verify token.jwt --issuer https://login.example.com \\
                --audience 123 --nonce abc --keys-cache keys

            Each run fetches the keys, unless --keys-cache has stored them. The URL is known for the named providers; with \
            --issuer, it comes from the discovery document, and its host must be the issuer's or one of --keys-host. \
            With --keys <file>, nothing is fetched. The known URLs are:

            \(keyAddresses)

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

    @Flag(help: "Show all checks, not only the failed one.")
    var explain = false

    @Flag(help: "Show the values of claims, and the profile. Without it, claims are listed by name and type.")
    var showClaims = false

    @Option(
        name: .customLong("show"),
        help: ArgumentHelp(
            "Print only this claim of a verified token, for scripts. If the token is not verified, print the reason to standard error.",
            valueName: "claim"
        )
    )
    var shownClaim: ShownClaim?

    @Option(help: "The format of the report. If the input cannot be read, both formats report it on standard error.")
    var format = ReportFormat.text

    func validate() throws {
        guard shownClaim == nil || !explain && !showClaims && format == .text else {
            throw ValidationError("--show cannot be combined with --explain, --show-claims and --format.")
        }
        try VerifyToken.require(nothing: policy.missing + nonce.missing + keys.missing)
        _ = try keys.source(of: policy.tokenPolicy().provider)
    }

    func run() async throws {
        var notes: [String] = []
        let text = try input.read(notes: &notes)
        let policy = try policy.tokenPolicy()
        let clock = try self.policy.clock()
        let report = try await report(on: text, policy, clock: clock)
        switch (format, shownClaim) {
        case (_, .subject?): try showSubject(report)
        case (.text, nil): try show(report.text(explains: explain, notes: notes, palette: .forOutput))
        case (.json, nil): try show(report.json())
        }
        if let status = report.exitCode { throw status }
    }

    /// Prints only the subject of a verified token.
    ///
    /// Otherwise writes the reason to standard error.
    private func showSubject(_ report: VerificationReport) throws(ExitCode) {
        guard case .verified(let token) = report.verdict else {
            return FileHandle.warn(
                report.text(explains: false, notes: [], palette: Palette(environment: [:], isTerminal: false))
            )
        }
        if let reason = nonce.nonceUnchecked { FileHandle.warn("NONCE NOT CHECKED: \(quoted(reason))") }
        guard printable(token.subject) == token.subject else {
            FileHandle.warn("the subject has characters that cannot be printed: use --format json --show-claims")
            throw .undecided
        }
        try show(token.subject)
    }

    private func report(
        on text: String,
        _ policy: TokenPolicy,
        clock: any WallClock
    ) async throws -> VerificationReport {
        let (accessToken, code) = try readResponse()
        let source = try keys.source(of: policy.provider)
        let verifier = TokenVerifier(policy: policy, keys: source, clock: clock)
        var checks: [CheckReport] = []
        let verdict = await source.serving {
            do throws(VerificationError) {
                let token = try await verifier.verify(
                    text,
                    nonce: nonce.expectation,
                    accessToken: accessToken,
                    code: code,
                    explain: { checks.append($0) }
                )
                return VerificationReport.Verdict.verified(token)
            } catch {
                return VerificationReport.Verdict(error)
            }
        }
        var hints: [String] = []
        if case .refused(let refusal) = verdict {
            let nonce = nonce.expectedValue
            hints = RefusalHints(refusal: refusal, text: text, nonce: nonce, hasKeyInPEM: source.hasKeyInPEM).all
        }
        return VerificationReport(
            verdict: verdict,
            checks: checks,
            keys: source.origin,
            showsClaims: showClaims,
            hints: hints,
            failureStatus: source.failureStatus,
            time: clock.now
        )
    }

    private func readResponse() throws -> (accessToken: HashExpectation?, code: HashExpectation?) {
        do throws(FileProblem) {
            return (try response.accessToken(), try response.code())
        } catch {
            FileHandle.warn("\(error)")
            throw error.status
        }
    }
}
#endif
