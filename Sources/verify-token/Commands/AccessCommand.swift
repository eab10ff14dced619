// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import ArgumentParser
internal import Foundation
internal import LoginServer
internal import LoginTokens

/// A command that verifies one access token, as an API does, and prints a report.
struct AccessCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "access",
        abstract: "Verify an access token, as an API does.",
        usage: """
            verify-token access [<file>] (--issuer <url> | --preset <name:value>)
                [--jwt-mark <claim[=value]> [--jwt-client-claim <claim>] [--jwt-scope-claim <claim>]]
                --audience <id> [--scope <scope> ...] [--client <id> ...]
                [--require-value <claim=value> ...]
                [--proof <file> --method <method> --url <url>]
                [--certificate <file>]
                [--introspect <url> --introspection-client <id>
                --introspection-secret-file <file> [--introspection-optional <member> ...]]
                [--keys <file or url> | --secret-file <file>] [<options>]
            """,
        discussion: """
            The issuer and the audience have no default: specify both. With --issuer, tokens must follow RFC 9068. A preset is a \
            name, a colon and a value, for issuers whose tokens have another form:

            \(presets)

              verify-token access token.jwt --preset auth0:example.eu.auth0.com \\
                --audience https://orders.example --scope orders:read

            For another issuer whose tokens have the typ JWT or none, name with --jwt-mark what separates them from its ID tokens, \
            refresh tokens and others: a claim that only they have, or the value of a claim. Claims of ID tokens, such as azp, \
            separate nothing, and no audience may be the ID of a client.

              verify-token access token.jwt --issuer https://login.example --jwt-mark scp --jwt-scope-claim scp \\
                --audience https://orders.example

            A token that is bound to a key or a certificate (cnf) is useless without it, and is refused unless --proof contains \
            the DPoP proof of a request with this token, or --certificate the client certificate. --allow-bound shows such a \
            token without either. That a proof is used once cannot be checked here.

            An opaque token has no signature: --introspect asks the endpoint of the issuer about it (RFC 7662). The answer must \
            have iss, aud, sub, client_id, iat and exp, unless --introspection-optional names the member. The secret is read from a file, so \
            that it appears neither in the process list nor in the shell history.

            Keys are fetched as by verify. With --secret-file, tokens are signed with a secret of your API (HS256, HS384 or HS512), and \
            no keys are used.
            """
    )

    /// The presets, one on each line.
    private static var presets: String {
        AccessTokenPreset.allCases
            .map { "  \(padded($0.rawValue + ":", to: 20)) \($0.value)" }
            .joined(separator: "\n")
    }

    @OptionGroup var input: TokenInput
    @OptionGroup(title: "The expected claims") var policy: AccessPolicyOptions
    @OptionGroup(title: "The proof of possession") var possession: PossessionOptions
    @OptionGroup(title: "Introspection") var introspection: IntrospectionOptions
    @OptionGroup(title: "The keys") var keys: KeyOptions
    @OptionGroup(title: "The secret, instead of keys") var secret: SharedSecretOptions
    @OptionGroup var output: ReportOptions

    func validate() throws {
        guard let endpoint = introspection.endpoint else {
            try VerifyToken.require(nothing: policy.missing + secret.missing(keys))
            _ = try source()
            return
        }
        try VerifyToken.require(nothing: policy.missing + introspection.missing)
        if let option = keys.ofKeys.first {
            throw ValidationError("\(option) is for keys, and cannot be combined with --introspect.")
        }
        guard secret.secretFile == nil else {
            throw ValidationError("--secret-file cannot be combined with --introspect.")
        }
        _ = try keys.fetching.endpoint(endpoint, option: "--introspect")
        do {
            _ = try introspectionPolicy()
        } catch {
            throw ValidationError("\(error)")
        }
    }

    private func source() throws -> any ReportingKeySource {
        try secret.source(or: keys, policy.algorithms, of: policy.accessTokenPolicy().issuer.provider)
    }

    private func introspectionPolicy() throws -> IntrospectionPolicy {
        try policy.introspectionPolicy(optionalMembers: Set(introspection.optionalMembers))
    }

    func run() async throws {
        var notes: [String] = []
        let text = try input.read(notes: &notes, limit: policy.limits.maxTokenBytes)
        let clock = try policy.validity.time.clock()
        do {
            let request = try possession.readRequest()
            let report =
                if introspection.isGiven {
                    try await introspectionReport(on: text, of: request, clock: clock)
                } else {
                    try await report(on: text, of: request, clock: clock)
                }
            try output.finish(report, notes: notes)
        } catch let error as FileProblem {
            FileHandle.warn("\(error)")
            throw error.status
        }
    }

    private func introspectionReport(
        on text: String,
        of request: DPoPRequest,
        clock: any WallClock
    ) async throws -> VerificationReport {
        let introspector = try introspection.introspector(
            policy: introspectionPolicy(),
            fetching: keys.fetching,
            clock: clock
        )
        var proofChecks: [CheckReport] = []
        let result: Result<ReportedContent, VerificationError>
        do throws(VerificationError) {
            let token = try await introspector.verify(text)
            result = .success(
                try await content(of: token, text, request, clock: clock, explain: { proofChecks.append($0) })
            )
        } catch {
            result = .failure(error)
        }
        var hints: [String] = []
        if case .failure(.refused(let refusal)) = result { hints = AccessTokenHints.introspection(refusal) }
        return VerificationReport(
            verdict: VerificationReport.Verdict(result),
            checks: [],
            proofChecks: proofChecks,
            showsClaims: output.showClaims,
            hints: hints,
            time: clock.now
        )
    }

    /// Checks that the client possesses what an accepted token is bound to, and returns the content for the report.
    private func content(
        of token: AcceptedAccessToken,
        _ text: String,
        _ request: DPoPRequest,
        clock: any WallClock,
        explain: @escaping (CheckReport) -> Void
    ) async throws(VerificationError) -> ReportedContent {
        let proof = try await possession.check(
            token.confirmation,
            text,
            request: request,
            clock: clock,
            explain: explain
        )
        return ReportedContent(
            token,
            proof: proof,
            isProven: !possession.allowBound,
            showsClaims: output.showClaims
        )
    }

    private func report(
        on text: String,
        of request: DPoPRequest,
        clock: any WallClock
    ) async throws -> VerificationReport {
        let source = try source()
        let sharedSecret = try secret.read(policy.algorithms, allowPublished: keys.fetching.allowPublishedTestKeys)
        let verifier = try policy.verifier(sharedSecret, keys: source, clock: clock)
        var checks: [CheckReport] = []
        var proofChecks: [CheckReport] = []
        let result: Result<ReportedContent, VerificationError> = await source.serving {
            do throws(VerificationError) {
                let token = try await verifier.verify(text, explain: { checks.append($0) })
                let accepted = AcceptedAccessToken(token)
                return .success(
                    try await content(of: accepted, text, request, clock: clock, explain: { proofChecks.append($0) })
                )
            } catch {
                return .failure(error)
            }
        }
        var hints: [String] = []
        if case .failure(.refused(let refusal)) = result {
            hints = AccessTokenHints(refusal: refusal, text: text, hasKeyInPEM: source.hasKeyInPEM).all
        }
        return VerificationReport(
            verdict: VerificationReport.Verdict(result),
            checks: checks,
            proofChecks: proofChecks,
            keys: source.origin,
            showsClaims: output.showClaims,
            hints: hints,
            failureStatus: source.failureStatus,
            time: clock.now
        )
    }
}
#endif
