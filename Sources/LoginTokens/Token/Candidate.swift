// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText

/// A well-formed token whose claimed issuer and audience are accepted, before its signature is verified.
///
/// A ``TokenPolicy`` makes a candidate from the text. The key lookup, the only step that may wait, follows. After the
/// signature check, the policy makes a ``VerifiedToken``.
struct Candidate {
    let jws: CompactJWS
    let content: TokenContent

    /// Creates a candidate after the first part of the key check: a token without a required key ID is no reason to
    /// fetch keys.
    ///
    /// - Parameters:
    ///   - jws: The parsed token.
    ///   - provider: The provider of the accepted issuer.
    ///   - algorithm: The accepted signature algorithm.
    ///   - claims: The claims.
    ///   - issuer: The accepted issuer.
    ///   - audience: The accepted audience.
    /// - Throws: ``TokenRefusal`` with the code `key-id`.
    init(
        _ jws: CompactJWS,
        of provider: Provider,
        algorithm: SignatureAlgorithm,
        claims: Claims,
        issuer: AcceptedIssuer,
        audience: String
    ) throws(TokenRefusal) {
        try jws.header.checkKeyID(required: provider.requiresKeyID)
        self.jws = jws
        content = TokenContent(
            provider: provider,
            header: jws.header,
            algorithm: algorithm,
            claims: claims,
            issuer: issuer,
            audience: audience
        )
    }

    /// The issuer for the key lookup: an entry of the policy, never a string from the token.
    var keyIssuer: String { content.issuer.entry }

    /// Checks the signature with the issuer's keys that the token may mean.
    ///
    /// - Parameters:
    ///   - snapshot: The issuer's keys.
    ///   - earlier: The result of the same check with older keys, returned if there is no other key.
    /// - Returns: The candidate, and the key that has signed it.
    /// - Throws: ``TokenRefusal`` if the issuer has no such key, or too many.
    func checked(
        in snapshot: KeySnapshot,
        after earlier: CheckedCandidate? = nil
    ) throws(TokenRefusal) -> CheckedCandidate {
        let keys = try content.keys(in: snapshot)
        if let earlier, earlier.keys.contains(keys) { return earlier }
        return CheckedCandidate(self, keys)
    }
}

/// A candidate with the keys that it may mean, and the one that has signed it.
struct CheckedCandidate {
    let candidate: Candidate
    let keys: MatchingKeys

    /// The key that has signed the candidate; nil if none has.
    private let signer: JSONWebKey?

    fileprivate init(_ candidate: Candidate, _ keys: MatchingKeys) {
        self.candidate = candidate
        self.keys = keys
        self.signer = candidate.jws.signer(among: keys, algorithm: candidate.content.algorithm)
    }

    /// Whether a key has signed the candidate.
    var isSigned: Bool { signer != nil }

    /// Returns the token if its signature is valid.
    ///
    /// - Throws: ``TokenRefusal`` with the code `signature` if no key has signed it.
    func proven(log: inout CheckLog) throws(TokenRefusal) -> ProvenToken {
        let key = signer ?? keys.first
        let others = keys.count == 1 ? "" : ", one of \(keys.count) with this ID"
        log.pass(.key, "\(key.keyID.map { quoted($0) } ?? "the only matching key"), \(key)\(others)")
        guard signer != nil else {
            throw candidate.jws.invalidSignature(by: keys, algorithm: candidate.content.algorithm)
        }
        log.pass(.signature, "valid")
        return ProvenToken(content: candidate.content, key: key)
    }
}

/// The content of a token whose issuer and audience are accepted, without its signature.
///
/// It is a class, so that passing it from step to step copies nothing.
final class TokenContent: Sendable {
    let provider: Provider
    let header: JOSEHeader
    let algorithm: SignatureAlgorithm
    let claims: Claims
    let issuer: AcceptedIssuer
    let audience: String

    fileprivate init(
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

    /// Returns the issuer's keys that the token may mean.
    func keys(in snapshot: KeySnapshot) throws(TokenRefusal) -> MatchingKeys {
        guard let keys = snapshot.keys(of: issuer.entry) else {
            throw TokenRefusal(.keyNotFound, "there are no keys for \(quoted(self.issuer.entry))")
        }
        guard issuer.tenantID != nil else { return try keys.keys(matching: header, algorithm: algorithm) }
        return try keys.keys(matching: header, algorithm: algorithm, where: issuer.accepts)
    }
}

/// A token whose signature, issuer and audience are verified, but whose other claims are not yet checked.
struct ProvenToken: Sendable {
    let content: TokenContent

    /// The thumbprint of the key that signed the token.
    private let keyThumbprint: String

    fileprivate init(content: TokenContent, key: JSONWebKey) {
        self.content = content
        self.keyThumbprint = key.thumbprint
    }

    /// The issuer for the key lookup.
    var keyIssuer: String { content.issuer.entry }

    /// Returns whether the issuer still publishes the key that signed the token under the same ID.
    func isSigned(byKeyIn snapshot: KeySnapshot) -> Bool {
        guard let keys = try? content.keys(in: snapshot) else { return false }
        return keys.contains(thumbprint: keyThumbprint)
    }
}

extension TokenRefusal {
    /// Returns the same refusal with the expected kind of token, and with the input if it may be of another kind.
    func recognizing(_ text: String, as kind: TokenKind) -> TokenRefusal {
        guard kind != .idToken || code.isAboutForm else { return self }
        var refusal = self
        refusal.kind = kind
        if code.isAboutForm { refusal.input = RefusedInput(text) }
        return refusal
    }
}
