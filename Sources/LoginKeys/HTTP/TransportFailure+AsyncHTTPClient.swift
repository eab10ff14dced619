// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTPClient
internal import AsyncHTTPClient
internal import LoginTokens
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

extension TransportFailure {
    /// The stage of a request at which an error occurred.
    enum Stage {
        case connecting(EndpointURL.Scheme)
        case answering
    }

    /// Creates the failure for an error of AsyncHTTPClient.
    ///
    /// The text of the error is omitted, because it may contain data from the server.
    ///
    /// - Parameters:
    ///   - error: The error of the client.
    ///   - stage: The stage of the request.
    init(_ error: any Error, while stage: Stage) {
        if let failure = error as? TransportFailure {
            self = failure
            return
        }
        switch stage {
        case .answering where (error as? HTTPParserError) == .headerOverflow:
            self.init(.tooLarge, "the response header is too long")
        case .answering: self.init(.interrupted, Self.interruption(error))
        case .connecting(.http): self.init(.connection, Self.lackOfConnection(error) ?? "the connection was not made")
        case .connecting(.https):
            if let detail = Self.lackOfConnection(error) {
                self.init(.connection, detail)
            } else {
                self.init(.tls, Self.insecurity(error))
            }
        }
    }

    private static func interruption(_ error: any Error) -> String {
        switch error {
        case is HTTPParserError: "the response is not valid HTTP"
        case is NIOSSLError, is BoringSSLError: "the TLS connection was truncated or tampered with"
        default: "the connection was closed before the end of the response"
        }
    }

    /// Returns the reason why no TCP connection was established; nil if the error has another cause.
    private static func lackOfConnection(_ error: any Error) -> String? {
        switch error {
        case let error as HTTPClientError
        where [.connectTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout].contains(error):
            return "the connection was not made in time"
        case ChannelError.connectTimeout:
            return "the connection was not made in time"
        case let error as HTTPClientError where error == .proxyAuthenticationRequired:
            return "it requires other credentials"
        case let error as HTTPClientError where error == .invalidProxyResponse:
            return "it does not connect to the host"
        case let error as HTTPClientError where error == .httpProxyHandshakeTimeout:
            return "it did not answer in time"
        case let error as IOError where error.errnoCode == ECONNREFUSED:
            return "the connection was refused"
        case let error as IOError where error.errnoCode == ENETUNREACH || error.errnoCode == EHOSTUNREACH:
            return "there is no route to the host"
        // A connection to a host and port, as to a proxy, has an error for each address.
        case let error as NIOConnectionError:
            return error.connectionErrors.first.flatMap { lackOfConnection($0.error) } ?? "the connection was not made"
        // `ECONNRESET` and `EPIPE` end an established connection.
        case let error as IOError where error.errnoCode != ECONNRESET && error.errnoCode != EPIPE:
            return "the connection failed with the system's error \(error.errnoCode)"
        default:
            return nil
        }
    }

    private static func insecurity(_ error: any Error) -> String {
        switch error {
        case let error as NIOSSLExtraError where error == .failedToValidateHostname:
            "the certificate is for another host"
        case NIOSSLError.failedToLoadCertificate, NIOSSLError.noSuchFilesystemObject:
            "the file of trusted certificates cannot be read, or contains none"
        case NIOSSLError.handshakeFailed(.sslError(let errors))
        where errors.contains { "\($0)".contains("CERTIFICATE_VERIFY_FAILED") }:
            "the certificate is expired, not yet valid, or not issued by a trusted authority; if the authority is yours, name its file (trustRoots, --ca-file, ca-file)"
        case NIOSSLError.handshakeFailed(.sslError):
            "the TLS handshake failed"
        default:
            "the connection was closed during the TLS handshake"
        }
    }
}
#endif
