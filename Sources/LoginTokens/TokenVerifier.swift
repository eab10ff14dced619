// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Verifies that an ID token is genuine, meant for this client, and currently valid, and reports the reason if it is
/// not.
///
/// ```swift
/// let verifier = TokenVerifier(policy: policy, keys: keys)
/// let token = try await verifier.verify(text, nonce: .exactly(expected))
/// ```
///
/// The checks run in the order of ``Check/inOrder``, and the first failure is the reason. A token with an unknown
/// issuer or for another audience is refused before any key is looked up. Claims about a user or a time are judged only
/// after the signature was verified.
///
/// Any number of tasks may use one verifier. The verifier remembers parts of verified tokens to save work; this never
/// changes a result.
public struct TokenVerifier: Sendable {
    /// The policy that tokens must meet.
    public let policy: TokenPolicy

    /// A closure called with the result of each verification, for metrics: the error, or nil if the token was accepted.
    ///
    /// It is called synchronously before the result is returned, and must not block. For a single-use nonce, it is
    /// called before the nonce is consumed, so a refusal of the nonce is not reported to it.
    public var onVerdict: (@Sendable (VerificationError?) -> Void)?

    private let keys: any KeySource
    private let clock: any WallClock
    private let cache: VerifiedTokenCache?
    private let knownHeaders = KnownHeaders()
    private let id = VerifierID()

    /// Creates a verifier.
    ///
    /// - Parameters:
    ///   - policy: The policy that tokens must meet.
    ///   - keys: The source of the issuer's keys.
    ///   - clock: The clock used for expiry and other time checks.
    ///   - cache: The cache of verified tokens, which saves repeated signature checks; nil for none.
    public init(
        policy: TokenPolicy,
        keys: any KeySource,
        clock: any WallClock = .system,
        cache: VerifiedTokenCache? = nil
    ) {
        self.policy = policy
        self.keys = keys
        self.clock = clock
        self.cache = cache
    }

    /// Verifies a token, fetching keys if necessary.
    ///
    /// If the token names a key that is not available, or its signature does not verify with the available keys, the
    /// source is asked once for newer keys. A provider that has just begun to use a new key, under a new ID or an old
    /// one, costs one wait and no refusal.
    ///
    /// - Parameters:
    ///   - text: The token in its compact serialization, without surrounding characters.
    ///   - nonce: The expected nonce.
    ///   - accessToken: The access token issued with the ID token, whose hash is `at_hash`; nil if there is none.
    ///   - code: The authorization code issued with the ID token, whose hash is `c_hash`; nil if there is none.
    ///   - explain: A closure that receives the result of each check, in order, whatever the outcome.
    /// - Returns: The verified token.
    /// - Throws: ``VerificationError/refused(_:)`` if the token is not acceptable, with a code of
    ///   ``VerificationCode/refusals``; ``VerificationError/undecided(_:)`` if the keys are unavailable.
    public func verify(
        _ text: String,
        nonce: NonceExpectation,
        accessToken: HashExpectation? = nil,
        code: HashExpectation? = nil,
        explain: ((CheckReport) -> Void)? = nil
    ) async throws(VerificationError) -> VerifiedToken {
        var log = CheckLog(observer: explain)
        let expectations = Expectations(nonce: nonce, accessToken: accessToken, code: code)
        return try await verify(text, expectations, log: &log)
    }

    /// Verifies a token whose nonce a store issued, and consumes the nonce, so that no token is accepted twice.
    ///
    /// ```swift
    /// let token = try await verifier.verify(text, nonce: .singleUse(nonces, purpose: .signIn, binding: binding))
    /// ```
    ///
    /// - Parameters:
    ///   - text: The token in its compact serialization, without surrounding characters.
    ///   - nonce: The nonce store, and the purpose and the binding for which the nonce was issued.
    ///   - accessToken: The access token issued with the ID token, whose hash is `at_hash`; nil if there is none.
    ///   - code: The authorization code issued with the ID token, whose hash is `c_hash`; nil if there is none.
    ///   - explain: A closure that receives the result of each check, in order, whatever the outcome.
    /// - Returns: The verified token, whose nonce is now consumed.
    /// - Throws: ``VerificationError``; rethrows errors of the nonce store. After a store error the token may still be
    ///   valid, and the nonce may be consumed.
    public func verify(
        _ text: String,
        nonce: SingleUseNonce,
        accessToken: HashExpectation? = nil,
        code: HashExpectation? = nil,
        explain: ((CheckReport) -> Void)? = nil
    ) async throws -> VerifiedToken {
        var log = CheckLog(observer: explain)
        let expectations = Expectations(nonce: .storeIssued, accessToken: accessToken, code: code)
        let token = try await verify(text, expectations, log: &log)
        let refusal: TokenRefusal?
        do {
            refusal = try await nonce.refusal(of: token)
        } catch {
            log.skip(.singleUse, "the nonce store is unavailable")
            throw error
        }
        if let refusal {
            log.fail(.refused(refusal))
            throw VerificationError.refused(refusal)
        }
        log.pass(.singleUse, "consumed now, not used before")
        return token
    }

    /// Verifies a token that a provider issued in exchange for a refresh token.
    ///
    /// The token must meet the policy like any other, including a maximum authentication age. It must have the same
    /// issuer, subject, audience and authentication as the first token of the sign-in, and the same nonce or none
    /// (OpenID Connect Core §12.2).
    ///
    /// - Parameters:
    ///   - text: The token in its compact serialization, without surrounding characters.
    ///   - original: The data retained from the first token.
    ///   - accessToken: The access token issued with the ID token, whose hash is `at_hash`; nil if there is none.
    ///   - explain: A closure that receives the result of each check, in order, whatever the outcome.
    /// - Returns: The verified token.
    /// - Throws: ``VerificationError``, with the same codes as for other tokens.
    public func verifyRefreshed(
        _ text: String,
        of original: OriginalAuthentication,
        accessToken: HashExpectation? = nil,
        explain: ((CheckReport) -> Void)? = nil
    ) async throws(VerificationError) -> VerifiedToken {
        let nonce = NonceExpectation.unchanged(from: original.nonce)
        return try await verifyRefreshed(text, of: original, nonce: nonce, accessToken: accessToken, explain: explain)
    }

    /// Verifies a refreshed token of a provider whose refreshed tokens do not follow the nonce rule of Core §12.2.
    package func verifyRefreshed(
        _ text: String,
        of original: OriginalAuthentication,
        nonce: NonceExpectation,
        accessToken: HashExpectation? = nil,
        explain: ((CheckReport) -> Void)? = nil
    ) async throws(VerificationError) -> VerifiedToken {
        var log = CheckLog(observer: explain)
        let expectations = Expectations(nonce: nonce, accessToken: accessToken, original: original)
        return try await verify(text, expectations, log: &log)
    }

    private func verify(
        _ text: String,
        _ expectations: Expectations,
        log: inout CheckLog
    ) async throws(VerificationError) -> VerifiedToken {
        do throws(VerificationError) {
            let token = try await judge(text, expectations, log: &log)
            onVerdict?(nil)
            return token
        } catch {
            log.fail(error)
            onVerdict?(error)
            throw error.recognizing(text)
        }
    }

    private func judge(
        _ text: String,
        _ expectations: Expectations,
        log: inout CheckLog
    ) async throws(VerificationError) -> VerifiedToken {
        if let known = cached(text, expectations, log) {
            let snapshot = try await snapshot(for: known.keyIssuer)
            if known.isSigned(byKeyIn: snapshot) {
                return try refusing { () throws(TokenRefusal) in
                    try policy.verified(known, expectations: expectations, clock: clock, log: &log)
                }
            }
        }
        let candidate = try refusing { () throws(TokenRefusal) in
            try policy.candidate(text, expectations: expectations, knownHeaders: knownHeaders, log: &log)
        }
        let checked = try await checked(candidate)
        return try refusing { () throws(TokenRefusal) in
            try verified(checked, expectations, log: &log)
        }
    }

    /// Checks the signature with the issuer's keys, and once more with newer keys if the available ones did not sign
    /// the token.
    ///
    /// A key that is not available may be new. A key without an ID, or with an ID that the issuer used before, may be
    /// new too: only a failed signature shows that the issuer has replaced it.
    private func checked(_ candidate: Candidate) async throws(VerificationError) -> CheckedCandidate {
        let snapshot = try await snapshot(for: candidate.keyIssuer)
        let keyID = candidate.jws.header.keyID
        let found = Result { () throws(TokenRefusal) in try candidate.checked(in: snapshot) }
        switch found {
        case .success(let checked) where checked.isSigned: return checked
        case .success(let checked) where keyID != nil:
            // The token names an available key, so it is refused if newer keys cannot be fetched.
            guard let newer = try? await refreshed(for: candidate.keyIssuer, unknownKeyID: nil) else { return checked }
            return try refusing { () throws(TokenRefusal) in try candidate.checked(in: newer, after: checked) }
        case .failure(let refusal) where refusal.code != .keyNotFound: throw .refused(refusal)
        default:
            let newer = try await refreshed(for: candidate.keyIssuer, unknownKeyID: keyID)
            return try refusing { () throws(TokenRefusal) in try candidate.checked(in: newer) }
        }
    }

    /// Returns the cached content of a token that was verified before; nil if the call is observed by `explain`.
    ///
    /// Refreshed tokens are not cached, because each is presented once.
    private func cached(_ text: String, _ expectations: Expectations, _ log: CheckLog) -> ProvenToken? {
        guard let cache, !log.isObserved, expectations.original == nil else { return nil }
        return cache.token(text, for: id)
    }

    private func verified(
        _ checked: CheckedCandidate,
        _ expectations: Expectations,
        log: inout CheckLog
    ) throws(TokenRefusal) -> VerifiedToken {
        let proven = try checked.proven(log: &log)
        let jws = checked.candidate.jws
        if !jws.hasKnownHeader { knownHeaders.remember(jws) }
        let verified = try policy.verified(proven, expectations: expectations, clock: clock, log: &log)
        if expectations.original == nil { cache?.remember(proven, as: jws, for: id) }
        return verified
    }

    private func refusing<Value>(_ body: () throws(TokenRefusal) -> Value) throws(VerificationError) -> Value {
        do throws(TokenRefusal) { return try body() } catch { throw .refused(error) }
    }

    private func snapshot(for issuer: String) async throws(VerificationError) -> KeySnapshot {
        try await decidable(issuer) { () async throws(KeysUnavailable) in
            try await keys.snapshot(for: issuer)
        }
    }

    private func refreshed(
        for issuer: String,
        unknownKeyID: String?
    ) async throws(VerificationError) -> KeySnapshot {
        try await decidable(issuer) { () async throws(KeysUnavailable) in
            try await keys.refreshed(for: issuer, unknownKeyID: unknownKeyID)
        }
    }

    /// Returns the issuer's keys; throws ``VerificationError/undecided(_:)`` if the source has none for it.
    ///
    /// Without the issuer's keys, the token cannot be decided.
    private func decidable(
        _ issuer: String,
        _ body: () async throws(KeysUnavailable) -> KeySnapshot
    ) async throws(VerificationError) -> KeySnapshot {
        let snapshot: KeySnapshot
        do throws(KeysUnavailable) { snapshot = try await body() } catch { throw .undecided(error) }
        guard snapshot.keys(of: issuer) != nil else {
            throw .undecided(KeysUnavailable(detail: "the key source has no keys for \(quoted(issuer))"))
        }
        return snapshot
    }
}

// MARK: With given keys

extension TokenVerifier {
    /// Verifies a token with the given keys, without waiting; the checks are the same.
    ///
    /// - Parameters:
    ///   - text: The token in its compact serialization, without surrounding characters.
    ///   - nonce: The expected nonce.
    ///   - accessToken: The access token issued with the ID token, whose hash is `at_hash`; nil if there is none.
    ///   - code: The authorization code issued with the ID token, whose hash is `c_hash`; nil if there is none.
    ///   - snapshot: The issuer's keys.
    ///   - explain: A closure that receives the result of each check, in order, whatever the outcome.
    /// - Returns: The verified token.
    /// - Throws: ``TokenRefusal``, with a code of ``VerificationCode/refusals``.
    public func verify(
        _ text: String,
        nonce: NonceExpectation,
        accessToken: HashExpectation? = nil,
        code: HashExpectation? = nil,
        with snapshot: KeySnapshot,
        explain: ((CheckReport) -> Void)? = nil
    ) throws(TokenRefusal) -> VerifiedToken {
        var log = CheckLog(observer: explain)
        let expectations = Expectations(nonce: nonce, accessToken: accessToken, code: code)
        return try verify(text, expectations, with: snapshot, log: &log)
    }

    /// Verifies a token that a provider issued in exchange for a refresh token, with the given keys.
    ///
    /// - Parameters:
    ///   - text: The token in its compact serialization, without surrounding characters.
    ///   - original: The data retained from the first token.
    ///   - accessToken: The access token issued with the ID token, whose hash is `at_hash`; nil if there is none.
    ///   - snapshot: The issuer's keys.
    ///   - explain: A closure that receives the result of each check, in order, whatever the outcome.
    /// - Returns: The verified token.
    /// - Throws: ``TokenRefusal``, with a code of ``VerificationCode/refusals``.
    public func verifyRefreshed(
        _ text: String,
        of original: OriginalAuthentication,
        accessToken: HashExpectation? = nil,
        with snapshot: KeySnapshot,
        explain: ((CheckReport) -> Void)? = nil
    ) throws(TokenRefusal) -> VerifiedToken {
        var log = CheckLog(observer: explain)
        let nonce = NonceExpectation.unchanged(from: original.nonce)
        let expectations = Expectations(nonce: nonce, accessToken: accessToken, original: original)
        return try verify(text, expectations, with: snapshot, log: &log)
    }

    private func verify(
        _ text: String,
        _ expectations: Expectations,
        with snapshot: KeySnapshot,
        log: inout CheckLog
    ) throws(TokenRefusal) -> VerifiedToken {
        do throws(TokenRefusal) {
            let token = try judge(text, expectations, with: snapshot, log: &log)
            onVerdict?(nil)
            return token
        } catch {
            log.fail(.refused(error))
            onVerdict?(.refused(error))
            throw error.recognizing(text)
        }
    }

    private func judge(
        _ text: String,
        _ expectations: Expectations,
        with snapshot: KeySnapshot,
        log: inout CheckLog
    ) throws(TokenRefusal) -> VerifiedToken {
        if let known = cached(text, expectations, log), known.isSigned(byKeyIn: snapshot) {
            return try policy.verified(known, expectations: expectations, clock: clock, log: &log)
        }
        let candidate = try policy.candidate(text, expectations: expectations, knownHeaders: knownHeaders, log: &log)
        return try verified(candidate.checked(in: snapshot), expectations, log: &log)
    }
}
