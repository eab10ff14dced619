// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import ArgumentParser
internal import Foundation
internal import LimitedLogin
internal import LoginTesting
internal import LoginTokens
internal import Synchronization

/// Verifies one token and reports.
struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verify a token (the default).",
        usage: """
            verify-token verify [<file>] (--provider <name> | --issuer <url>)
                --audience <id> --keys <file>
                (--nonce <value> | --nonce-sha256 <value> |
                --nonce-absent | --nonce-unchecked <reason>)
                [<options>]
            """,
        discussion: """
            Say whose token it must be, for whom, and what its nonce must be; none of these has a default.

              verify-token verify token.jwt --provider facebook --app-id 123 \\
                --nonce abc --keys keys.json
              verify-token verify token.jwt --provider microsoft --tenant any \\
                --audience 123 --nonce abc --keys keys.json

            Nothing is fetched. The keys are those that the provider publishes:

            \(keyAddresses)

            With Microsoft the tenant's ID may stand in place of common, and consumers for personal accounts. Other \
            providers name the address as jwks_uri in <issuer>/.well-known/openid-configuration. Keys change: fetch \
            them again when one is not found.

              curl -fsS URL -o keys.new && mv keys.new keys.json
            """
    )

    /// A line for each provider that has a name here: where it publishes its keys.
    private static var keyAddresses: String {
        [Provider.facebook, .google, .apple, .microsoftAnyTenant]
            .map { "  \(padded($0.name, to: 10)) \($0.keySetURL ?? "")" }
            .joined(separator: "\n")
    }

    @OptionGroup var input: TokenInput
    @OptionGroup(title: "What the token must say") var policy: PolicyOptions
    @OptionGroup(title: "The nonce: exactly one of") var nonce: NonceOptions
    @OptionGroup(title: "What came with the token") var response: AuthorizationResponseOptions

    @OptionGroup var keys: KeyOptions

    @Flag(help: "Show every check, not only the one that failed.")
    var explain = false

    @Flag(help: "Show what the claims say, and the profile. Without it they are listed by name and type.")
    var showClaims = false

    @Option(help: "The form of the report.")
    var format = ReportFormat.text

    func validate() throws {
        try VerifyToken.require(nothing: policy.missing + nonce.missing + keys.missing)
    }

    func run() async throws {
        var notes: [String] = []
        let text = try input.read(notes: &notes)
        let policy = try policy.tokenPolicy()
        let clock = try self.policy.clock()
        let (accessToken, code) = try readResponse()
        var checks: [CheckReport] = []
        let verdict: VerificationReport.Verdict
        do throws(VerificationError) {
            let source = KeyFile(keys, provider: policy.provider)
            let verifier = TokenVerifier(policy: policy, keys: source, clock: clock)
            let token = try await verifier.verify(
                text,
                nonce: nonce.expectation,
                accessToken: accessToken,
                code: code,
                explain: { checks.append($0) }
            )
            verdict = .verified(token)
        } catch {
            verdict = VerificationReport.Verdict(error)
        }
        let report = VerificationReport(verdict: verdict, checks: checks, showsClaims: showClaims, time: clock.now)
        switch format {
        case .text: try show(report.text(explains: explain, notes: notes, palette: .forOutput))
        case .json: try show(report.json())
        }
        if let status = report.exitCode { throw status }
    }

    private func readResponse() throws -> (accessToken: HashExpectation?, code: HashExpectation?) {
        do {
            return (try response.accessToken(), try response.code())
        } catch {
            FileHandle.warn("\(error)")
            throw ExitCode.undecided
        }
    }
}

/// Keys in a file, which is read once: a pipe has nothing to give a second time.
///
/// A file that cannot be read leaves the verdict open: the token may be good.
private final class KeyFile: KeySource {
    private let options: KeyOptions
    private let provider: Provider
    private let found = Mutex<Result<KeySnapshot, KeysUnavailable>?>(nil)

    init(_ options: KeyOptions, provider: Provider) {
        self.options = options
        self.provider = provider
    }

    func snapshot(for issuer: String) async throws(KeysUnavailable) -> KeySnapshot {
        let result = found.withLock { found in
            let result = found ?? Result { () throws(KeysUnavailable) in try read() }
            found = result
            return result
        }
        return try result.get()
    }

    func refreshed(for issuer: String, unknownKeyID: String?) async throws(KeysUnavailable) -> KeySnapshot {
        try await snapshot(for: issuer)
    }

    private func read() throws(KeysUnavailable) -> KeySnapshot {
        KeySnapshot(provider: provider, keys: try options.read(of: provider))
    }
}
#endif
