// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import HTTPTypes
internal import LoginTokens

extension ProtectedResource {
    /// The URL of the metadata, which each challenge names as `resource_metadata` (RFC 9728 §3.1, §5.1).
    public var metadataURL: String { origin + metadataPath }

    /// The route of the metadata (RFC 9728), by which clients find the authorization server and the scopes.
    ///
    /// The path is `/.well-known/oauth-protected-resource`, followed by the path of the resource identifier. If the
    /// identifier has a path, a proxy must pass this path to the server too. The document needs no access token, and
    /// may be cached for five minutes.
    public var metadataRoute: LoginRoute {
        let response = ServerResponse(
            status: .ok,
            headers: [
                .contentType: "application/json", .cacheControl: "max-age=300", .xContentTypeOptions: "nosniff",
            ],
            body: ServerResponse.Body(metadata, isReused: true)
        )
        return LoginRoute(
            metadataPath,
            [
                (
                    .get,
                    { request, _ throws(CancellationError) in
                        var response = response
                        visit(request).finish(&response.headers)
                        return response.answering(request)
                    }
                )
            ],
            storeUse: .never,
            refusal: { request, problem in answer(problem, of: visit(request)) }
        )
    }

    /// Adds ``metadataRoute`` to a framework's router.
    ///
    /// - Parameter router: The router.
    public func addMetadata(to router: some LoginRouter) { router.add(metadataRoute) }

    private var metadataPath: String { "/.well-known/oauth-protected-resource\(path)" }

    /// The metadata in JSON (RFC 9728 §2).
    var metadata: [UInt8] {
        JSONWriter.object { json in
            json.add("resource", identifier)
            json.add("authorization_servers", list: authorizationServers)
            json.add("scopes_supported", list: scopes)
            json.add("bearer_methods_supported", list: ["header"])
            if certificateField != nil {
                json.add("tls_client_certificate_bound_access_tokens", json: "true".utf8)
            }
            json.add("dpop_signing_alg_values_supported", list: proofAlgorithms)
            if requiresProofs { json.add("dpop_bound_access_tokens_required", json: "true".utf8) }
        }
    }

    /// The issuers of the policy that are URLs: not the short names that some providers also use, nor patterns for
    /// tenants.
    private var authorizationServers: [String] {
        let provider = verifier.requirements.issuer.provider
        return provider.issuers.filter { (try? provider.endpoint($0)) != nil }
    }
}

extension JSONWriter {
    /// Writes a member with an array of strings; writes nothing if it is empty (RFC 9728 §3.2).
    fileprivate mutating func add(_ name: String, list: [String]) {
        guard !list.isEmpty else { return }
        add(name: name)
        addArray { array in
            for text in list { array.add(text) }
        }
    }
}
#endif
