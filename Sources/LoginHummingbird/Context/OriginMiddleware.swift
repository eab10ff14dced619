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

/// Says of each request from where it comes, and what it is known by.
///
/// It stands before all others.
/// The ID of the request is in each answer as `X-Request-ID`, and in each line of the log: where somebody reports an error, it leads
/// there.
public struct OriginMiddleware<Context: LoginRequestContext>: RouterMiddleware {
    private let proxies: TrustedProxies

    /// The origin of requests.
    ///
    /// - Parameter proxies: Who is believed about it.
    public init(trustedProxies proxies: TrustedProxies = .none) {
        self.proxies = proxies
    }

    /// Notes the origin, and goes on.
    public func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var context = context
        let peer = context.login.peer
        if proxies.isTrusted(peer), let id = request.headers[.xRequestID], Self.isID(id) {
            context.login.requestID = id
        } else {
            context.login.requestID = Base64URL.encode(randomBytes(count: 12))
        }
        let client = proxies.client(peer: peer, forwarded: request.headers[values: .xForwardedFor])
        context.login.clientAddress = client
        context.login.origin = RequestOrigin(address: client, device: request.headers[.userAgent])
        context.logger[metadataKey: "request.id"] = .string(context.login.requestID)
        var response = try await next(request, context)
        response.headers[.xRequestID] = context.login.requestID
        return response
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
    /// By which a request is known, from proxy to log.
    static let xRequestID = known("X-Request-ID")
    /// Whom proxies were asked by.
    static let xForwardedFor = known("X-Forwarded-For")
}
#endif
