// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
public import HTTPTypes
internal import LoginTokens

/// The header field in which a proxy passes the client certificate of a TLS connection (RFC 8705 §3).
///
/// The proxy must remove the field from what clients send. It is read only from ``TrustedProxies``.
public struct ClientCertificateField: Sendable, Hashable {
    private enum Format: Sendable, Hashable {
        case byteSequence
        case escapedPEM
    }

    private let name: HTTPField.Name
    private let format: Format

    /// The field `Client-Cert` (RFC 9440 §2.2): the certificate in base64, between two colons.
    public static let clientCert = Self(name: .known("Client-Cert"), format: .byteSequence)

    /// The field `SSL-Client-Cert`, with the certificate in percent-encoded PEM.
    public static let sslClientCert = escapedPEM(.known("SSL-Client-Cert"))

    /// Returns a field with percent-encoded PEM, such as nginx's `$ssl_client_escaped_cert`.
    ///
    /// - Parameter name: The name of the field.
    /// - Returns: The field.
    public static func escapedPEM(_ name: HTTPField.Name) -> Self { Self(name: name, format: .escapedPEM) }

    private init(name: HTTPField.Name, format: Format) {
        self.name = name
        self.format = format
    }

    /// Returns the certificate; nil if the field is absent or empty, as a proxy writes it without a certificate.
    ///
    /// - Parameter headers: The header fields of a request of the proxy.
    /// - Returns: The certificate.
    /// - Throws: `TokenRefusal` with the code `certificate-malformed`.
    func certificate(in headers: HTTPFields) throws(TokenRefusal) -> ClientCertificate? {
        // Two fields equal one with a comma (RFC 9110 §5.3), which no certificate contains.
        let value = headers[values: name].joined(separator: ",")
        guard !value.isEmpty else { return nil }
        return switch format {
        case .byteSequence: try ClientCertificate(clientCertField: value)
        case .escapedPEM: try ClientCertificate(escapedPEM: value)
        }
    }
}
#endif
