// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginTokens

/// A call of the Graph API, independent of the endpoint.
struct GraphCall: Sendable {
    var method: TransportRequest.Method = .get
    var path: [String]
    var parameters: [(name: String, value: String)] = []
    var token: String?

    /// Returns whether a text can be a token: printable ASCII without spaces, so that it cannot end a header.
    static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
            && FormFields.encoded(text).utf8.count <= GraphLimits.accessTokenBytes
    }

    /// Returns the request, to the host of the app's endpoints.
    ///
    /// - Throws: ``GraphError`` if the token is invalid, or the URL would be too long.
    func request(for app: FacebookApp) throws(GraphError) -> TransportRequest {
        var parameters = parameters
        var headers = [(name: "Accept", value: "application/json")]
        if let token {
            guard Self.isToken(token) else { throw .noToken }
            headers.append((name: "Authorization", value: "Bearer \(token)"))
            if let secret = app.secret {
                let proof = Digest.sha256.authenticationCode(of: token.utf8, key: secret.utf8)
                parameters.append((name: "appsecret_proof", value: hexadecimal(proof)))
            }
        }
        let base = app.endpoints.graph
        let root = base.target.prefix { $0 != "?" }
        let path = ([app.graphVersion] + self.path).map { FormFields.encoded($0) }.joined(separator: "/")
        let query = method == .post || parameters.isEmpty ? "" : "?" + FormFields(parameters).encoded
        let url: EndpointURL
        do throws(TransportFailure) {
            url = try EndpointURL(
                base.origin + root + (root.hasSuffix("/") ? "" : "/") + path + query,
                allowsLoopbackHTTP: base.scheme == .http
            )
        } catch {
            throw GraphError(.caller, "the request URL is too long")
        }
        if method == .post { return Self.form(FormFields(parameters).encoded, to: url, headers: headers) }
        return TransportRequest(
            method: method,
            url: url,
            headers: headers,
            responseLimit: GraphLimits.answerBytes,
            deadline: GraphLimits.deadline
        )
    }

    /// Returns a request that posts a form, within ``GraphLimits``.
    static func form(
        _ body: String,
        to url: EndpointURL,
        headers: [(name: String, value: String)] = [("Accept", "application/json")]
    ) -> TransportRequest {
        .form(
            body,
            to: url,
            headers: headers,
            responseLimit: GraphLimits.answerBytes,
            deadline: GraphLimits.deadline
        )
    }
}
