// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTPClient
internal import LoginTokens
internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL
internal import Synchronization

/// Looks at a new connection before anything is sent on it, and makes it keep to what was asked for.
final class ConnectionCheck: Sendable {
    private let url: EndpointURL
    private let address: IPAddress
    private let bodyLimit: Int
    private let passed = Mutex(false)

    /// Whether there is a connection, TLS included, and nothing is wrong with it.
    var hasPassed: Bool { passed.withLock { $0 } }

    /// - Parameters:
    ///   - url: What is asked for.
    ///   - address: The address that was checked.
    ///   - bodyLimit: How much of an answer's body is read, in bytes.
    init(url: EndpointURL, address: IPAddress, bodyLimit: Int) {
        self.url = url
        self.address = address
        self.bodyLimit = bodyLimit
    }

    /// Looks at a connection that has just been made.
    func begin(_ channel: any Channel) -> EventLoopFuture<Void> {
        let checked = channel.eventLoop.submit { [self] in
            try check(channel)
            let pipeline = channel.pipeline.syncOperations
            let encoder = try pipeline.handler(type: HTTPRequestEncoder.self)
            try pipeline.addHandler(TargetWriter(url.target), position: .after(encoder))
            try pipeline.addHandler(ByteBudget(bodyLimit: bodyLimit), position: .first)
            passed.withLock { $0 = true }
        }
        // The client does not close what it was told not to use.
        checked.whenFailure { _ in channel.close(promise: nil) }
        return checked
    }

    private func check(_ channel: any Channel) throws {
        guard channel.remoteAddress?.ipAddress.flatMap({ IPAddress($0) }) == address else {
            throw TransportFailure(.address, "the connection does not lead to the address that was checked")
        }
        // For a name NIOSSL takes a certificate of the address too, and one without alternative names by its common name.
        // Whoever falsifies names can have a certificate for an address, so only the name will do (RFC 9525 §6).
        guard url.scheme == .https, IPAddress(url.host) == nil else { return }
        let certificate = try channel.pipeline.syncOperations.nioSSL_peerCertificate()
        let names = certificate?._subjectAlternativeNames().filter { $0.nameType == .dnsName } ?? []
        guard names.contains(where: { CertificateName($0.contents).matches(url.host) }) else {
            throw TransportFailure(.tls, "the certificate is for another host")
        }
    }
}

/// Sends the path and the query as they were written: the client would mend some, or leave them out.
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
