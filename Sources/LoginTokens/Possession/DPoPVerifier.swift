// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Verifies DPoP proofs (RFC 9449): that the sender of a request has the key to which its token is bound.
///
/// ```swift
/// let dpop = DPoPVerifier(ledger: InMemoryDPoPLedger())
///
/// // For each request, after its token was verified:
/// let request = DPoPRequest(method: "GET", url: "https://api.example/v1/me", proofs: fields)
/// try await dpop.verify(request, token: text, confirmation: token.confirmation)
/// ```
///
/// The checks run in the order of ``Check/inProofOrder``, and the first failure is the reason. A proof is accepted once:
/// its use is recorded as the last step, so a refused proof uses up nothing.
///
/// Any number of tasks may use one verifier. All verifiers of a service must share the ledger.
public struct DPoPVerifier: Sendable {
    /// The policy that proofs must meet.
    public let policy: DPoPPolicy

    private let ledger: any DPoPLedger
    private let clock: any WallClock
    private let knownKeys = KnownProofKeys()

    /// Creates a verifier.
    ///
    /// - Parameters:
    ///   - policy: The policy that proofs must meet.
    ///   - ledger: The ledger of used proofs. ``InMemoryDPoPLedger`` serves a single process.
    ///   - clock: The clock used for the age of proofs and nonces.
    public init(policy: DPoPPolicy = .standard, ledger: any DPoPLedger, clock: any WallClock = .system) {
        self.policy = policy
        self.ledger = ledger
        self.clock = clock
    }

    /// The current server nonce, for the `DPoP-Nonce` header field of responses (RFC 9449 §8); nil if the policy
    /// requires none.
    ///
    /// Send it with every refusal whose code is ``VerificationCode/proofNonce``, and with other responses to save the
    /// client a repetition.
    public var nonce: String? { policy.nonces?.nonce(at: clock.now) }

    /// Verifies that the sender of a request possesses what its token is bound to.
    ///
    /// - A token that is bound to a key (`cnf.jkt`) needs a proof by this key, made for this token and this request.
    /// - A token that is bound to a certificate (`cnf.x5t#S256`) needs this client certificate.
    /// - A token that is not bound is accepted without a proof, unless ``DPoPPolicy/requiresBoundTokens`` is set. With a
    ///   proof it is refused.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - token: The token as it was sent: an access token, or an ID token. It must have been verified.
    ///   - confirmation: The confirmation of the verified token.
    ///   - explain: A closure that receives the result of each check, in order, whatever the outcome.
    /// - Returns: The proof; nil if the token does not need one.
    /// - Throws: ``VerificationError/refused(_:)`` with a code of ``VerificationCode/possession``;
    ///   ``VerificationError/undecided(_:)`` with the code `proof-undecided` if the ledger is full or unavailable. The
    ///   proof may then be used up: the client must make a new one.
    @discardableResult
    public func verify(
        _ request: DPoPRequest,
        token: String,
        confirmation: TokenConfirmation,
        explain: ((CheckReport) -> Void)? = nil
    ) async throws(VerificationError) -> DPoPProof? {
        var recorded: [RecordedProof] = []
        return try await verify(
            request,
            token: token,
            confirmation: confirmation,
            recorded: &recorded,
            explain: explain
        )
    }

    /// Verifies that the sender of a request possesses what its token is bound to, for one of several resources that
    /// verify the same request.
    ///
    /// Every check is made, but a ledger that has recorded the proof for this request is not asked again: it would
    /// report a replay.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - token: The token as it was sent, which must have been verified.
    ///   - confirmation: The confirmation of the verified token.
    ///   - recorded: The proofs that ledgers have recorded for this request; the proof is added.
    ///   - explain: A closure that receives the result of each check, in order, whatever the outcome.
    /// - Returns: The proof; nil if the token does not need one.
    /// - Throws: ``VerificationError``, with the same codes as for a single resource.
    @discardableResult
    package func verify(
        _ request: DPoPRequest,
        token: String,
        confirmation: TokenConfirmation,
        recorded: inout [RecordedProof],
        explain: ((CheckReport) -> Void)? = nil
    ) async throws(VerificationError) -> DPoPProof? {
        var log = CheckLog(observer: explain, steps: Check.inProofOrder)
        guard request.proofs.isEmpty else {
            let token = PresentedToken(text: token, confirmation: confirmation)
            return try await verify(request, token: token, recorded: &recorded, log: &log)
        }
        log.skip(upTo: .binding, "the request has no proof")
        do throws(TokenRefusal) {
            try confirmation.check(
                keyThumbprint: nil,
                certificate: request.certificate,
                isRequired: policy.requiresBoundTokens
            )
        } catch {
            log.fail(.refused(error))
            throw .refused(error)
        }
        log.pass(.binding, confirmation.description)
        log.skip(upTo: nil, "the request has no proof")
        return nil
    }

    /// Verifies the proof of a request that sends no token, for example to a token endpoint (RFC 9449 §5).
    ///
    /// Bind the new token to ``DPoPProof/keyThumbprint``.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - explain: A closure that receives the result of each check, in order, whatever the outcome.
    /// - Returns: The proof.
    /// - Throws: ``VerificationError``, with the same codes as for a request with a token.
    public func verify(
        _ request: DPoPRequest,
        explain: ((CheckReport) -> Void)? = nil
    ) async throws(VerificationError) -> DPoPProof {
        var log = CheckLog(observer: explain, steps: Check.inProofOrder)
        var recorded: [RecordedProof] = []
        return try await verify(request, token: nil, recorded: &recorded, log: &log)
    }

    private func verify(
        _ request: DPoPRequest,
        token: PresentedToken?,
        recorded: inout [RecordedProof],
        log: inout CheckLog
    ) async throws(VerificationError) -> DPoPProof {
        do throws(VerificationError) {
            let now = clock.now
            let unused: UnusedProof
            do throws(TokenRefusal) {
                unused = try policy.check(
                    request,
                    token: token,
                    now: now.timeIntervalSince1970,
                    knownKeys: knownKeys,
                    log: &log
                )
            } catch {
                throw .refused(error)
            }
            try await recordUse(of: unused, now: now, in: &recorded)
            log.pass(.singleUse, "recorded for this request, not used before")
            return unused.proof
        } catch {
            log.fail(error)
            throw error
        }
    }

    private func recordUse(
        of unused: UnusedProof,
        now: Date,
        in recorded: inout [RecordedProof]
    ) async throws(VerificationError) {
        guard !recorded.contains(where: { $0.digest == unused.digest && $0.ledger === ledger }) else { return }
        let use: ProofUse
        do {
            use = try await ledger.use(unused.digest, until: Date(timeIntervalSince1970: unused.expiry), now: now)
        } catch {
            // The text of a store's error may contain anything.
            let detail = "the ledger of used proofs is unavailable: \(type(of: error))"
            throw .undecided(VerificationUnavailable(.proofUndecided, detail: detail))
        }
        switch use {
        case .first:
            // While a shared ledger was awaited, the proof may have expired, and its earlier entry been deleted.
            guard clock.now.timeIntervalSince1970 < unused.expiry else {
                throw .refused(TokenRefusal(.proofTooOld, "the proof expired while its use was recorded"))
            }
            recorded.append(RecordedProof(digest: unused.digest, ledger: ledger))
        case .replayed:
            throw .refused(TokenRefusal(.proofReplayed, "the proof was used before", member: "jti"))
        case .full:
            throw .undecided(VerificationUnavailable(.proofUndecided, detail: "the ledger of used proofs is full"))
        }
    }
}

/// A proof that a ledger has recorded for the current request.
package struct RecordedProof: Sendable {
    /// The digest of the proof.
    fileprivate let digest: ProofDigest

    /// The ledger.
    fileprivate let ledger: any DPoPLedger
}
