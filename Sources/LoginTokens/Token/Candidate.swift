// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText

/// A well-formed token that claims to come from an issuer we know and to be meant for us; nothing is proven yet.
///
/// Half-way through the checks stands the only one that may have to wait, for the key. Before it a ``TokenPolicy`` makes a
/// candidate of a text, and after it a ``VerifiedToken`` of what is proven.
struct Candidate {
    let jws: CompactJWS
    let content: TokenContent

    /// What the token's keys are looked up by: an entry of the policy, never a string of the token.
    var keyIssuer: String { content.issuer.entry }

    /// Checks the signature with the one key of the issuer that the token names.
    ///
    /// - Parameters:
    ///   - snapshot: The issuer's keys.
    ///   - earlier: The same check with older keys; it is not repeated where the key is still the same.
    /// - Returns: The candidate, and whether the key has signed it.
    /// - Throws: ``TokenRefusal`` if the issuer has no such key, or several.
    func checked(
        in snapshot: KeySnapshot,
        after earlier: CheckedCandidate? = nil
    ) throws(TokenRefusal) -> CheckedCandidate {
        let key = try content.key(in: snapshot)
        if let earlier, isEqual(earlier.key.thumbprint, key.thumbprint) { return earlier }
        return CheckedCandidate(self, key: key)
    }
}

/// A candidate, and whether the key that it names has signed it.
struct CheckedCandidate {
    let candidate: Candidate
    let key: JSONWebKey
    let isSigned: Bool

    fileprivate init(_ candidate: Candidate, key: JSONWebKey) {
        self.candidate = candidate
        self.key = key
        self.isSigned = candidate.jws.isSigned(by: key, algorithm: candidate.content.algorithm)
    }

    /// The token, its signature proven.
    ///
    /// - Throws: ``TokenRefusal`` with the code `signature` if the key has not signed it.
    func proven(log: inout CheckLog) throws(TokenRefusal) -> ProvenToken {
        log.pass(.key, "\(key.keyID.map { quoted($0) } ?? "the only key that fits"), \(key)")
        guard isSigned else { throw candidate.jws.invalidSignature(algorithm: candidate.content.algorithm) }
        log.pass(.signature, "valid")
        return ProvenToken(content: candidate.content, key: key)
    }
}

/// What stands in a token that is meant for us, without what proves it.
///
/// All copies of a token share it: it is handed from one step to the next, and mostly asked for little.
final class TokenContent: Sendable {
    let provider: Provider
    let header: JOSEHeader
    let algorithm: SignatureAlgorithm
    let claims: Claims
    let issuer: AcceptedIssuer
    let audience: String

    init(
        provider: Provider,
        header: JOSEHeader,
        algorithm: SignatureAlgorithm,
        claims: Claims,
        issuer: AcceptedIssuer,
        audience: String
    ) {
        self.provider = provider
        self.header = header
        self.algorithm = algorithm
        self.claims = claims
        self.issuer = issuer
        self.audience = audience
    }

    /// The one key of the issuer that the token names.
    func key(in snapshot: KeySnapshot) throws(TokenRefusal) -> JSONWebKey {
        guard let keys = snapshot.keys(of: issuer.entry) else {
            throw TokenRefusal(.keyNotFound, "there are no keys of \(quoted(self.issuer.entry))")
        }
        guard issuer.tenantID != nil else { return try keys.key(for: header, algorithm: algorithm) }
        return try keys.key(for: header, algorithm: algorithm, where: issuer.accepts)
    }
}

/// A token of the issuer's, as its signature proves, and meant for us; whether what it says is acceptable now is still to be
/// judged.
struct ProvenToken: Sendable {
    let content: TokenContent

    /// Whose signature it is.
    private let keyThumbprint: String

    fileprivate init(content: TokenContent, key: JSONWebKey) {
        self.content = content
        self.keyThumbprint = key.thumbprint
    }

    /// What its keys are looked up by.
    var keyIssuer: String { content.issuer.entry }

    /// Whether its key is still the one that the issuer publishes under this name.
    func isSigned(byKeyIn snapshot: KeySnapshot) -> Bool {
        guard let key = try? content.key(in: snapshot) else { return false }
        return isEqual(key.thumbprint, keyThumbprint)
    }
}

extension TokenRefusal {
    /// The same refusal, saying also what was sent in place of an ID token, where that can be told.
    func recognizing(_ text: String) -> TokenRefusal {
        guard code.isAboutForm else { return self }
        var refusal = self
        refusal.input = RefusedInput(text)
        return refusal
    }
}
