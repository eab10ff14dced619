// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import LoginAccounts
public import LoginTokens

/// An API whose routes need an access token: a protected resource of OAuth 2.0 (RFC 6749 §1.1).
///
/// ```swift
/// let orders = try ProtectedResource("https://api.example", verifier: verifier)
/// try await orders.respond(to: request, meeting: .scopes("orders:read")) { token, _ in
///     ServerResponse(status: .ok, body: ServerResponse.Body("the orders of \(token.subject)\n".utf8))
/// }
/// ```
///
/// A token is accepted in the header field `Authorization`, with the scheme `Bearer` (RFC 6750), or with `DPoP` and a
/// proof if there is a `DPoPVerifier` (RFC 9449). A token that is bound to a key or a certificate is refused without
/// its proof or certificate, always, and one that is bound to a key is refused as a bearer token (RFC 9449 §7.2).
///
/// Each refusal is a ``Problem`` with the code of the refusal and a challenge in `WWW-Authenticate`:
///
/// | refusal | status | error |
/// |---|---|---|
/// | no token, `missing-token` | 401 | none |
/// | malformed `Authorization`, `invalid-request` | 401 | `invalid_request` |
/// | token, `VerificationCode/refusals` or `inactive` | 401 | `invalid_token` |
/// | missing scope, `insufficient-scope` | 403 | `insufficient_scope` |
/// | authentication: `auth-time`, `acr`, or `claim-value` for `acr` | 401 | `insufficient_user_authentication` (RFC 9470) |
/// | proof, `VerificationCode/possession` | 401 | `invalid_dpop_proof`, `use_dpop_nonce` or `invalid_token` |
/// | `keys-unavailable`, `introspection-unavailable`, `proof-undecided` | 503 | none, but `Retry-After` |
///
/// Any number of routers and tasks may use one value. Create it once.
public struct ProtectedResource: Sendable {
    /// The resource identifier (RFC 9728 §1.2): the public URL of the API.
    public let identifier: String

    /// The verifier of access tokens: an `AccessTokenVerifier`, or a `TokenIntrospector` for opaque ones.
    public let verifier: any BearerTokenVerifier

    /// The scopes that clients may request, for the metadata.
    public let scopes: [String]

    /// The verifier of DPoP proofs; nil if tokens that are bound to a key are refused.
    public let dpop: DPoPVerifier?

    /// The origins whose scripts may call the API in browsers.
    public let allowedOrigins: AllowedOrigins

    /// The public origin of the API, with which the URLs of proofs begin.
    let origin: String

    /// The identity of a resource and its copies: another resource with the same identifier may have stricter rules.
    final class Identity: Sendable {}

    let identity = Identity()

    /// The path of the resource identifier, empty or beginning with a slash.
    let path: String

    let certificateField: ClientCertificateField?
    let trustedProxies: TrustedProxies
    let outages = OutageLog()
    private let requestsPerMinute: Int?
    /// The requests that the resource has counted.
    var counts = RequestCounts()

    /// Creates a resource.
    ///
    /// - Parameters:
    ///   - identifier: The public URL of the API, for example `https://api.example` or `https://example.com/orders`, as
    ///     clients know it: `https`, or `http` on a loopback host for development. Its path consists of letters,
    ///     digits, hyphens, dots, underscores and tildes. It need not be an audience of the policy. Proofs are
    ///     compared with its origin and the path of the request, so a proxy must not change the path.
    ///   - verifier: The verifier of access tokens: an `AccessTokenVerifier`, or a `TokenIntrospector` for opaque ones.
    ///   - scopes: The scopes that clients may request, for the metadata; those of the policy are added.
    ///   - dpop: The verifier of DPoP proofs; nil to refuse tokens that are bound to a key.
    ///   - certificateField: The header field with the client certificate, read only from trusted proxies; nil to
    ///     refuse tokens that are bound to a certificate.
    ///   - trustedProxies: The proxies that may pass a client certificate and the address of the client.
    ///   - requestsPerMinute: The maximum number of requests of one network per minute, 1 or more; nil for no limit.
    ///   - allowedOrigins: The origins whose scripts may call the API in browsers, by CORS.
    /// - Throws: `PolicyError` if the URL or a scope is invalid.
    public init(
        _ identifier: String,
        verifier: any BearerTokenVerifier,
        scopes: [String] = [],
        dpop: DPoPVerifier? = nil,
        clientCertificates certificateField: ClientCertificateField? = nil,
        trustedProxies: TrustedProxies = .none,
        requestsPerMinute: Int? = nil,
        allowedOrigins: AllowedOrigins = .none
    ) throws(PolicyError) {
        let url: EndpointURL
        do throws(TransportFailure) { url = try EndpointURL(identifier, allowsLoopbackHTTP: true) } catch {
            throw PolicyError("resource: \(error.detail)")
        }
        let path = url.target == "/" ? "" : url.target
        // Other characters would be patterns of the router, or have several spellings.
        guard path.utf8.allSatisfy(Self.isPathCharacter), !path.contains("//"),
            !path.split(separator: "/").contains(where: { $0 == "." || $0 == ".." })
        else { throw PolicyError("resource: the path must consist of unreserved characters, without a query") }
        guard scopes.allSatisfy({ ScopeList.isScope($0.utf8) }) else {
            throw PolicyError("scopes: each must be one scope of printable ASCII characters")
        }
        self.identifier = identifier
        self.verifier = verifier
        var all = verifier.requirements.requiredScopes
        for scope in scopes where !all.contains(scope) { all.append(scope) }
        self.scopes = all
        self.dpop = dpop
        self.certificateField = certificateField
        self.trustedProxies = trustedProxies
        self.requestsPerMinute = requestsPerMinute
        self.allowedOrigins = allowedOrigins
        origin = url.origin
        self.path = path
    }

    /// Returns a request with its ID and the address of its client.
    ///
    /// - Parameter request: The request.
    /// - Returns: The request with its ID and its client, before any check.
    public func visit(_ request: ServerRequest) -> Visit {
        var visit = Visit(request, proxies: trustedProxies, bodies: nil)
        visit.allowedOrigins = allowedOrigins
        return visit
    }

    /// Counts a request, unless it was counted already.
    ///
    /// - Throws: ``Problem`` with the code `too-many-requests`.
    func count(_ visit: inout Visit) throws(Problem) {
        // The proxies of an earlier check may be others.
        let network = RequestOrigin(address: trustedProxies.client(of: visit.request)).addressPrefix
        try counts.count(&visit, of: network, in: .requests, perMinute: requestsPerMinute)
    }

    /// Returns whether a byte is a slash or an unreserved character (RFC 3986 §2.3).
    private static func isPathCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "-._~/".utf8.contains(byte)
        }
    }
}
#endif
