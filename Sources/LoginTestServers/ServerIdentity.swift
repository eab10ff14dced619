// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTPClient

internal import NIOCore
internal import NIOSSL

/// The certificate and private key of a ``ScriptedServer``, which make it use TLS.
public struct ServerIdentity: Sendable {
    /// A version of TLS.
    public enum Version: Sendable {
        /// TLS 1.1, which is deprecated (RFC 8996).
        case tls11
        /// TLS 1.2.
        case tls12
        /// TLS 1.3.
        case tls13
    }

    /// The certificate chain in PEM, the server's certificate first.
    public var certificateChain: String

    /// The private key of the first certificate, in PEM.
    public var privateKey: String

    /// The only TLS version to accept; nil for any version from 1.2.
    public var version: Version?

    /// Creates an identity.
    ///
    /// - Parameters:
    ///   - certificateChain: The certificate chain in PEM, the server's certificate first.
    ///   - privateKey: The private key of the first certificate, in PEM.
    ///   - version: The only TLS version to accept; nil for any version from 1.2.
    public init(certificateChain: String, privateKey: String, version: Version? = nil) {
        self.certificateChain = certificateChain
        self.privateKey = privateKey
        self.version = version
    }
}

extension ServerIdentity {
    /// Returns the TLS context for one connection.
    ///
    /// - Parameter sawServerName: A closure that receives the client's server name before the handshake continues.
    /// - Returns: The context.
    /// - Throws: An error if the certificates or the key are malformed, or do not match.
    func context(sawServerName: @escaping @Sendable (String?) -> Void = { _ in }) throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMBytes(Array(certificateChain.utf8)).map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(privateKey.utf8), format: .pem))
        )
        switch version {
        case .tls11: (configuration.minimumTLSVersion, configuration.maximumTLSVersion) = (.tlsv1, .tlsv11)
        case .tls12: (configuration.minimumTLSVersion, configuration.maximumTLSVersion) = (.tlsv12, .tlsv12)
        case .tls13: (configuration.minimumTLSVersion, configuration.maximumTLSVersion) = (.tlsv13, .tlsv13)
        case nil: configuration.minimumTLSVersion = .tlsv12
        }
        configuration.sslContextCallback = { values, promise in
            sawServerName(values.serverHostname)
            promise.succeed(.noChanges)
        }
        return try NIOSSLContext(configuration: configuration)
    }
}

#endif
