// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginText
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
            && PercentEncoding.encode(text).utf8.count <= GraphLimits.accessTokenBytes
    }

    /// Returns whether a text can be the ID of a user within an app: 1 to 64 digits.
    static func isUserID(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// Returns whether a text can be one segment of a path.
    ///
    /// Dots are not percent-encoded, and would lead to another version or another path (RFC 3986 §5.2.4). Some servers
    /// read an encoded slash as a separator.
    private static func isSegment(_ text: String) -> Bool {
        !["", ".", ".."].contains(text) && !text.utf8.contains(UInt8(ascii: "/"))
    }

    /// The parameters that only the client sets: the token, its proof, and Facebook's replacement of the method, by
    /// which a call that is retried could be a POST.
    private static let reservedParameters = ["access_token", "appsecret_proof", "method"]

    /// Returns the request, to the host of the app's endpoints.
    ///
    /// - Throws: ``GraphError`` if the path, the name of a parameter or the token is invalid, or the URL would be too
    ///   long.
    func request(for app: FacebookApp) throws(GraphError) -> TransportRequest {
        guard !self.path.isEmpty, self.path.allSatisfy(Self.isSegment) else {
            throw GraphError(.caller, "the path has no segment, or one that is empty, . or .., or contains a slash")
        }
        var parameters = parameters
        guard !parameters.contains(where: { Self.reservedParameters.contains($0.name) }) else {
            throw GraphError(.caller, "the parameters access_token, appsecret_proof and method are reserved")
        }
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
        let path = ([app.graphVersion] + self.path).map { PercentEncoding.encode($0) }.joined(separator: "/")
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
            responseLimit: GraphLimits.responseBytes,
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
            responseLimit: GraphLimits.responseBytes,
            deadline: GraphLimits.deadline
        )
    }
}
