// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
public import Hummingbird
public import LoginAccounts
internal import Logging
package import NIOCore

/// A request context with the origin of the request and the session of the signed-in user.
///
/// ``BasicLoginRequestContext`` conforms to it. Conform your own context if it has further properties.
public protocol LoginRequestContext: IdentityRequestContext where Identity == Session {
    /// The sign-in data of the request.
    var login: RequestLogin { get set }
}

extension LoginRequestContext {
    /// The session of the request; nil if the request presented none, or no authenticator has run.
    public var identity: Session? {
        get { login.identity }
        set { login.identity = newValue }
    }

    /// The session of the request.
    ///
    /// Throws ``Problem`` with the code `missing-session`, status 401, if the request presented none.
    public var session: Session {
        get throws { try requireIdentity() }
    }
}

/// The origin and the session of a request.
public struct RequestLogin: Sendable {
    /// The ID of the request in logs and responses: 1 to 64 letters, digits, dots, hyphens and underscores.
    ///
    /// ``OriginMiddleware`` takes it from a trusted proxy, or creates it. Without that middleware it is Hummingbird's.
    public internal(set) var requestID: String {
        get { assignedID ?? frameworkID.map { "\($0)" } ?? "" }
        set { assignedID = newValue }
    }

    /// The IP address of the client, IPv4 or IPv6 without a port, as reported by trusted proxies.
    ///
    /// Nil if the server listens on a Unix socket and no proxy has reported an address.
    public internal(set) var clientAddress: String?

    /// The client's network and user agent, for rate limits and lists of sessions.
    public internal(set) var origin: RequestOrigin

    /// The session of the request; nil if the request presented none, or no authenticator has run.
    public var identity: Session?

    /// The transport of the session token; nil if the request presented none.
    public internal(set) var transport: SessionTransport?

    /// The bodies that the server reads, among which that of this request is counted; nil without ``OriginMiddleware``.
    var bodies: SharedPlaces?

    /// The remote address of the connection.
    let peer: String?

    /// The event loop of the connection.
    package let eventLoop: any EventLoop

    private let frameworkID: Logger.MetadataValue?
    private var assignedID: String?

    /// Creates the data of a new request.
    ///
    /// - Parameter source: The source of the request.
    public init(source: ApplicationRequestContextSource) {
        peer = source.peer
        frameworkID = source.logger[metadataKey: "hb.request.id"]
        clientAddress = peer
        eventLoop = source.channel.eventLoop
        origin = RequestOrigin(address: peer)
    }
}

extension ApplicationRequestContextSource {
    /// The IP address of the peer, as ``TrustedProxies`` compares it; nil for a Unix socket, and in a test without sockets.
    ///
    /// For a TCP connection that is already closed NIO has no address, and a placeholder is returned. Requests of such
    /// connections share one network and its limits, so a client cannot escape a limit by resetting its connections,
    /// and they are not taken for those of a proxy on a Unix socket.
    var peer: String? {
        if let address = channel.remoteAddress?.ipAddress { return address }
        let channels = sequence(first: channel) { $0.parent }
        return Self.isOverTCP(channels.map { $0.localAddress }) ? "0.0.0.0" : nil
    }

    /// Returns whether a server has accepted a connection over TCP.
    ///
    /// A closed channel has no address, so only the path of the connection or of the server shows a Unix socket.
    ///
    /// - Parameter local: The local addresses of a channel and its ancestors: over HTTP/2 the stream, the connection
    ///   and the server, otherwise the connection and the server; in a test without sockets a single one.
    /// - Returns: Whether the connection is over TCP.
    static func isOverTCP(_ local: [SocketAddress?]) -> Bool {
        local.count > 1 && !local.contains { $0?.pathname != nil }
    }
}

/// The transport of a session token.
public enum SessionTransport: Sendable, Hashable {
    /// The `Authorization` header, for a client that stores the token itself.
    case bearer
    /// A cookie, for a browser, which may send it with requests that other sites initiate.
    case cookie
}

/// A request context without further properties.
public struct BasicLoginRequestContext: LoginRequestContext {
    /// The storage of Hummingbird.
    public var coreContext: CoreRequestContextStorage

    /// The sign-in data of the request.
    public var login: RequestLogin

    /// Creates the context of a new request.
    public init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        login = RequestLogin(source: source)
    }

    /// The default maximum size of a request body in bytes: 64 KiB.
    ///
    /// The longest value in a request of this API is a token of at most 16 KiB.
    public var maxUploadSize: Int { 64 * 1024 }
}
#endif
