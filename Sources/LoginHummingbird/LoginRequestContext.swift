// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
public import Hummingbird
public import LoginAccounts
public import LoginHTTP
public import LoginTokens
internal import Logging
internal import NIOCore

/// A request context with the session or the access token of the request.
///
/// ``BasicLoginRequestContext`` conforms to it. Conform your own context if it has further properties.
public protocol LoginRequestContext: RequestContext {
    /// The sign-in data of the request.
    var login: RequestLogin { get set }
}

extension LoginRequestContext {
    /// The session of the request; nil if it presented none, or no ``RequireSession`` has looked for one.
    public var identity: Session? { login.visit?.session }

    /// The session of the request.
    ///
    /// Throws `Problem` with the code `missing-session`, status 401, if the request presented none.
    public var session: Session {
        get throws {
            guard let identity else { throw Problem(.missingSession) }
            return identity
        }
    }

    /// The access token of the request.
    ///
    /// Throws `Problem` with the code `missing-token`, status 401, if no ``RequireAccessToken`` precedes the handler.
    public var token: VerifiedAccessToken {
        get throws {
            guard let token = login.visit?.token else { throw Problem(.missingToken) }
            return token
        }
    }
}

extension LoginRequestContext {
    /// Returns the context after a check, whose logger also has the ID of the request.
    func after(_ visit: Visit) -> Self {
        var context = self
        context.login.visit = visit
        context.logger[metadataKey: "request.id"] = .string(visit.requestID)
        return context
    }
}

/// The peer of a request, and what the checks before a handler have found.
public struct RequestLogin: Sendable {
    /// The request with what the checks have found; nil before the first one.
    public internal(set) var visit: Visit?

    /// The other end of the connection.
    public let peer: ServerRequest.Peer

    /// The event loop of the connection.
    let eventLoop: any EventLoop

    /// Creates the data of a new request.
    ///
    /// - Parameter source: The source of the request.
    public init(source: ApplicationRequestContextSource) {
        peer = source.peer
        eventLoop = source.channel.eventLoop
    }
}

extension RequestLogin: Redacted {
    /// The result of the checks, without the address of the client.
    public var description: String { visit.map { "\($0)" } ?? "unchecked request" }
}

extension ApplicationRequestContextSource {
    /// The other end of the connection.
    ///
    /// For a TCP connection that is already closed NIO has no address, and for a Unix socket it never has one.
    var peer: ServerRequest.Peer {
        if let address = channel.remoteAddress?.ipAddress { return .address(address) }
        let channels = sequence(first: channel) { $0.parent }
        return Self.isOverTCP(channels.map { $0.localAddress }) ? .unknown : .unixSocket
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
    public var maxUploadSize: Int { 64 * 1024 }
}
#endif
