// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import ArgumentParser
internal import LoginServer
internal import LoginTokens

/// The check that the client possesses the key or the certificate that an access token is bound to.
///
/// A bound token without its proof is refused by default, as every API must refuse it: a script that looks only at the
/// exit status must not accept a stolen token.
struct PossessionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The DPoP proof of the request: the value of its field DPoP.", valueName: "file"),
        completion: .file()
    )
    var proof: String?

    @OptionGroup var request: ProofRequestOptions

    @Flag(help: "Accept a bound token without proof of possession, to look at it. Never in a server.")
    var allowBound = false

    func validate() throws {
        let hasRequest = request.method != nil || request.url != nil
        guard proof != nil || !hasRequest else { throw ValidationError("--method and --url require --proof.") }
        guard proof == nil || !allowBound else {
            throw ValidationError("--allow-bound is for a token without proof, and cannot be combined with --proof.")
        }
        if proof != nil { try VerifyToken.require(nothing: request.missing) }
    }

    /// Reads the proof; nil if no file is given.
    func readProof() throws(FileProblem) -> String? {
        try proof.map(readCredential)
    }

    /// Checks what a verified token is bound to.
    ///
    /// - Parameters:
    ///   - token: The verified token.
    ///   - text: The token as it was sent.
    ///   - proof: The proof; nil if there is none.
    ///   - clock: The clock used for the age of the proof.
    ///   - explain: A closure that receives the result of each check of a bound token or a proof.
    /// - Returns: The verified proof; nil if the token is not bound, or for `--allow-bound`.
    /// - Throws: `VerificationError` with a code of `VerificationCode.possession`.
    func check(
        _ token: VerifiedAccessToken,
        _ text: String,
        proof: String?,
        clock: any WallClock,
        explain: @escaping (CheckReport) -> Void
    ) async throws(VerificationError) -> DPoPProof? {
        if allowBound {
            do throws(TokenRefusal) {
                try token.confirmation.check()
            } catch {
                // A confirmation that cannot be read is refused in any case.
                guard [.proofRequired, .certificateRequired].contains(error.code) else { throw .refused(error) }
            }
            return nil
        }
        guard proof != nil || token.confirmation.isBound else { return nil }
        return try await DPoPVerifier(ledger: InMemoryDPoPLedger(capacity: 1), clock: clock).verify(
            request.request(proofs: proof.map { [$0] } ?? []),
            token: text,
            confirmation: token.confirmation,
            explain: explain
        )
    }
}
#endif
