// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The path of every token, whatever its kind: parsing, the key lookup, the signature check, the cache, and the report
/// of the verdict.
///
/// ``TokenVerifier`` and ``AccessTokenVerifier`` share it. They differ only in their rules.
struct TokenPipeline<Rules: TokenRules>: Sendable {
    var rules: Rules
    var onVerdict: (@Sendable (VerificationError?) -> Void)?

    let clock: any WallClock

    private let keys: any KeySource
    private let cache: VerifiedTokenCache?
    private let knownHeaders = KnownHeaders()
    private let id = VerifierID()

    init(rules: Rules, keys: any KeySource, clock: any WallClock, cache: VerifiedTokenCache?) {
        self.rules = rules
        self.keys = keys
        self.clock = clock
        self.cache = cache
    }

    /// Verifies a token, fetching keys if necessary.
    func verify(
        _ text: String,
        _ expectations: Rules.Expected,
        log: inout CheckLog
    ) async throws(VerificationError) -> Rules.Verified {
        do throws(VerificationError) {
            let token = try await judge(text, expectations, log: &log)
            onVerdict?(nil)
            return token
        } catch {
            log.fail(error)
            onVerdict?(error)
            throw error.recognizing(text, as: Rules.kind)
        }
    }

    private func judge(
        _ text: String,
        _ expectations: Rules.Expected,
        log: inout CheckLog
    ) async throws(VerificationError) -> Rules.Verified {
        if let known = cached(text, expectations, log), rules.accepts(known.content.method) {
            let snapshot = try await snapshot(for: known.keyIssuer)
            if known.isSigned(byKeyIn: snapshot) {
                return try refusing { () throws(TokenRefusal) in
                    try rules.verified(known, expectations: expectations, clock: clock, log: &log)
                }
            }
        }
        if let unavailable = await rules.loadAlgorithms(for: text) { throw .undecided(unavailable) }
        let candidate = try refusing { () throws(TokenRefusal) in
            try rules.candidate(text, expectations: expectations, knownHeaders: knownHeaders, log: &log)
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
            // The token names an available key ID, so it is refused if newer keys cannot be fetched.
            guard let newer = try? await refreshed(for: candidate.keyIssuer, unknownKeyID: nil) else { return checked }
            return try refusing { () throws(TokenRefusal) in try candidate.checked(in: newer, after: checked) }
        case .failure(let refusal) where refusal.code != .keyNotFound: throw .refused(refusal)
        default:
            let newer = try await refreshed(for: candidate.keyIssuer, unknownKeyID: keyID)
            return try refusing { () throws(TokenRefusal) in try candidate.checked(in: newer) }
        }
    }

    /// Returns the cached content of a token that was verified before; nil if the call is observed by `explain`.
    private func cached(_ text: String, _ expectations: Rules.Expected, _ log: CheckLog) -> ProvenToken? {
        guard let cache, !log.isObserved, rules.isCacheable(expectations) else { return nil }
        return cache.token(text, upTo: rules.limits.tokenBytes, for: id)
    }

    private func verified(
        _ checked: CheckedCandidate,
        _ expectations: Rules.Expected,
        log: inout CheckLog
    ) throws(TokenRefusal) -> Rules.Verified {
        let proven = try checked.proven(log: &log)
        let jws = checked.candidate.jws
        if !jws.hasKnownHeader { knownHeaders.remember(jws) }
        let verified = try rules.verified(proven, expectations: expectations, clock: clock, log: &log)
        if rules.isCacheable(expectations) { cache?.remember(proven, as: jws, for: id) }
        return verified
    }

    private func refusing<Value>(_ body: () throws(TokenRefusal) -> Value) throws(VerificationError) -> Value {
        do throws(TokenRefusal) { return try body() } catch { throw .refused(error) }
    }

    private func snapshot(for issuer: String) async throws(VerificationError) -> KeySnapshot {
        try await decidable(issuer) { () async throws(VerificationUnavailable) in
            try await keys.snapshot(for: issuer)
        }
    }

    private func refreshed(
        for issuer: String,
        unknownKeyID: String?
    ) async throws(VerificationError) -> KeySnapshot {
        try await decidable(issuer) { () async throws(VerificationUnavailable) in
            try await keys.refreshed(for: issuer, unknownKeyID: unknownKeyID)
        }
    }

    /// Returns the issuer's keys; throws ``VerificationError/undecided(_:)`` if the source has none for it.
    ///
    /// Without the issuer's keys, the token cannot be decided.
    private func decidable(
        _ issuer: String,
        _ body: () async throws(VerificationUnavailable) -> KeySnapshot
    ) async throws(VerificationError) -> KeySnapshot {
        let snapshot: KeySnapshot
        do throws(VerificationUnavailable) { snapshot = try await body() } catch { throw .undecided(error) }
        guard snapshot.keys(of: issuer) != nil else {
            throw .undecided(VerificationUnavailable(detail: "the key source has no keys for \(quoted(issuer))"))
        }
        return snapshot
    }
}

// MARK: With given keys

extension TokenPipeline {
    /// Verifies a token with the given keys, without waiting.
    func verify(
        _ text: String,
        _ expectations: Rules.Expected,
        with snapshot: KeySnapshot,
        log: inout CheckLog
    ) throws(TokenRefusal) -> Rules.Verified {
        do throws(TokenRefusal) {
            let token = try judge(text, expectations, with: snapshot, log: &log)
            onVerdict?(nil)
            return token
        } catch {
            log.fail(.refused(error))
            onVerdict?(.refused(error))
            throw error.recognizing(text, as: Rules.kind)
        }
    }

    private func judge(
        _ text: String,
        _ expectations: Rules.Expected,
        with snapshot: KeySnapshot,
        log: inout CheckLog
    ) throws(TokenRefusal) -> Rules.Verified {
        if let known = cached(text, expectations, log), rules.accepts(known.content.method),
            known.isSigned(byKeyIn: snapshot)
        {
            return try rules.verified(known, expectations: expectations, clock: clock, log: &log)
        }
        let candidate = try rules.candidate(text, expectations: expectations, knownHeaders: knownHeaders, log: &log)
        return try verified(candidate.checked(in: snapshot), expectations, log: &log)
    }
}

/// The rules for one kind of token, in two parts: before and after the signature check.
protocol TokenRules: Sendable {
    /// The expectations of one call, in addition to the rules.
    associatedtype Expected: Sendable

    /// The result for a token that met the rules.
    associatedtype Verified: Sendable

    /// The kind of token, which decides what the sender of a refused token is told.
    static var kind: TokenKind { get }

    /// The maximum sizes of a token.
    var limits: TokenLimits { get }

    /// Parses a token and makes the checks that precede the key lookup.
    func candidate(
        _ text: String,
        expectations: Expected,
        knownHeaders: KnownHeaders,
        log: inout CheckLog
    ) throws(TokenRefusal) -> Candidate

    /// Checks the claims of a token with a valid signature.
    func verified(
        _ token: ProvenToken,
        expectations: Expected,
        clock: any WallClock,
        log: inout CheckLog
    ) throws(TokenRefusal) -> Verified

    /// Returns whether a token with these expectations may be presented again, so that caching it is of use.
    func isCacheable(_ expectations: Expected) -> Bool

    /// Returns whether a cached token is signed in a way that is still accepted.
    func accepts(_ method: SignatureMethod) -> Bool

    /// Waits for the accepted algorithms, if a token has one of which it is not known yet whether it is accepted.
    ///
    /// - Parameter text: The token.
    /// - Returns: The reason why the algorithms are unknown; nil if the token can be judged.
    func loadAlgorithms(for text: String) async -> VerificationUnavailable?
}

extension TokenRules {
    func accepts(_ method: SignatureMethod) -> Bool { true }

    func loadAlgorithms(for text: String) async -> VerificationUnavailable? { nil }
}
