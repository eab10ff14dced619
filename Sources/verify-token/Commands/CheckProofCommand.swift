// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import ArgumentParser
internal import Foundation
internal import LoginCrypto
internal import LoginServer
internal import LoginText
internal import LoginTokens

/// A command that verifies a DPoP proof against a request.
struct CheckProofCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check a DPoP proof against a request.",
        usage: """
            verify-token dpop check [<file>] --method <method> --url <url>
                [--access-token-file <file>] [--nonce <value>] [<options>]
            """,
        discussion: """
            The access token is not verified; access verifies it together with its proof. If it is a JWT, it must be bound to \
            the key of the proof (cnf.jkt). That a proof is used once cannot be checked here.

              verify-token dpop check proof --method GET \\
                --url https://api.example/orders --access-token-file token
            """
    )

    @OptionGroup var input: ProofInput
    @OptionGroup(title: "The request") var request: ProofRequestOptions
    @OptionGroup(title: "The request") var token: PresentedTokenOptions

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The nonce of the server, which the proof must contain. Without it, the nonce is not checked.",
            valueName: "value"
        )
    )
    var nonce: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The maximum age of the proof, 1 to 300.", valueName: "seconds")
    )
    var maxAge = 60

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The time by which the proof may be ahead of the clock, 0 to 60.", valueName: "seconds")
    )
    var leeway = 30

    @Option(
        name: .customLong("algorithm"),
        help: ArgumentHelp(
            "An accepted algorithm; without it, ES256, RS256, PS256 and EdDSA. May be repeated.",
            valueName: "name"
        )
    )
    var algorithms: [SignatureAlgorithm] = []

    @OptionGroup var time: TimeOptions
    @OptionGroup var output: ReportOptions

    func validate() throws {
        try VerifyToken.require(nothing: request.missing)
        guard nonce != "" else { throw ValidationError("The value of --nonce is empty.") }
        guard (1...300).contains(maxAge) else {
            throw ValidationError("--max-age: \(maxAge) s is not from 1 to 300 s.")
        }
        guard (0...60).contains(leeway) else {
            throw ValidationError("--leeway: \(leeway) s is not from 0 to 60 s.")
        }
    }

    func run() async throws {
        var notes: [String] = []
        let text = try input.read(notes: &notes)
        let token: String?
        do throws(FileProblem) {
            token = try self.token.read()
        } catch {
            FileHandle.warn("\(error)")
            throw error.status
        }
        let policy = try DPoPPolicy(
            algorithms: algorithms.isEmpty ? DPoPPolicy.standard.algorithms : Set(algorithms),
            maximumAge: .seconds(maxAge),
            leeway: .seconds(leeway)
        )
        let clock = try time.clock()
        let report = await report(on: text, token: token, policy, clock: clock)
        try output.finish(report, notes: notes)
    }

    private func report(
        on text: String,
        token: String?,
        _ policy: DPoPPolicy,
        clock: any WallClock
    ) async -> VerificationReport {
        let verifier = DPoPVerifier(policy: policy, ledger: InMemoryDPoPLedger(capacity: 1), clock: clock)
        let claims = token.flatMap { (try? UnverifiedToken(inspecting: $0, limits: .largest))?.claims }
        var checks: [CheckReport] = []
        var verdict: VerificationReport.Verdict
        var hints: [String] = []
        do throws(VerificationError) {
            let proof: DPoPProof
            if let token, let claims {
                proof = try await verified(text, token, claims.confirmation, verifier) { checks.append($0) }
            } else {
                proof = try await verifier.verify(request.request(proofs: [text]), explain: { checks.append($0) })
            }
            let opaque = claims == nil ? token : nil
            verdict = .verified(content(proof, token: token == nil ? .absent : opaque == nil ? .unverified : .opaque))
            let expectations = expectations(proof, opaque: opaque)
            checks = checks.map { check in expectations.first { $0.check == check.check }?.report ?? check }
            if let refusal = expectations.compactMap(\.refusal).first { verdict = .refused(refusal) }
        } catch {
            verdict = VerificationReport.Verdict(.failure(error))
            hints = [AccessTokenHints.possession(error.code)].compactMap(\.self)
        }
        return VerificationReport(
            verdict: verdict,
            checks: checks,
            showsClaims: output.showClaims,
            hints: hints,
            time: clock.now
        )
    }

    /// Verifies the proof for an access token in JWT form.
    private func verified(
        _ text: String,
        _ token: String,
        _ confirmation: TokenConfirmation,
        _ verifier: DPoPVerifier,
        explain: @escaping (CheckReport) -> Void
    ) async throws(VerificationError) -> DPoPProof {
        let request = request.request(proofs: [text])
        let proof = try await verifier.verify(request, token: token, confirmation: confirmation, explain: explain)
        guard let proof else { preconditionFailure("the request has a proof") }
        return proof
    }

    private func content(_ proof: DPoPProof, token: ProofFacts.Token) -> ReportedContent {
        ReportedContent(
            summary: "verified: DPoP proof for \(quoted(request.method ?? "")) \(quoted(request.target))",
            claims: proof.claims,
            proof: ProofFacts(proof, token: token)
        )
    }

    /// Returns the results of the checks that the library's verifier cannot make: of a nonce by another server, and of
    /// the hash of a token without claims.
    private func expectations(_ proof: DPoPProof, opaque token: String?) -> [ProofExpectation] {
        let hash = token.map { Base64URL.encode(Digest.sha256.hash($0.utf8)) }
        return [
            nonce.map { ProofExpectation(.nonce, .proofNonce, "nonce", is: $0, in: proof.claims) },
            hash.map { ProofExpectation(.accessTokenHash, .proofTokenHash, "ath", is: $0, in: proof.claims) },
        ].compactMap(\.self)
    }
}

/// The result of comparing a claim of a verified proof with an expected value.
private struct ProofExpectation {
    let check: Check
    private let code: VerificationCode
    private let fault: String?

    init(_ check: Check, _ code: VerificationCode, _ claim: String, is expected: String, in claims: Claims) {
        self.check = check
        self.code = code
        let seen = claims[claim]
        fault = seen == nil ? "\(claim) is missing" : seen?.isString(expected) == true ? nil : "\(claim) does not match"
    }

    var report: CheckReport {
        let detail = fault.map { "\(code): \($0)" } ?? "matches"
        return CheckReport(check: check, outcome: fault == nil ? .pass : .fail, detail: detail)
    }

    var refusal: VerificationReport.Refusal? {
        fault.map { VerificationReport.Refusal(ofProof: code, $0) }
    }
}
#endif
