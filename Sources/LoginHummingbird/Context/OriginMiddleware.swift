// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import HTTPTypes
public import Hummingbird
internal import LoginAccounts
internal import LoginCrypto
internal import LoginText
internal import LoginTokens
internal import Logging

/// Determines the ID and the client address of each request.
///
/// Add it before all other middleware.
///
/// The response has the request ID in its `X-Request-ID` header, and each log line of the request has it in its
/// metadata. A user who reports an error can name it, and the operator finds the log lines by it.
///
/// The operations and pages behind it read at most 50 bodies of one network at a time, as reported by trusted proxies,
/// and ten while more than a quarter of the server's connections are used for bodies. Further
/// requests with a body are rejected with `too-many-requests`, so that slow bodies do not keep others from the server.
///
/// The response deletes the cookies of the service that the request has twice. Another application of the host can add
/// a second cookie of the same name, as a partitioned one (CHIPS); neither is then accepted.
public struct OriginMiddleware<Context: LoginRequestContext>: RouterMiddleware {
    private let proxies: TrustedProxies
    private let bodies: SharedPlaces

    /// Creates the middleware.
    ///
    /// - Parameter proxies: The proxies whose forwarding headers are trusted.
    public init(trustedProxies proxies: TrustedProxies = .none) {
        self.init(trustedProxies: proxies, bodies: .bodies(connections: nil))
    }

    /// Creates the middleware of a server with several of them.
    ///
    /// - Parameters:
    ///   - proxies: The proxies whose forwarding headers are trusted.
    ///   - bodies: The bodies that the whole server reads.
    package init(trustedProxies proxies: TrustedProxies, bodies: SharedPlaces) {
        self.proxies = proxies
        self.bodies = bodies
    }

    /// Adds the ID and the origin to the context, and calls the next responder.
    public func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let context = identified(context, request)
        var response = try await next(request, context)
        complete(&response, to: request, context)
        return response
    }

    /// Returns the context with the ID and the origin of a request.
    package func identified(_ context: Context, _ request: Request) -> Context {
        var context = context
        context.login.bodies = bodies
        let peer = context.login.peer
        if proxies.isTrusted(peer), let id = request.headers[.xRequestID], Self.isID(id) {
            context.login.requestID = id
        } else {
            context.login.requestID = Base64URL.encode(randomBytes(count: 12))
        }
        let client = proxies.client(peer: peer, forwarded: request.headers[values: .xForwardedFor])
        if client != peer {
            context.login.clientAddress = client
            context.login.origin = RequestOrigin(address: client)
        }
        context.login.origin = context.login.origin.with(device: request.headers[.userAgent])
        context.logger[metadataKey: "request.id"] = .string(context.login.requestID)
        return context
    }

    /// Adds the ID of a request to its response, and the removal of repeated cookies.
    package func complete(_ response: inout Response, to request: Request, _ context: Context) {
        response.headers[.xRequestID] = context.login.requestID
        SessionCookies.clearRepeated(in: request.headers, by: &response.headers)
    }

    private static func isID(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                switch $0 {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                default: "-._".utf8.contains($0)
                }
            }
    }
}

extension HTTPField.Name {
    /// The header field with the ID of the request, sent by a proxy and returned in the response.
    static let xRequestID = known("X-Request-ID")
    /// The header field with the addresses for which the proxies forwarded the request.
    static let xForwardedFor = known("X-Forwarded-For")
}
#endif
