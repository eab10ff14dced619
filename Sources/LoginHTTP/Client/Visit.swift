// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
public import HTTPTypes
public import LoginAccounts
internal import LoginCrypto
internal import LoginText
public import LoginTokens
public import Logging

/// A request whose client is known, and what the checks before a route have found.
///
/// ``LoginService/session(of:level:isOptional:)-(ServerRequest,_,_)`` and
/// ``ProtectedResource/token(of:meeting:)-(ServerRequest,_)`` return it. The route of an application completes its response
/// with ``finish(_:)``, and a further check of the same request is given it in place of the request.
///
/// The response has the request ID in its `X-Request-ID` header, and each log line of the request has it in its
/// metadata. A user who reports an error can name it, and the operator finds the log lines by it.
public struct Visit: Sendable {
    /// The request, whose logger has the request ID.
    public private(set) var request: ServerRequest

    /// The ID of the request in logs and responses: 1 to 64 letters, digits, dots, hyphens and underscores.
    ///
    /// It is that of a trusted proxy, or a new one.
    public let requestID: String

    /// The IP address of the client, IPv4 or IPv6 without a port, as reported by trusted proxies.
    ///
    /// Nil for a Unix socket for which no proxy has reported an address.
    public private(set) var clientAddress: String?

    /// The client's network and user agent, for rate limits and lists of sessions.
    public private(set) var origin = RequestOrigin(address: nil)

    /// The session of the request; nil if it presented none, or none was looked up.
    public internal(set) var session: Session? {
        get { boxedSession.value }
        set { boxedSession.value = newValue }
    }

    /// The transport of the session token; nil without a session.
    public internal(set) var transport: SessionTransport?

    /// The access token of the request; nil if none was verified.
    public internal(set) var token: VerifiedAccessToken? {
        get { boxedToken.value }
        set { boxedToken.value = newValue }
    }

    private var boxedSession = Boxed<Session>.none
    private var boxedToken = Boxed<VerifiedAccessToken>.none

    /// The fields that set or delete the cookies of the session, unless the response sets them itself.
    var sessionCookies = HTTPFields()

    /// The counts that have counted the request.
    var countedBy: [ObjectIdentifier] = []

    /// The identity of the service that has looked for a session; nil for none.
    var service: AddedPages?

    /// The identity of the resource that has verified the token and the possession of its key.
    var resource: ProtectedResource.Identity?

    /// The proofs of the request that ledgers have recorded, so that a further resource does not take them for replays.
    var recordedProofs: [RecordedProof] = []

    /// The server nonce for the client's next proof; nil for none.
    var proofNonce: String?

    /// The origins whose scripts may read the response, unless it is of the service itself.
    var allowedOrigins = AllowedOrigins.none

    /// The bodies that the server reads, among which that of this request is counted; nil to count none.
    var bodies: SharedPlaces?

    /// Determines the ID and the client address of a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - proxies: The proxies whose forwarding headers are trusted.
    ///   - bodies: The bodies that the whole server reads; nil to count none.
    init(_ request: ServerRequest, proxies: TrustedProxies, bodies: SharedPlaces?) {
        if proxies.isTrusted(request.peer), let id = request.headers[.xRequestID], Self.isID(id) {
            requestID = id
        } else {
            requestID = Base64URL.encode(randomBytes(count: 12))
        }
        self.bodies = bodies
        var request = request
        request.logger[metadataKey: "request.id"] = .string(requestID)
        self.request = request
        identify(by: proxies)
    }

    /// Determines the address of the client.
    ///
    /// - Parameter proxies: The proxies whose forwarding headers are trusted.
    mutating func identify(by proxies: TrustedProxies) {
        clientAddress = proxies.client(of: request)
        origin = RequestOrigin(address: clientAddress).with(device: request.headers[.userAgent])
    }

    /// Returns the same visit, of another request of the client.
    func with(_ request: ServerRequest) -> Self {
        var visit = self
        visit.request = request
        return visit
    }

    /// The logger of the request, which has its ID.
    public var logger: Logger { request.logger }

    /// Completes the response of a route: renewed cookies, the request ID, the nonce for the next proof, and the fields of
    /// CORS.
    ///
    /// A session cookie that the response sets itself is kept. Cookies of the service that the request has twice are
    /// deleted: another application of the host can add a second cookie of the same name, as a partitioned one (CHIPS),
    /// and neither is then accepted.
    ///
    /// - Parameter headers: The header fields of the response.
    public func finish(_ headers: inout HTTPFields) {
        if !sessionCookies.isEmpty, !headers.setsCookie(SessionCookies.sessionName) {
            headers.append(contentsOf: sessionCookies)
        }
        // A response from a cache would repeat an old nonce (RFC 9449 §8.2).
        if let proofNonce, headers[.dpopNonce] == nil, [nil, "no-store"].contains(headers[.cacheControl]) {
            headers[.cacheControl] = "no-store"
            headers[.dpopNonce] = proofNonce
        }
        allowedOrigins.complete(&headers, of: request)
        headers[.xRequestID] = requestID
        SessionCookies.clearRepeated(in: request.headers, by: &headers)
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

extension Visit: Redacted {
    /// The ID of the request, without anything that its client has sent.
    public var description: String { "request \(requestID)" }
}

/// The transport of a session token.
public enum SessionTransport: Sendable, Hashable {
    /// The `Authorization` header, for a client that stores the token itself.
    case bearer
    /// A cookie, for a browser, which may send it with requests that other sites initiate.
    case cookie
}

extension HTTPField.Name {
    /// The header field with the ID of the request, sent by a proxy and returned in the response.
    static let xRequestID = known("X-Request-ID")
    /// The header field with the addresses for which the proxies forwarded the request.
    static let xForwardedFor = known("X-Forwarded-For")
}
#endif
