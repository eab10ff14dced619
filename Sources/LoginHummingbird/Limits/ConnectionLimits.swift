// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
public import HummingbirdCore
public import LoginHTTP
internal import LoginTokens
public import Metrics
internal import NIOCore

/// The limits of the connections of one server.
///
/// `HTTP1Channel.Configuration.guarded(by:)` applies them, with TLS and without:
///
/// ```swift
/// Application(router: router, server: .http1(configuration: .guarded()))
/// ```
///
/// - **Time to send a request.** The TLS handshake and the head of the first request have ``headTimeout``, and the rest
///   of a request has ``requestTimeout``. Sending single bytes extends neither. A body that is not complete after five
///   seconds must have arrived with 4 KiB per second since. If the response is sent before the end of the request, the
///   connection is closed.
/// - **Connections per network.** A network has at most ``maximumPerNetwork`` connections, and ten while more than half
///   of ``maximum`` are open. Further connections are closed when they open.
/// - **One request at a time.** Pipelined requests (RFC 9112 §9.3.2) are handled in order, with a pause for all other
///   connections between them. The server reads no more of them than it can handle.
/// - **Time to read a response.** A client that does not read its responses is disconnected after ``writeTimeout``.
/// - **`Connection: close`.** After such a response the server closes its half of the connection when the whole
///   response is sent, and the connection five seconds later (RFC 9112 §9.6). A request of HTTP/1.0 without
///   `keep-alive` gets such a response too (RFC 9112 §9.3).
/// - **Graceful shutdown.** Requests that a client has sent on an open connection get a response with
///   `Connection: close`. Idle connections are closed after a second, and incomplete requests have five seconds to be
///   completed.
/// - **`Host`.** A request of HTTP/1.1 with no `Host`, or with more than one, gets status 400 (RFC 9112 §3.2).
public struct ConnectionLimits: Sendable {
    /// The time from the opening of a connection to the end of the head of its first request, TLS handshake included.
    public var headTimeout: Duration = .seconds(10)

    /// The time to receive the rest of a request after its head.
    ///
    /// Only the time in which the server waits for the client counts, not the time in which a handler does not read.
    /// Raise it for servers that accept large uploads. The package's own operations and pages accept at most 64 KiB, and read a body for at most 20 seconds in any case.
    public var requestTimeout: Duration = .seconds(30)

    /// The time between two requests on a connection.
    ///
    /// The head of the next request must be complete by then.
    public var idleTimeout: Duration = .seconds(75)

    /// The time that up to 64 KiB of responses may wait for a client that does not read.
    ///
    /// After the last response of a connection, the rest of that response has as much time, and again when most of it
    /// was read.
    public var writeTimeout: Duration = .seconds(30)

    /// The maximum size of a header field with its name, in bytes: by default 17 KiB, for a token of the default size.
    ///
    /// For larger access tokens (`TokenLimits`), it must be 1 KiB more than their maximum size. It is from 1 KiB to
    /// 128 KiB; other values count as the nearer of the two. All fields together may have 16 KiB more than one field,
    /// and there may be 100. A request with more gets status 431.
    public var headerFieldBytes = Limits.tokenBytes + 1024

    /// The maximum number of open connections of one network, 1 or more.
    ///
    /// A network is an IPv4 /24 or an IPv6 /48, the usual assignment to one customer. Trusted proxies and Unix sockets
    /// are exempt: only the server's total limits them (`MaximumAvailableConnections`). The requests that they carry,
    /// and the bodies that are being read, are limited for the networks of their clients.
    public var maximumPerNetwork = 100

    /// The maximum number of connections that wait for their clients, 1 or more; nil for that of ``maximum``.
    public var maximumWaiting: Int?

    /// The maximum number of open connections of the server, as passed to `MaximumAvailableConnections`; nil if it has
    /// none.
    ///
    /// It is not enforced here. An eighth of it, but no more than 64, is reserved for connections with requests: if
    /// more than the rest wait for their clients, the one that has waited longest is closed, of the network that has
    /// most of them. While the networks have more than half of it, a network can open a connection only if it has fewer
    /// than ten, so that a few networks cannot use up all connections.
    public var maximum: Int?

    /// The reverse proxies, whose connections carry the requests of many clients.
    public var trustedProxies = TrustedProxies.none

    /// Creates the default limits.
    public init() {}
}

extension HTTP1Channel.Configuration {
    /// The maximum size of all header fields besides one of the maximum size, in bytes.
    private static var otherFieldsSize: Int { 16 * 1024 }

    /// The maximum number of header fields.
    private static var headerFieldCount: Int { 100 }

    /// Returns the configuration of a server that enforces limits on its connections.
    ///
    /// Each returned configuration counts the connections per network separately.
    ///
    /// The counter `login_connections_closed_total` counts the connections that were closed because of a limit. Its
    /// label `reason` is `network` (``ConnectionLimits/maximumPerNetwork``), `waiting` (``ConnectionLimits/maximum``),
    /// `head` (``ConnectionLimits/headTimeout``), `request` (``ConnectionLimits/requestTimeout``) or `write`
    /// (``ConnectionLimits/writeTimeout``).
    ///
    /// - Parameters:
    ///   - limits: The limits.
    ///   - metrics: The factory of the counters.
    /// - Returns: A configuration for `HTTPServerBuilder.http1(configuration:)`, by itself or below TLS.
    public static func guarded(
        by limits: ConnectionLimits = ConnectionLimits(),
        metrics: any MetricsFactory = MetricsSystem.factory
    ) -> Self {
        let networks = SharedPlaces(.connections(maximum: limits.maximumPerNetwork, total: limits.maximum))
        let waiters = (limits.maximumWaiting ?? limits.maximum.map { $0 - min($0 / 8, 64) })
            .map { WaitingConnections(maximum: $0) }
        let counters = ConnectionMetrics(factory: metrics)
        let fieldSize = min(max(limits.headerFieldBytes, 1024), 128 * 1024)
        return Self(
            additionalChannelHandlers: [ConnectionGuard(limits, networks, waiters, counters)],
            idleTimeout: TimeAmount(limits.idleTimeout),
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: fieldSize,
                maxHeaderListSize: fieldSize + otherFieldsSize,
                maxHeaderFieldCount: headerFieldCount
            )
        )
    }
}
#endif
