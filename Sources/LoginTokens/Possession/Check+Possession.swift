// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

extension Check {
    /// The request has a single proof.
    public static let proof = Self("proof")
    /// The proof is for the method of the request.
    public static let httpMethod = Self("http-method")
    /// The proof is for the URL of the request.
    public static let httpURL = Self("http-url")
    /// The token is bound to the key of the proof, and to the client certificate.
    public static let binding = Self("binding")

    /// All steps of the verification of a DPoP proof, in the order in which they run (RFC 9449 §4.3).
    ///
    /// The format comes first, then comparisons of text, then a hash and the key, and then the signature, the most
    /// expensive step. A proof is signed by its own sender, so no step before the signature tells the sender anything
    /// new. Recording the use of the proof comes last, because it changes state.
    ///
    /// The steps that are also steps for tokens have the same meaning here, with these differences: `required-claims`
    /// and `claim-types` concern `jti`, `htm`, `htu`, `iat`, `ath` and `nonce`; `nonce` is a nonce of this server;
    /// `issued-at` and `age` are the time window of the proof; `access-token-hash` is `ath`; `key` is the header's `jwk`;
    /// `single-use` concerns the proof itself.
    public static let inProofOrder: [Check] = [
        .proof, .size, .segments, .encoding, .header, .criticalHeader, .tokenType, .algorithm, .payload,
        .requiredClaims, .claimTypes, .httpMethod, .httpURL, .nonce, .issuedAt, .age, .accessTokenHash, .key, .binding,
        .signature, .singleUse,
    ]
}
