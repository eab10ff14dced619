// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import HTTPTypes
internal import LoginTokens
internal import Logging

extension ProtectedResource {
    /// Verifies the access token of a request, and that its sender possesses what it is bound to.
    ///
    /// - Parameters:
    ///   - visit: The request, which gets the token.
    ///   - route: The requirements of the route, for the challenge.
    /// - Returns: The token.
    /// - Throws: ``Problem`` with the challenges, if the token is missing or not accepted.
    func authenticate(_ visit: inout Visit, route: RouteRequirements) async throws(Problem) -> VerifiedAccessToken {
        let field: AuthorizationField?
        do throws(MalformedAuthorization) {
            field = try AuthorizationField(visit.request.headers, schemes: acceptedSchemes)
        } catch {
            throw .malformedAuthorization(challenges(.invalidRequest, nil, scheme: error.scheme))
        }
        guard let presented = field else {
            throw Problem(.missingToken, headers: challenges(nil, nil, scheme: nil, route: route))
        }
        do throws(VerificationError) {
            let token = try await verify(presented, of: &visit)
            visit.token = token
            visit.resource = identity
            // It saves the client a repetition of its next request.
            visit.proofNonce = token.confirmation.keyThumbprint == nil ? nil : dpop?.nonce
            return token
        } catch {
            throw refusal(error, scheme: presented.scheme, route, visit.logger)
        }
    }

    /// Checks that a verified token meets the requirements of a route.
    ///
    /// The authentication comes first: its challenge also names the scopes, so the client can request both at once.
    func check(_ token: VerifiedAccessToken, for route: RouteRequirements, logger: Logger) throws(Problem) {
        do throws(TokenRefusal) {
            try verifier.checkAuthentication(
                of: token,
                maximumAge: route.maximumAuthenticationAge,
                acceptedACRs: route.acceptedACRs
            )
        } catch {
            throw refusal(.refused(error), scheme: Self.scheme(of: token), route, logger)
        }
        let granted = route.scopes.isEmpty ? [] : token.scopes
        let missing = route.scopes.filter { !granted.contains($0) }
        guard !missing.isEmpty else { return }
        let code = VerificationCode.insufficientScope
        let detail = "The access token lacks the scope \(missing.joined(separator: " "))."
        RefusalLog(logger).record(code.rawValue, provider: verifier.requirements.issuer.provider.name, detail: detail)
        throw Problem(
            ProblemCode(code, status: .forbidden),
            detail,
            headers: challenges(.insufficientScope, code, scheme: Self.scheme(of: token), route: route)
        )
    }

    /// Logs that a token was not accepted, and returns the problem.
    func refusal(
        _ error: VerificationError,
        scheme: AuthorizationField.Scheme,
        _ route: RouteRequirements,
        _ logger: Logger
    ) -> Problem {
        var problem = problem(for: error, scheme: scheme, route: route)
        log(error, as: problem, to: logger)
        problem.isLogged = true
        return problem
    }

    /// Returns the scheme with which a verified token was sent.
    static func scheme(of token: VerifiedAccessToken) -> AuthorizationField.Scheme {
        token.confirmation.keyThumbprint == nil ? .bearer : .dpop
    }

    /// Returns the URL that a client has sent a request to.
    ///
    /// The origin is the configured one: the header fields `Host` and `Forwarded` are input of the client. The path
    /// begins with a slash, or it would continue the host.
    func url(of request: ServerRequest) -> String {
        let path = request.path
        return origin + (path.hasPrefix("/") ? path : "/" + path)
    }

    private func verify(
        _ presented: AuthorizationField,
        of visit: inout Visit
    ) async throws(VerificationError) -> VerifiedAccessToken {
        let request = visit.request
        // A proof that is sent with a bearer token proves nothing: RFC 9449 §7.1 assigns it to the scheme DPoP.
        let proofs = presented.scheme == .dpop ? request.headers[values: .dpop] : []
        let (method, url) = (request.method.rawValue, self.url(of: request))
        if presented.scheme == .dpop, proofs.isEmpty, let dpop {
            // The scheme needs a proof (RFC 9449 §7.1). This always throws, with the code `proof-required`.
            _ = try await dpop.verify(DPoPRequest(method: method, url: url, proofs: []))
        }
        let token = try await verifier.verified(presented.token)
        let certificate: ClientCertificate?
        do throws(TokenRefusal) {
            certificate = try self.certificate(for: token, of: request)
            if dpop == nil { try token.confirmation.check(certificate: certificate) }
        } catch {
            throw .refused(error)
        }
        if let dpop {
            if !proofs.isEmpty, !Self.isPlain(request.path) {
                throw .refused(TokenRefusal(.proofURL, "the path has dot segments or a fragment", member: "htu"))
            }
            let request = DPoPRequest(method: method, url: url, proofs: proofs, certificate: certificate)
            try await dpop.verify(
                request,
                token: presented.token,
                confirmation: token.confirmation,
                recorded: &visit.recordedProofs
            )
        }
        return token
    }

    /// Whether the router sees a path as the comparison of URLs does, which removes dot segments and fragments.
    private static func isPlain(_ path: String) -> Bool {
        !path.utf8.contains(UInt8(ascii: "#"))
            && !path.split(separator: "/").contains {
                let segment = $0.lowercased().replacing("%2e", with: ".")
                return segment == "." || segment == ".."
            }
    }

    /// Returns the client certificate that a trusted proxy passes with a token that is bound to one.
    private func certificate(
        for token: VerifiedAccessToken,
        of request: ServerRequest
    ) throws(TokenRefusal) -> ClientCertificate? {
        guard token.confirmation.certificateThumbprint != nil, let certificateField,
            trustedProxies.isTrusted(request.peer)
        else { return nil }
        return try certificateField.certificate(in: request.headers)
    }

    private func log(_ error: VerificationError, as problem: Problem, to logger: Logger) {
        switch error {
        case .refused(let refusal):
            // Tokens expire, and nonces change, in normal operation.
            guard refusal.code != .expired, refusal.code != .proofNonce else { return }
            RefusalLog(logger).record(
                refusal.code.rawValue,
                provider: verifier.requirements.issuer.provider.name,
                // URLs may contain secrets and personal data.
                detail: refusal.code == .proofURL
                    ? "proof-url: the proof is for another URL"
                    // What was sent instead of a token is only examined for the response.
                    : logger.logLevel <= .debug ? refusal.description : refusal.reason
            )
        case .undecided(let unavailable):
            logger.log(
                level: outages.level(of: error, as: problem),
                "request failed",
                metadata: [
                    "error.code": "\(problem.code)", "error.type": "\(type(of: unavailable))",
                    "error.detail": "\(unavailable)", "resource": "\(identifier)",
                ]
            )
        }
    }
}
#endif
