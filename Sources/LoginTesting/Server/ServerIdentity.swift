// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTPClient

internal import NIOCore
internal import NIOSSL

/// The certificate that a ``ScriptedServer`` shows, which makes it speak TLS.
public struct ServerIdentity: Sendable {
    /// A version of TLS.
    public enum Version: Sendable {
        /// TLS 1.1, which nobody should speak any more (RFC 8996).
        case tls11
        /// TLS 1.2.
        case tls12
        /// TLS 1.3.
        case tls13
    }

    /// The certificates, the server's own first, in PEM.
    public var certificateChain: String

    /// The private key of the first certificate, in PEM.
    public var privateKey: String

    /// The only version to speak; nil for any from 1.2.
    public var version: Version?

    /// - Parameters:
    ///   - certificateChain: The certificates, the server's own first, in PEM.
    ///   - privateKey: The private key of the first certificate, in PEM.
    ///   - version: The only version to speak; nil for any from 1.2.
    public init(certificateChain: String, privateKey: String, version: Version? = nil) {
        self.certificateChain = certificateChain
        self.privateKey = privateKey
        self.version = version
    }
}

extension ServerIdentity {
    /// What NIO needs to speak TLS on one connection.
    ///
    /// - Parameter sawServerName: Is called with the host that the client names, before the handshake goes on.
    /// - Returns: The context.
    /// - Throws: If the certificates or the key cannot be read, or do not belong together.
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
