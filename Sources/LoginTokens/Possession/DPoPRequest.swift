// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The parts of an HTTP request that prove possession of a key: the DPoP proof and the client certificate, and the
/// method and the URL that a proof is compared with.
///
/// ```swift
/// let request = DPoPRequest(method: "GET", url: "https://api.example/v1/me", proofs: fields)
/// ```
public struct DPoPRequest: Sendable {
    /// The method, for example `POST`; methods are case-sensitive (RFC 9110 §9.1).
    public let method: String

    /// The absolute URL that the client sent the request to.
    public let url: String

    /// The values of all `DPoP` header fields.
    public let proofs: [String]

    /// The client certificate of the TLS connection; nil if there is none.
    public let certificate: ClientCertificate?

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - method: The method of the request.
    ///   - url: The absolute URL as the client knows it, with the scheme `https` or `http`. Behind a proxy, build it
    ///     from the configured public origin and the path of the request: the `Host` and `Forwarded` header fields are
    ///     input of the client. Query and fragment are ignored.
    ///   - proofs: The values of all `DPoP` header fields, one entry for each field. A request has at most one.
    ///   - certificate: The client certificate of the TLS connection, from a proxy that you trust.
    public init(method: String, url: String, proofs: [String], certificate: ClientCertificate? = nil) {
        self.method = method
        self.url = url
        self.proofs = proofs
        self.certificate = certificate
    }
}

extension DPoPRequest {
    /// The normalized origin of ``url``; nil if the URL is malformed.
    package var origin: String? { (try? TargetURI(url))?.origin }
}

extension DPoPRequest: Redacted {
    /// The number of proofs; the URL may hold secrets.
    public var description: String {
        "request with \(proofs.count) DPoP proofs, \(certificate == nil ? "no" : "a") client certificate"
    }
}
