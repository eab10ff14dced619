// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import HTTPTypes
internal import LoginTokens

/// The verification for another server: for one that sends the token, and for a proxy that forwards the request.
extension ProtectedResource {
    /// Verifies an access token that another server has received, and that its sender possesses what it is bound to.
    ///
    /// - Parameters:
    ///   - token: The token in its compact serialization.
    ///   - request: The request that the other server has received, with its proofs and the client certificate.
    /// - Returns: The token.
    /// - Throws: `VerificationError`, with a code of access tokens or of proofs of possession.
    func verify(_ token: String, of request: DPoPRequest) async throws(VerificationError) -> VerifiedAccessToken {
        let verified = try await verifier.verified(token)
        if let dpop {
            try await dpop.verify(request, token: token, confirmation: verified.confirmation)
        } else {
            do throws(TokenRefusal) {
                try verified.confirmation.check(certificate: request.certificate)
            } catch {
                throw .refused(error)
            }
        }
        return verified
    }

    /// Returns a forwarded request with the method and the target that the client has sent to the proxy.
    ///
    /// Only a proof is compared with them, so a request without one is returned unchanged.
    ///
    /// - Parameter visit: The request of the proxy, with `X-Forwarded-Method` and `X-Forwarded-Uri`.
    /// - Returns: The request of the client.
    /// - Throws: ``Problem`` with the code `invalid-request` if there is a proof, and the fields are missing, repeated or
    ///   malformed, or the peer is not a trusted proxy.
    func original(_ visit: Visit) throws(Problem) -> Visit {
        let request = visit.request
        guard dpop != nil, request.headers[.dpop] != nil else { return visit }
        let (methods, targets) = (
            request.headers[values: .xForwardedMethod], request.headers[values: .xForwardedURI]
        )
        guard trustedProxies.isTrusted(request.peer), methods.count == 1, targets.count == 1,
            let method = HTTPRequest.Method(rawValue: methods[0]), targets[0].hasPrefix("/")
        else {
            throw Problem(
                .invalidRequest,
                "A request with a proof needs X-Forwarded-Method and X-Forwarded-Uri from a trusted proxy."
            )
        }
        var head = request.head
        head.method = method
        head.path = targets[0]
        return visit.with(ServerRequest(head, from: request.peer, body: request.body, logger: request.logger))
    }
}

extension HTTPField.Name {
    /// The header field with the method of the request that a proxy forwards.
    static let xForwardedMethod = known("X-Forwarded-Method")
    /// The header field with the path and the query of the request that a proxy forwards.
    static let xForwardedURI = known("X-Forwarded-Uri")
}
#endif
