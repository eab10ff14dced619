// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import HTTPTypes
internal import LoginTokens

extension LoginOperations {
    /// The operations for APIs whose access tokens the service verifies; none without such an API.
    var protectedResources: [Operation] {
        options.resources.isEmpty ? [] : [forwardAuthAPI, preflightAPI, protectedResourceMetadata]
    }

    private static var api: Field { .required("api", .text(1...32), "The name of the API.") }

    private var forwardAuthAPI: Operation {
        Operation(
            name: "forwardAuthAPI",
            method: .get,
            path: "/v1/forward-auth/{api}",
            summary:
                "Authorizes a request with an access token for a reverse proxy, and returns the subject and the client.",
            tag: "Verification",
            query: [
                .optional("scope", .text(1...1000), "The scopes that the route requires, separated by spaces."),
                .optional(
                    "max_age",
                    .integer(RouteRequirements.ages),
                    "The maximum number of seconds since the user was authenticated (RFC 9470)."
                ),
                .optional(
                    "acr_values",
                    .text(1...1000),
                    "The authentication context classes that the route accepts, separated by spaces (RFC 9470)."
                ),
            ],
            headers: [
                .optional(
                    HTTPField.Name.xForwardedMethod.rawName,
                    .text(1...64),
                    "The method of the client's request. A trusted proxy must set it if the API accepts DPoP proofs."
                ),
                .optional(
                    HTTPField.Name.xForwardedURI.rawName,
                    .text(1...8192),
                    "The path and the query of the client's request, likewise."
                ),
            ],
            parameters: [Self.api],
            answer: .init(summary: "The request is authorized.", headers: ForwardedAccessToken.described),
            problems: [ProblemCode.notFound, .missingToken, .invalidRequest, .keysUnavailable]
                + ProblemCode.ofAccessTokens
        ) { call in
            let resource = try resource(call)
            do throws(Problem) {
                let route = try Self.route(call)
                var visit = try resource.original(call.visit)
                let token = try await resource.authenticate(&visit, route: route)
                try resource.check(token, for: route, logger: visit.logger)
                var response = ServerResponse.noContent
                response.status = .ok
                response.headers.append(contentsOf: ForwardedAccessToken(token).fields)
                resource.allowedOrigins.complete(&response.headers, of: call.request)
                return response
            } catch {
                var problem = error
                resource.allowedOrigins.complete(&problem.headers, of: call.request)
                throw problem
            }
        }
    }

    /// The answer to preflights, which a proxy passes on instead of authorizing them.
    ///
    /// With GET, a proxy would take a successful status for an authorization.
    private var preflightAPI: Operation {
        Operation(
            name: "preflightAPI",
            method: .options,
            path: "/v1/forward-auth/{api}",
            summary: "Answers a CORS preflight for an API, which a reverse proxy passes on unchanged.",
            tag: "Verification",
            parameters: [Self.api],
            answer: .init(
                status: .noContent,
                summary: "The answer, with `Access-Control-Allow-Origin` if the API allows the origin."
            ),
            problems: [.notFound, .invalidRequest]
        ) { call in
            let resource = try resource(call)
            guard call.request.isPreflight else {
                throw Problem(.invalidRequest, "A preflight has Origin and Access-Control-Request-Method.")
            }
            return resource.allowedOrigins.preflight(call.request) ?? .noContent
        }
    }

    private var protectedResourceMetadata: Operation {
        Operation(
            name: "protectedResourceMetadata",
            method: .get,
            path: "/v1/protected-resources/{api}",
            summary: "Returns the metadata of an API (RFC 9728), for a proxy that serves it at the API's own URL.",
            tag: "Verification",
            parameters: [Self.api],
            answer: .init(summary: "The metadata.", schema: .anyObject),
            problems: [.notFound]
        ) { call in
            let resource = try resource(call)
            var response = jsonResponse(json: resource.metadata)
            response.headers[.cacheControl] = "max-age=300"
            resource.allowedOrigins.complete(&response.headers, of: call.request)
            return response
        }
    }

    private func resource(_ call: Call) throws(Problem) -> ProtectedResource {
        guard let resource = options.resources.resource(named: call.parameter("api")) else {
            throw Problem(.notFound, "No API with this name is configured.")
        }
        return resource
    }

    /// Returns the requirements of the route, which the proxy states in the query.
    private static func route(_ call: Call) throws(Problem) -> RouteRequirements {
        guard let query = call.request.query, !query.isEmpty else { return .none }
        guard let fields = FormFields(reading: query.utf8), let route = RouteRequirements(query: fields) else {
            throw Problem(
                .invalidRequest,
                """
                The only query parameters are scope, max_age and acr_values, each present at most once: scopes separated \
                by spaces, seconds, and authentication context classes separated by spaces.
                """
            )
        }
        return route
    }

    /// Verifies an access token that an API has received.
    ///
    /// - Parameters:
    ///   - call: The request of the API.
    ///   - resource: The API.
    /// - Returns: The verdict.
    /// - Throws: ``Problem`` if the request is invalid, or the token cannot be decided now.
    func verdict(_ call: Call, of resource: ProtectedResource) async throws(Problem) -> ServerResponse {
        guard call.optionalText("nonce") == nil, call.optionalText("attempt") == nil else {
            throw Problem(.invalidRequest, "The policy of an API accepts neither `nonce` nor `attempt`.")
        }
        let certificate: ClientCertificate?
        do throws(TokenRefusal) {
            certificate = try call.optionalText("certificate")
                .map { pem throws(TokenRefusal) in try ClientCertificate(pem: pem.utf8) }
        } catch {
            return jsonResponse(json: VerdictAnswer.json(of: RefusedToken(error), policy: call.text("policy")))
        }
        let request = try Self.request(of: call, resource, certificate)
        // It saves the client a repetition of its next request, or enables it to repeat this one.
        let nonce = request.proofs.isEmpty ? nil : resource.dpop?.nonce
        let policy = call.text("policy")
        do throws(VerificationError) {
            if !request.proofs.isEmpty, request.origin != resource.origin {
                // An API that takes the origin from `Host` would accept a proof that was made for another server.
                let detail = "url has another origin than the resource"
                throw .refused(TokenRefusal(.proofURL, detail, member: "htu"))
            }
            let token = try await resource.verify(call.text("token"), of: request)
            return jsonResponse(json: VerdictAnswer.json(of: token, policy: policy, proofNonce: nonce))
        } catch {
            guard case .refused(let refusal) = error else {
                throw resource.refusal(error, scheme: .bearer, .none, call.visit.logger)
            }
            let refused = RefusedToken(refusal)
            return jsonResponse(json: VerdictAnswer.json(of: refused, policy: policy, proofNonce: nonce))
        }
    }

    /// Returns the request that the API has received, as the members state it.
    private static func request(
        of call: Call,
        _ resource: ProtectedResource,
        _ certificate: ClientCertificate?
    ) throws(Problem) -> DPoPRequest {
        switch (call.optionalText("dpop"), call.optionalText("method"), call.optionalText("url")) {
        case (nil, nil, nil): return DPoPRequest(method: "", url: "", proofs: [], certificate: certificate)
        case (let proof?, let method?, let url?):
            guard resource.dpop != nil else { throw Problem(.invalidRequest, "This API accepts no DPoP proofs.") }
            return DPoPRequest(method: method, url: url, proofs: [proof], certificate: certificate)
        default: throw Problem(.invalidRequest, "`dpop`, `method` and `url` are required together.")
        }
    }
}
#endif
