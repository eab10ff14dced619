// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Decides whether an ID token is genuine, meant for you, and valid now, and says why when it is not.
///
/// ```swift
/// let verifier = TokenVerifier(policy: policy, keys: keys)
/// let token = try await verifier.verify(text, nonce: .exactly(expected))
/// ```
///
/// The checks are made in the order of ``Check/inOrder``, and the first that fails is the reason. A token of a foreign
/// issuer or for another audience is refused before any key is looked for; what a token says about a person or a time is
/// judged only after its signature was valid.
///
/// Any number of tasks may use one verifier. What it remembers, of tokens that were proven, changes no verdict.
public struct TokenVerifier: Sendable {
    /// What tokens must say.
    public let policy: TokenPolicy

    /// Is told of each verdict, for metrics: why a token was not accepted, or nil where it was.
    ///
    /// It is called on the way to the answer, and must not block. A nonce that a store issued is taken back after it.
    public var onVerdict: (@Sendable (VerificationError?) -> Void)?

    private let keys: any KeySource
    private let clock: any WallClock
    private let cache: VerifiedTokenCache?
    private let knownHeaders = KnownHeaders()
    private let id = VerifierID()

    /// Makes a verifier.
    ///
    /// - Parameters:
    ///   - policy: What tokens must say.
    ///   - keys: Where the issuer's keys come from.
    ///   - clock: Who says what time it is.
    ///   - cache: What remembers tokens that were verified, so that each has its signature checked once; nil for none.
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

    /// Verifies a token, with keys that may have to be fetched.
    ///
    /// Where the token names a key that is not at hand, or the one at hand did not sign it, the source is asked once for newer
    /// keys: a provider that has just begun to use a new key, under a new ID or an old one, costs one wait and no refusal.
    ///
    /// - Parameters:
    ///   - text: The token in its compact serialization, and nothing around it.
    ///   - nonce: What the nonce must be.
    ///   - accessToken: The access token that came with the token, whose hash `at_hash` is; nil if none did.
    ///   - code: The authorization code that came with the token, whose hash `c_hash` is; nil if none did.
    ///   - explain: Receives each check's result, in order, whatever the outcome.
    /// - Returns: The token, now proven.
    /// - Throws: ``VerificationError/refused(_:)`` if the token is not acceptable, with a code of
    ///   ``TokenRefusal/Code/all``; ``VerificationError/undecided(_:)`` if the keys could not be had.
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

    /// Verifies a token whose nonce a store issued, and takes the nonce back, so that no token is accepted twice.
    ///
    /// ```swift
    /// let token = try await verifier.verify(text, nonce: .singleUse(nonces, purpose: .signIn, binding: binding))
    /// ```
    ///
    /// - Parameters:
    ///   - text: The token in its compact serialization, and nothing around it.
    ///   - nonce: Who issued the nonce, what for, and to whom.
    ///   - accessToken: The access token that came with the token, whose hash `at_hash` is; nil if none did.
    ///   - code: The authorization code that came with the token, whose hash `c_hash` is; nil if none did.
    ///   - explain: Receives each check's result, in order, whatever the outcome.
    /// - Returns: The token, now proven and used up.
    /// - Throws: ``VerificationError`` as the other door; and what the store throws when it cannot be asked. The token may be
    ///   good then, and the nonce may be consumed.
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
            log.skip(.singleUse, "the store of nonces could not be asked")
            throw error
        }
        if let refusal {
            log.fail(.refused(refusal))
            throw VerificationError.refused(refusal)
        }
        log.pass(.singleUse, "not used before, and used now")
        return token
    }

    /// Verifies a token that a provider gave in exchange for a refresh token.
    ///
    /// It meets the policy as every token does, a maximum age of the authentication included, and it is of the same issuer,
    /// person, audience and authentication as the first token of the sign-in, and has its nonce or none (OpenID Connect Core
    /// §12.2).
    ///
    /// - Parameters:
    ///   - text: The token in its compact serialization, and nothing around it.
    ///   - original: What was kept of the first token.
    ///   - accessToken: The access token that came with the token, whose hash `at_hash` is; nil if none did.
    ///   - explain: Receives each check's result, in order, whatever the outcome.
    /// - Returns: The token, now proven.
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

    /// As the public one, for a provider whose refreshed tokens have another nonce than Core §12.2 says.
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

    /// Checks the signature with the issuer's keys, and once more with newer ones where those at hand did not sign the token.
    ///
    /// A key that is not at hand may be new. So may one that has no ID, or an ID which the issuer has used before: that the
    /// issuer has another key now, only the signature shows.
    private func checked(_ candidate: Candidate) async throws(VerificationError) -> CheckedCandidate {
        let snapshot = try await snapshot(for: candidate.keyIssuer)
        let keyID = candidate.jws.header.keyID
        let found = Result { () throws(TokenRefusal) in try candidate.checked(in: snapshot) }
        switch found {
        case .success(let checked) where checked.isSigned: return checked
        case .success(let checked) where keyID != nil:
            // The key that the token names is at hand, so the token is refused where newer keys cannot be had.
            guard let newer = try? await refreshed(for: candidate.keyIssuer, unknownKeyID: nil) else { return checked }
            return try refusing { () throws(TokenRefusal) in try candidate.checked(in: newer, after: checked) }
        case .failure(let refusal) where refusal.code != .keyNotFound: throw .refused(refusal)
        default:
            let newer = try await refreshed(for: candidate.keyIssuer, unknownKeyID: keyID)
            return try refusing { () throws(TokenRefusal) in try candidate.checked(in: newer) }
        }
    }

    /// What is known of a token that was verified before; nil where every step is to be told about.
    ///
    /// A refreshed token is seen once.
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

    /// The keys of an issuer, where the source has any.
    ///
    /// One that has nothing about the issuer cannot tell a good token from a bad one.
    private func decidable(
        _ issuer: String,
        _ body: () async throws(KeysUnavailable) -> KeySnapshot
    ) async throws(VerificationError) -> KeySnapshot {
        let snapshot: KeySnapshot
        do throws(KeysUnavailable) { snapshot = try await body() } catch { throw .undecided(error) }
        guard snapshot.keys(of: issuer) != nil else {
            throw .undecided(KeysUnavailable(detail: "the source has no keys of \(quoted(issuer))"))
        }
        return snapshot
    }
}

// MARK: With keys at hand

extension TokenVerifier {
    /// Verifies a token with keys that are at hand: the same checks, without waiting.
    ///
    /// - Parameters:
    ///   - text: The token in its compact serialization, and nothing around it.
    ///   - nonce: What the nonce must be.
    ///   - accessToken: The access token that came with the token, whose hash `at_hash` is; nil if none did.
    ///   - code: The authorization code that came with the token, whose hash `c_hash` is; nil if none did.
    ///   - snapshot: The issuer's keys.
    ///   - explain: Receives each check's result, in order, whatever the outcome.
    /// - Returns: The token, now proven.
    /// - Throws: ``TokenRefusal``, with a code of ``TokenRefusal/Code/all``.
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

    /// Verifies a token that a provider gave in exchange for a refresh token, with keys that are at hand.
    ///
    /// - Parameters:
    ///   - text: The token in its compact serialization, and nothing around it.
    ///   - original: What was kept of the first token.
    ///   - accessToken: The access token that came with the token, whose hash `at_hash` is; nil if none did.
    ///   - snapshot: The issuer's keys.
    ///   - explain: Receives each check's result, in order, whatever the outcome.
    /// - Returns: The token, now proven.
    /// - Throws: ``TokenRefusal``, with a code of ``TokenRefusal/Code/all``.
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
