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

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The maximum age of the proof, 1 to 300; without it, 60.",
            valueName: "seconds"
        )
    )
    var proofMaxAge: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The time by which the proof may be ahead of the clock, 0 to 60; without it, 30.",
            valueName: "seconds"
        )
    )
    var proofLeeway: Int?

    @Option(
        help: ArgumentHelp(
            "The client certificate of the TLS connection, in PEM form. That the client has its private key is not checked here.",
            valueName: "file"
        ),
        completion: .file()
    )
    var certificate: String?

    @Flag(help: "Accept a bound token without proof of possession, to look at it. Never in a server.")
    var allowBound = false

    func validate() throws {
        let hasRequest = request.method != nil || request.url != nil
        guard proof != nil || !hasRequest else { throw ValidationError("--method and --url require --proof.") }
        guard proof != nil || (proofMaxAge == nil && proofLeeway == nil) else {
            throw ValidationError("--proof-max-age and --proof-leeway require --proof.")
        }
        if let proofMaxAge, !(1...300).contains(proofMaxAge) {
            throw ValidationError("--proof-max-age: \(proofMaxAge) s is not from 1 to 300 s.")
        }
        if let proofLeeway, !(0...60).contains(proofLeeway) {
            throw ValidationError("--proof-leeway: \(proofLeeway) s is not from 0 to 60 s.")
        }
        guard (proof == nil && certificate == nil) || !allowBound else {
            throw ValidationError(
                "--allow-bound is for a token without proof, and cannot be combined with --proof or --certificate."
            )
        }
        if proof != nil { try VerifyToken.require(nothing: request.missing) }
    }

    /// Reads the files, and returns the request with the proof and the client certificate in them.
    func readRequest() throws(FileProblem) -> DPoPRequest {
        let proof = try proof.map(readCredential)
        return try request.request(proofs: proof.map { [$0] } ?? [], certificate: readCertificate())
    }

    private func readCertificate() throws(FileProblem) -> ClientCertificate? {
        guard let certificate else { return nil }
        let content = Array(try readFile(certificate, limit: Limits.keySetBytes))
        do {
            return try ClientCertificate(der: PEM.certificate(content))
        } catch {
            throw FileProblem("cannot use \(ShownArgument(certificate)): \(error)")
        }
    }

    /// Checks what an accepted token is bound to.
    ///
    /// - Parameters:
    ///   - confirmation: The key and the certificate that the token is bound to.
    ///   - text: The token as it was sent.
    ///   - request: The request with the token, as ``readRequest()`` returns it.
    ///   - clock: The clock used for the age of the proof.
    ///   - explain: A closure that receives the result of each check of a bound token or a proof.
    /// - Returns: The verified proof; nil if the token is not bound to a key, or for `--allow-bound`.
    /// - Throws: `VerificationError` with a code of `VerificationCode.possession`.
    func check(
        _ confirmation: TokenConfirmation,
        _ text: String,
        request: DPoPRequest,
        clock: any WallClock,
        explain: @escaping (CheckReport) -> Void
    ) async throws(VerificationError) -> DPoPProof? {
        if allowBound {
            do throws(TokenRefusal) {
                try confirmation.check()
            } catch {
                // A confirmation that cannot be read is refused in any case.
                guard [.proofRequired, .certificateRequired].contains(error.code) else { throw .refused(error) }
            }
            return nil
        }
        guard !request.proofs.isEmpty || confirmation.isBound else { return nil }
        let ledger = InMemoryDPoPLedger(capacity: 1)
        return try await DPoPVerifier(policy: proofPolicy, ledger: ledger, clock: clock).verify(
            request,
            token: text,
            confirmation: confirmation,
            explain: explain
        )
    }

    private var proofPolicy: DPoPPolicy {
        do throws(PolicyError) {
            return try DPoPPolicy(
                maximumAge: proofMaxAge.map { .seconds($0) } ?? DPoPPolicy.standard.maximumAge,
                leeway: proofLeeway.map { .seconds($0) } ?? DPoPPolicy.standard.leeway
            )
        } catch {
            preconditionFailure("validate() has checked the times")
        }
    }
}
#endif
