// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
public import Hummingbird
public import LoginAccounts
internal import Logging
internal import NIOCore

/// A request's context that knows from where the request came, and who is signed in.
///
/// ``BasicLoginRequestContext`` is one; conform your own to it where you keep more.
public protocol LoginRequestContext: IdentityRequestContext where Identity == Session {
    /// What this library knows of the request.
    var login: RequestLogin { get set }
}

extension LoginRequestContext {
    /// The session that the request showed, as it was read; nil where it showed none.
    public var identity: Session? {
        get { login.identity }
        set { login.identity = newValue }
    }

    /// The session of the request.
    ///
    /// It throws ``Problem`` with the code `missing-session`, status 401, where the request showed none.
    public var session: Session {
        get throws { try requireIdentity() }
    }
}

/// What this library knows of a request.
public struct RequestLogin: Sendable {
    /// What the request is known by, in logs and in answers: 1 to 64 letters, digits, dots, hyphens and underscores.
    ///
    /// ``OriginMiddleware`` takes it over from a proxy that is trusted, or makes it.
    public internal(set) var requestID: String

    /// The address of the client, as far as proxies that are trusted say it: IPv4 or IPv6 without a port.
    ///
    /// Nil where the server listens on a Unix socket, and no proxy said it.
    public internal(set) var clientAddress: String?

    /// The network of the client and what it calls itself, for limits and for lists of sessions.
    public internal(set) var origin: RequestOrigin

    /// The session that the request showed, as it was read; nil where it showed none.
    public var identity: Session?

    /// How the session was shown; nil where none was.
    public internal(set) var transport: SessionTransport?

    /// The address that the connection is from.
    let peer: String?

    /// What is known when a request begins.
    ///
    /// - Parameter source: Where the request comes from.
    public init(source: ApplicationRequestContextSource) {
        peer = source.channel.remoteAddress?.ipAddress ?? Self.addressOfClosed(source.channel)
        requestID = source.logger[metadataKey: "hb.request.id"].map { "\($0)" } ?? ""
        clientAddress = peer
        origin = RequestOrigin(address: peer)
    }
}

extension RequestLogin {
    /// The address for a request over TCP whose connection is closed already, which NIO tells no address of; nil for any other channel.
    ///
    /// Such requests share the limits of one network: a client that resets its connections escapes no limit.
    private static func addressOfClosed(_ channel: any Channel) -> String? {
        channel.parent?.localAddress?.ipAddress == nil ? nil : "0.0.0.0"
    }
}

/// How a session is shown.
public enum SessionTransport: Sendable, Hashable {
    /// In the header `Authorization`, by a client that keeps the token itself.
    case bearer
    /// In a cookie, by a browser: it sends it with whatever request a page makes, also one of another site.
    case cookie
}

/// A context for servers that keep nothing more.
public struct BasicLoginRequestContext: LoginRequestContext {
    /// What Hummingbird keeps.
    public var coreContext: CoreRequestContextStorage

    /// What this library knows of the request.
    public var login: RequestLogin

    /// A context of a request that begins.
    public init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        login = RequestLogin(source: source)
    }

    /// The most bytes of a body that are read, unless a handler says otherwise: 64 KiB.
    ///
    /// The longest thing that anybody sends here is a token, which has 16 KiB at most.
    public var maxUploadSize: Int { 64 * 1024 }
}
#endif
