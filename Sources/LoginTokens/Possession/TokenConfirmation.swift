// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginText

/// The key and the certificate that a token is bound to: its `cnf` claim (RFC 7800 §3.1).
///
/// ```swift
/// try token.confirmation.check(certificate: ClientCertificate(clientCertField: field))
/// ```
///
/// ``DPoPVerifier`` checks it together with the proof. Members other than `jkt` (RFC 9449 §6.1) and `x5t#S256` (RFC 8705
/// §3.1) are ignored, as RFC 7800 §3.1 requires. A token whose `cnf` has neither of the two, or a malformed one, is bound
/// to something that cannot be checked, and is always refused.
public struct TokenConfirmation: Sendable, Hashable {
    /// The thumbprint of the key (RFC 7638, SHA-256) in base64url, `jkt`; nil if the token is not bound to a key.
    public let keyThumbprint: String?

    /// The thumbprint of the certificate (SHA-256 of its DER) in base64url, `x5t#S256`; nil if the token is not bound to
    /// a certificate.
    public let certificateThumbprint: String?

    /// The reason why the confirmation cannot be checked; nil if it can.
    private let fault: String?

    /// The confirmation of a token that is not bound.
    public static let unbound = Self(key: nil, certificate: nil, fault: nil)

    /// Whether the token is bound to a key, a certificate, or something that cannot be checked.
    public var isBound: Bool { self != .unbound }

    /// Creates a confirmation, for example from the response of an introspection endpoint (RFC 9449 §6.2).
    ///
    /// - Parameters:
    ///   - keyThumbprint: The thumbprint of the key, `jkt`: 43 characters of base64url.
    ///   - certificateThumbprint: The thumbprint of the certificate, `x5t#S256`: 43 characters of base64url.
    public init(keyThumbprint: String?, certificateThumbprint: String?) {
        let named = [("jkt", keyThumbprint), ("x5t#S256", certificateThumbprint)]
        let malformed = named.first { !($0.1.map(Self.isThumbprint) ?? true) }?.0
        self.init(
            key: keyThumbprint,
            certificate: certificateThumbprint,
            fault: malformed.map { "\($0) is not a SHA-256 in base64url" }
        )
    }

    /// Reads the claim `cnf`.
    init(_ claims: Claims) {
        guard let value = claims["cnf"] else {
            self = .unbound
            return
        }
        let (key, certificate) = (value["jkt"], value["x5t#S256"])
        guard value.kind == .object, key != nil || certificate != nil else {
            self.init(key: nil, certificate: nil, fault: "cnf has neither jkt nor x5t#S256")
            return
        }
        // A value that is not a string is as malformed as an empty string.
        self.init(
            keyThumbprint: key.map { $0.string ?? "" },
            certificateThumbprint: certificate.map { $0.string ?? "" }
        )
    }

    private init(key: String?, certificate: String?, fault: String?) {
        keyThumbprint = fault == nil ? key : nil
        certificateThumbprint = fault == nil ? certificate : nil
        self.fault = fault
    }

    /// Checks that the sender of a token possesses what the token is bound to.
    ///
    /// A bound token without its proof or certificate is refused. A proof with a token that is not bound to a key is
    /// refused too. A certificate with such a token is accepted, because a proxy passes it with every request.
    ///
    /// - Parameters:
    ///   - proof: The verified proof of the request; nil if it has none. It must have been verified for this token.
    ///   - certificate: The client certificate of the connection; nil if there is none.
    ///   - isRequired: Whether a token is refused that is not bound.
    /// - Throws: ``TokenRefusal`` with the code `proof-required`, `proof-token-hash`, `proof-binding`,
    ///   `certificate-required`, `certificate-binding` or `confirmation-unsupported`.
    public func check(
        proof: DPoPProof? = nil,
        certificate: ClientCertificate? = nil,
        isRequired: Bool = false
    ) throws(TokenRefusal) {
        guard proof?.isForToken != false else {
            throw TokenRefusal(.proofTokenHash, "the proof was verified without the token", member: "ath")
        }
        try check(keyThumbprint: proof?.keyThumbprint, certificate: certificate, isRequired: isRequired)
    }

    /// Checks the key of a proof, whose signature may still have to be verified, and the client certificate.
    func check(
        keyThumbprint seen: String?,
        certificate: ClientCertificate?,
        isRequired: Bool
    ) throws(TokenRefusal) {
        if let fault { throw TokenRefusal(.confirmationUnsupported, fault, member: "cnf") }
        guard isBound || !isRequired else {
            throw TokenRefusal(.proofRequired, "the token has no cnf, and is not bound to a key", member: "cnf")
        }
        switch (keyThumbprint, seen) {
        case (nil, nil): break
        case (_?, nil):
            throw TokenRefusal(.proofRequired, "the token has cnf.jkt, but there is no proof", member: "cnf")
        case (nil, _?):
            throw TokenRefusal(.proofBinding, "there is a proof, but the token has no cnf.jkt", member: "cnf")
        case (let expected?, let seen?):
            guard constantTimeEquals(Array(seen.utf8), Array(expected.utf8)) else {
                throw TokenRefusal(.proofBinding, "cnf.jkt is not the thumbprint of the proof's key", member: "cnf")
            }
        }
        guard let certificateThumbprint else { return }
        guard let certificate else {
            throw TokenRefusal(
                .certificateRequired,
                "the token has cnf.x5t#S256, but there is no client certificate",
                member: "cnf"
            )
        }
        guard constantTimeEquals(Array(certificate.thumbprint.utf8), Array(certificateThumbprint.utf8)) else {
            throw TokenRefusal(
                .certificateBinding,
                "cnf.x5t#S256 is not the thumbprint of the client certificate",
                member: "cnf"
            )
        }
    }

    /// Returns whether a text is a SHA-256 in canonical base64url.
    private static func isThumbprint(_ text: String) -> Bool {
        text.utf8.count == 43 && Base64URL.decode(text.utf8) != nil
    }
}

extension TokenConfirmation: Redacted {
    /// The kind of binding, without the thumbprints.
    public var description: String {
        if let fault { return "bound to something that cannot be checked: \(fault)" }
        switch (keyThumbprint, certificateThumbprint) {
        case (nil, nil): return "not bound"
        case (_?, nil): return "bound to a key"
        case (nil, _?): return "bound to a client certificate"
        case (_?, _?): return "bound to a key and to a client certificate"
        }
    }
}

extension Claims {
    /// The key or certificate that the token is bound to, `cnf`.
    public var confirmation: TokenConfirmation { TokenConfirmation(self) }
}

extension VerifiedToken {
    /// The key or certificate that the token is bound to, `cnf`.
    ///
    /// ``TokenVerifier`` does not check it, because a proof belongs to a request. ``DPoPVerifier`` does.
    public var confirmation: TokenConfirmation { claims.confirmation }
}
