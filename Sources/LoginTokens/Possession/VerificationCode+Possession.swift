// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

extension VerificationCode {
    /// A proof of possession is required, and there is none: the token is bound to a key, or must be.
    public static let proofRequired = Self(
        "proof-required",
        "A DPoP proof is required. Get a token that is bound to your key, and send a new proof with each request."
    )

    /// There are several proofs, or the proof is not a well-formed JSON Web Token.
    public static let proofMalformed = Self(
        "proof-malformed",
        "The DPoP proof cannot be read. Send one proof in one DPoP header field, unchanged."
    )

    /// The `typ` of the proof is not `dpop+jwt`.
    public static let proofType = Self(
        "proof-type",
        "This is not a DPoP proof. Its typ must be dpop+jwt."
    )

    /// The algorithm of the proof is not allowed.
    public static let proofAlgorithm = Self(
        "proof-algorithm",
        "The DPoP proof is not signed in the way this service requires."
    )

    /// A claim of the proof is missing, or has the wrong type.
    public static let proofClaim = Self(
        "proof-claim",
        "The DPoP proof lacks a claim, or a claim has the wrong type. It needs jti, htm, htu and iat."
    )

    /// The proof was made for another HTTP method.
    public static let proofMethod = Self(
        "proof-method",
        "The DPoP proof is for another HTTP method. Make a new proof for each request."
    )

    /// The proof was made for another URL.
    public static let proofURL = Self(
        "proof-url",
        "The DPoP proof is for another URL. Make a new proof for each request, with the URL that it is sent to."
    )

    /// The proof has no nonce, or not a current one of this server.
    public static let proofNonce = Self(
        "proof-nonce",
        "The DPoP proof needs the nonce of this service. Take it from the DPoP-Nonce header field, and try again."
    )

    /// The proof was made in the future.
    public static let proofInFuture = Self(
        "proof-in-future",
        "The DPoP proof was made in the future. Check the clocks."
    )

    /// The proof was made too long ago.
    public static let proofTooOld = Self(
        "proof-too-old",
        "The DPoP proof was made too long ago. Make a new proof for each request, and check the clocks."
    )

    /// The proof was made for another token, or for none.
    public static let proofTokenHash = Self(
        "proof-token-hash",
        "The DPoP proof is for another token. Put the hash of the token that you send into ath."
    )

    /// The key in the proof is missing, not a public key, or unusable.
    public static let proofKey = Self(
        "proof-key",
        "The key in the DPoP proof cannot be used. Put the public key, and nothing private, into jwk."
    )

    /// The token is not bound to the key of the proof.
    public static let proofBinding = Self(
        "proof-binding",
        "The token is not bound to the key of the DPoP proof. Use the key with which the token was requested."
    )

    /// The signature of the proof is invalid.
    public static let proofSignature = Self(
        "proof-signature",
        "The signature of the DPoP proof is not valid."
    )

    /// The proof was used before.
    public static let proofReplayed = Self(
        "proof-replayed",
        "This DPoP proof was used before. Make a new proof for each request."
    )

    /// The token is bound to a client certificate, and the request has none.
    public static let certificateRequired = Self(
        "certificate-required",
        "The token is bound to a client certificate. Present this certificate in the TLS handshake."
    )

    /// The header field with the client certificate cannot be read.
    public static let certificateMalformed = Self(
        "certificate-malformed",
        "The client certificate cannot be read."
    )

    /// The token is bound to another client certificate.
    public static let certificateBinding = Self(
        "certificate-binding",
        "The token is bound to another client certificate. Use the certificate with which the token was requested."
    )

    /// The token is bound in a way that is malformed or not supported.
    public static let confirmationUnsupported = Self(
        "confirmation-unsupported",
        "The token is bound to a key in a way that this service cannot check."
    )

    /// The ledger of used proofs is full or unavailable, so a replay could not be detected.
    public static let proofUndecided = Self(
        "proof-undecided",
        "The DPoP proof cannot be checked now. Try again in a moment, with a new proof."
    )

    /// The codes of proofs of possession, in the order of the checks; the last one is that of undecided proofs.
    public static let possession: [Self] = [
        .proofRequired, .proofMalformed, .proofType, .proofAlgorithm, .proofClaim, .proofMethod, .proofURL, .proofNonce,
        .proofInFuture, .proofTooOld, .proofTokenHash, .proofKey, .confirmationUnsupported, .proofBinding,
        .certificateRequired, .certificateMalformed, .certificateBinding, .proofSignature, .proofReplayed,
        .proofUndecided,
    ]

    /// The thing that is refused with this code, for a description.
    var refusedThing: String {
        if rawValue.hasPrefix("proof-") { return "proof" }
        return rawValue.hasPrefix("certificate-") ? "certificate" : "token"
    }
}
