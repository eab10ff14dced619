// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

// The API with access tokens of docs/guides/other-frameworks.md, for any framework.

#if HTTP
import HTTPTypes
import LoginHTTP
import LoginKeys
import LoginTokens

// snippet.resource
let issuer = AccessTokenIssuer.rfc9068(issuers: ["https://login.example"])
let keys = try KeyCache(providers: [issuer.provider], transport: AsyncHTTPClientTransport())
let policy = try AccessTokenPolicy(issuer: issuer, audiences: ["https://api.example"])
let api = try ProtectedResource(
    "https://api.example",  // the public URL of the API
    verifier: AccessTokenVerifier(policy: policy, keys: keys, cache: VerifiedTokenCache()),
    scopes: ["orders:read"],
    requestsPerMinute: 600
)
// snippet.end

// snippet.token
/// A route of the application that needs an access token.
func orders(_ request: ServerRequest) async throws -> ServerResponse {
    try await api.respond(to: request, meeting: .scopes("orders:read")) { token, _ in
        let text = "the orders of \(token.subject)\n"
        let headers: HTTPFields = [.contentType: "text/plain"]
        return ServerResponse(status: .ok, headers: headers, body: ServerResponse.Body(text.utf8))
    }
}
// snippet.end
#endif
