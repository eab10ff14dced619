// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginText

/// The client certificate of a TLS connection, as a proxy in front of the server passes it in a header field.
///
/// Only its hash is kept, which a token may be bound to (RFC 8705 §3). The proxy has verified that the client has the
/// private key. The proxy must also remove the field from what clients send: otherwise every client can claim any
/// certificate, because certificates are not secret. Use the field only if the request came from the proxy.
public struct ClientCertificate: Sendable, Hashable {
    /// The thumbprint: the SHA-256 of the DER in base64url, as in `x5t#S256`.
    public let thumbprint: String

    /// Creates a certificate from its DER encoding.
    ///
    /// - Parameter der: The DER of one certificate, at most 16 KiB. Nothing is parsed except its outer length.
    /// - Throws: ``TokenRefusal`` with the code `certificate-malformed`.
    public init(der: [UInt8]) throws(TokenRefusal) {
        guard Self.isSequence(der) else { throw Self.malformed("not the DER of one certificate") }
        thumbprint = Base64URL.encode(Digest.sha256.hash(der))
    }

    /// Creates a certificate from PEM (RFC 7468 §5).
    ///
    /// - Parameter pem: The text of one certificate, in lines that end with a line feed, or with a carriage return before it.
    /// - Throws: ``TokenRefusal`` with the code `certificate-malformed`.
    public init(pem: some BidirectionalCollection<UInt8>) throws(TokenRefusal) {
        guard pem.count <= 2 * Limits.certificateBytes else { throw Self.malformed("the PEM is too long") }
        let lines = pem.split(separator: UInt8(ascii: "\n"))
            .map { $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0[...] }
        guard lines.count >= 3, lines[0].elementsEqual("-----BEGIN CERTIFICATE-----".utf8),
            lines[lines.count - 1].elementsEqual("-----END CERTIFICATE-----".utf8),
            let der = Base64.decode(lines[1..<lines.count - 1].joined().map { $0 })
        else { throw Self.malformed("not the PEM of one certificate") }
        try self.init(der: der)
    }

    /// Creates a certificate from percent-encoded PEM, such as nginx's `$ssl_client_escaped_cert`.
    ///
    /// - Parameter text: The value of the header field: one certificate.
    /// - Throws: ``TokenRefusal`` with the code `certificate-malformed`.
    public init(escapedPEM text: String) throws(TokenRefusal) {
        // Base64 takes a third more, and each character may be escaped.
        guard text.utf8.count <= 4 * Limits.certificateBytes, let pem = PercentEncoding.decode(text.utf8) else {
            throw Self.malformed("not percent-encoded, or too long")
        }
        try self.init(pem: pem)
    }

    /// Creates a certificate from the `Client-Cert` header field (RFC 9440 §2.2).
    ///
    /// - Parameter text: The value of the header field: a byte sequence, base64 between two colons (RFC 8941 §3.3.5).
    /// - Throws: ``TokenRefusal`` with the code `certificate-malformed`.
    public init(clientCertField text: String) throws(TokenRefusal) {
        let bytes = Array(text.utf8)
        let colon = UInt8(ascii: ":")
        guard bytes.count <= 2 * Limits.certificateBytes, bytes.count > 2, bytes.first == colon, bytes.last == colon,
            let der = Base64.decode(bytes.dropFirst().dropLast())
        else { throw Self.malformed("not a byte sequence in base64 between two colons") }
        try self.init(der: der)
    }

    /// Returns whether the bytes are exactly one DER sequence of acceptable size (X.690 §8.1.3, §10.1).
    private static func isSequence(_ der: [UInt8]) -> Bool {
        guard der.count <= Limits.certificateBytes, der.count >= 2, der[0] == 0x30 else { return false }
        let lengthBytes = der[1] < 0x80 ? 0 : Int(der[1] & 0x7F)
        // Two bytes hold the length of the largest certificate; 0x80 would be an indefinite length.
        guard der[1] != 0x80, lengthBytes <= 2, der.count >= 2 + lengthBytes else { return false }
        let length = lengthBytes == 0 ? Int(der[1]) : der[2..<2 + lengthBytes].reduce(0) { $0 << 8 | Int($1) }
        // DER uses the shortest form.
        guard lengthBytes == 0 || length >= (lengthBytes == 1 ? 0x80 : 0x100) else { return false }
        return der.count == 2 + lengthBytes + length
    }

    private static func malformed(_ detail: String) -> TokenRefusal {
        TokenRefusal(.certificateMalformed, detail)
    }
}

extension ClientCertificate: Redacted {
    /// A fixed text without the thumbprint.
    public var description: String { "client certificate" }
}
