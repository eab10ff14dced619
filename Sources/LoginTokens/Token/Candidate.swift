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
    ///   - method: The accepted way in which it is signed.
    ///   - claims: The claims.
    ///   - issuer: The accepted issuer.
    ///   - audience: The accepted audience.
    /// - Throws: ``TokenRefusal`` with the code `key-id`.
    init(
        _ jws: CompactJWS,
        of provider: Provider,
        method: SignatureMethod,
        claims: Claims,
        issuer: AcceptedIssuer,
        audience: String
    ) throws(TokenRefusal) {
        // A secret has no ID: one in the token is not judged.
        try jws.header.checkKeyID(required: provider.requiresKeyID && method.keyAlgorithm != nil)
        self.jws = jws
        content = TokenContent(
            provider: provider,
            header: jws.header,
            method: method,
            claims: claims,
            issuer: issuer,
            audience: audience
        )
    }

    /// The issuer for the key lookup: an entry of the policy, never a string from the token.
    var keyIssuer: String { content.issuer.entry }

    /// Checks the signature with the issuer's keys that the token may mean, or with the secret.
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
    let keys: VerificationKeys

    /// The key that has signed the candidate; nil if none has.
    private let signer: VerificationKeys?

    fileprivate init(_ candidate: Candidate, _ keys: VerificationKeys) {
        self.candidate = candidate
        self.keys = keys
        self.signer = keys.signer(of: candidate.jws)
    }

    /// Whether a key has signed the candidate.
    var isSigned: Bool { signer != nil }

    /// Returns the token if its signature is valid.
    ///
    /// - Throws: ``TokenRefusal`` with the code `signature` if no key has signed it.
    func proven(log: inout CheckLog) throws(TokenRefusal) -> ProvenToken {
        log.pass(.key, keys.report(signer: signer))
        guard let signer else { throw candidate.jws.invalidSignature(by: keys) }
        log.pass(.signature, "valid")
        return ProvenToken(content: candidate.content, signer: signer)
    }
}

/// The content of a token whose issuer and audience are accepted, without its signature.
///
/// It is a class, so that passing it from step to step copies nothing.
final class TokenContent: Sendable {
    let provider: Provider
    let header: JOSEHeader
    let method: SignatureMethod
    let claims: Claims
    let issuer: AcceptedIssuer
    let audience: String

    fileprivate init(
        provider: Provider,
        header: JOSEHeader,
        method: SignatureMethod,
        claims: Claims,
        issuer: AcceptedIssuer,
        audience: String
    ) {
        self.provider = provider
        self.header = header
        self.method = method
        self.claims = claims
        self.issuer = issuer
        self.audience = audience
    }

    /// Returns the issuer's keys that the token may mean, or the secret, whatever keys there are.
    func keys(in snapshot: KeySnapshot) throws(TokenRefusal) -> VerificationKeys {
        switch method {
        case .secret(let secret): .secret(secret)
        case .key(let algorithm): .published(try keys(in: snapshot, for: algorithm), algorithm)
        }
    }

    private func keys(in snapshot: KeySnapshot, for algorithm: SignatureAlgorithm) throws(TokenRefusal) -> MatchingKeys
    {
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

    /// The thumbprint of the key that signed the token; empty for a secret.
    private let keyThumbprint: String

    fileprivate init(content: TokenContent, signer: VerificationKeys) {
        self.content = content
        self.keyThumbprint = signer.thumbprint
    }

    /// The issuer for the key lookup.
    var keyIssuer: String { content.issuer.entry }

    /// Returns whether the issuer still publishes the key that signed the token under the same ID; true for a secret.
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
