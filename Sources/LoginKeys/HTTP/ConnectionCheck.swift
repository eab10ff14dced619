// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTPClient
internal import LoginTokens
internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL
internal import Synchronization

/// Verifies a new connection before anything is sent on it, and adds handlers that enforce the limits of the request.
final class ConnectionCheck: Sendable {
    private let url: EndpointURL
    private let address: IPAddress
    private let bodyLimit: Int
    private let passed = Mutex(false)

    /// Whether the connection is established, TLS included, and verified.
    var hasPassed: Bool { passed.withLock { $0 } }

    /// Creates a check.
    ///
    /// - Parameters:
    ///   - url: The URL of the request.
    ///   - address: The address that was checked.
    ///   - bodyLimit: The maximum size of the response body in bytes.
    init(url: EndpointURL, address: IPAddress, bodyLimit: Int) {
        self.url = url
        self.address = address
        self.bodyLimit = bodyLimit
    }

    /// Verifies a connection that was just established.
    func begin(_ channel: any Channel) -> EventLoopFuture<Void> {
        let checked = channel.eventLoop.submit { [self] in
            try check(channel)
            let pipeline = channel.pipeline.syncOperations
            let encoder = try pipeline.handler(type: HTTPRequestEncoder.self)
            try pipeline.addHandler(TargetWriter(url.target), position: .after(encoder))
            try pipeline.addHandler(ByteBudget(bodyLimit: bodyLimit), position: .first)
            passed.withLock { $0 = true }
        }
        // AsyncHTTPClient does not close a connection whose initializer fails.
        checked.whenFailure { _ in channel.close(promise: nil) }
        return checked
    }

    private func check(_ channel: any Channel) throws {
        guard channel.remoteAddress?.ipAddress.flatMap({ IPAddress($0) }) == address else {
            throw TransportFailure(.address, "the connection has a different address than the one that was checked")
        }
        // NIOSSL also accepts a certificate for the IP address, and the common name of one without alternative names.
        // An attacker who spoofs DNS can have a certificate for an IP address, so only a matching DNS name is accepted
        // (RFC 9525 §6).
        guard url.scheme == .https, IPAddress(url.host) == nil else { return }
        let certificate = try channel.pipeline.syncOperations.nioSSL_peerCertificate()
        let names = certificate?._subjectAlternativeNames().filter { $0.nameType == .dnsName } ?? []
        guard names.contains(where: { CertificateName($0.contents).matches(url.host) }) else {
            throw TransportFailure(.tls, "the certificate is for another host")
        }
    }
}

/// Writes the path and the query of the URL unchanged: AsyncHTTPClient would normalize or drop parts of them.
private final class TargetWriter: ChannelOutboundHandler {
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    private let target: String

    init(_ target: String) {
        self.target = target
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .head(var head) = unwrapOutboundIn(data) else {
            context.write(data, promise: promise)
            return
        }
        head.uri = target
        context.write(wrapOutboundOut(.head(head)), promise: promise)
    }
}
#endif
