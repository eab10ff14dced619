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
/// A verifier has no state that tokens change: any number of tasks may use one.
public struct TokenVerifier: Sendable {
    /// What tokens must say.
    public let policy: TokenPolicy

    private let keys: any KeySource
    private let clock: any WallClock

    /// Makes a verifier.
    ///
    /// - Parameters:
    ///   - policy: What tokens must say.
    ///   - keys: Where the issuer's keys come from.
    ///   - clock: Who says what time it is.
    public init(policy: TokenPolicy, keys: any KeySource, clock: any WallClock = .system) {
        self.policy = policy
        self.keys = keys
        self.clock = clock
    }

    /// Verifies a token, with keys that may have to be fetched.
    ///
    /// Where the token names a key that is not at hand, the source is asked once to look again; a provider that has just
    /// begun to use a new key costs one wait and no refusal.
    ///
    /// - Parameters:
    ///   - text: The token in its compact serialization, and nothing around it.
    ///   - nonce: What the nonce must be.
    ///   - explain: Receives each check's result, in order, whatever the outcome.
    /// - Returns: The token, now proven.
    /// - Throws: ``VerificationError/refused(_:)`` if the token is not acceptable, with a code of
    ///   ``TokenRefusal/Code/all``; ``VerificationError/undecided(_:)`` if the keys could not be had.
    public func verify(
        _ text: String,
        nonce: NonceExpectation,
        explain: ((CheckReport) -> Void)? = nil
    ) async throws(VerificationError) -> VerifiedToken {
        var log = CheckLog(observer: explain)
        do throws(VerificationError) {
            let candidate = try refusing { () throws(TokenRefusal) in
                try Candidate(text, policy: policy, log: &log)
            }
            let key = try await key(for: candidate)
            return try refusing { () throws(TokenRefusal) in
                try candidate.verified(with: key, nonce: nonce, clock: clock, log: &log)
            }
        } catch {
            log.fail(error)
            throw error.recognizing(text)
        }
    }

    /// Verifies a token with keys that are at hand: the same checks, without waiting.
    ///
    /// - Parameters:
    ///   - text: The token in its compact serialization, and nothing around it.
    ///   - nonce: What the nonce must be.
    ///   - snapshot: The issuer's keys.
    ///   - explain: Receives each check's result, in order, whatever the outcome.
    /// - Returns: The token, now proven.
    /// - Throws: ``TokenRefusal``, with a code of ``TokenRefusal/Code/all``.
    public func verify(
        _ text: String,
        nonce: NonceExpectation,
        with snapshot: KeySnapshot,
        explain: ((CheckReport) -> Void)? = nil
    ) throws(TokenRefusal) -> VerifiedToken {
        var log = CheckLog(observer: explain)
        do throws(TokenRefusal) {
            let candidate = try Candidate(text, policy: policy, log: &log)
            let key = try candidate.key(in: snapshot)
            return try candidate.verified(with: key, nonce: nonce, clock: clock, log: &log)
        } catch {
            log.fail(.refused(error))
            throw error.recognizing(text)
        }
    }

    /// The key a token names; where it is not at hand, after one look for it.
    private func key(for candidate: Candidate) async throws(VerificationError) -> JSONWebKey {
        let snapshot = try await decidable(candidate.issuer) { () async throws(KeysUnavailable) in
            try await keys.snapshot(for: candidate.issuer)
        }
        let found = Result { () throws(TokenRefusal) in try candidate.key(in: snapshot) }
        guard case .failure(let refusal) = found, refusal.code == .keyNotFound,
            let keyID = candidate.jws.header.keyID
        else { return try refusing(found.get) }
        let refreshed = try await decidable(candidate.issuer) { () async throws(KeysUnavailable) in
            try await keys.refreshed(for: candidate.issuer, unknownKeyID: keyID)
        }
        return try refusing { () throws(TokenRefusal) in try candidate.key(in: refreshed) }
    }

    private func refusing<Value>(_ body: () throws(TokenRefusal) -> Value) throws(VerificationError) -> Value {
        do throws(TokenRefusal) { return try body() } catch { throw .refused(error) }
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

/// Why a token was not accepted.
public enum VerificationError: Error, Sendable {
    /// The token is not acceptable. Sending it again helps at most where a clock was wrong or a key is new.
    case refused(TokenRefusal)

    /// Nothing is known about the token, because the issuer's keys could not be had. Try again later.
    case undecided(KeysUnavailable)

    func recognizing(_ text: String) -> VerificationError {
        guard case .refused(let refusal) = self else { return self }
        return .refused(refusal.recognizing(text))
    }

    /// The stable name of the reason, for example `expired` or `keys-unavailable`.
    public var code: String {
        switch self {
        case .refused(let refusal): refusal.code.rawValue
        case .undecided(let unavailable): unavailable.code.rawValue
        }
    }

    /// The code and what to do, for whoever sent the token.
    public var publicMessage: String {
        switch self {
        case .refused(let refusal): refusal.publicMessage
        case .undecided(let unavailable): unavailable.publicMessage
        }
    }
}

extension VerificationError: CustomStringConvertible {
    /// The code, what was seen and what was expected, for the operator.
    public var description: String {
        switch self {
        case .refused(let refusal): refusal.description
        case .undecided(let unavailable): unavailable.description
        }
    }
}
