// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginTokens

/// One call of the Graph API: what to ask, before it is known where.
struct GraphCall: Sendable {
    var method: TransportRequest.Method = .get
    var path: [String]
    var parameters: [(name: String, value: String)] = []
    var token: String?

    /// Whether a text can be a token at all: printable ASCII without spaces, so that it ends no head and no line.
    static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
            && percentEncoded(text).utf8.count <= GraphLimits.accessTokenBytes
    }

    /// The request, to the host of the app's endpoints.
    ///
    /// - Throws: ``GraphError`` where the token is none, or the address would be too long.
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
        let path = ([app.graphVersion] + self.path).map(percentEncoded).joined(separator: "/")
        let query = method == .post || parameters.isEmpty ? "" : "?" + formEncoded(parameters)
        let url: EndpointURL
        do throws(TransportFailure) {
            url = try EndpointURL(
                base.origin + root + (root.hasSuffix("/") ? "" : "/") + path + query,
                allowsLoopbackHTTP: base.scheme == .http
            )
        } catch {
            throw GraphError(.caller, "too much was asked for one address")
        }
        if method == .post { return .form(formEncoded(parameters), to: url, headers: headers) }
        return TransportRequest(
            method: method,
            url: url,
            headers: headers,
            responseLimit: GraphLimits.answerBytes,
            deadline: GraphLimits.deadline
        )
    }
}

extension TransportRequest {
    /// A request that posts a form.
    static func form(
        _ body: String,
        to url: EndpointURL,
        headers: [(name: String, value: String)] = [("Accept", "application/json")]
    ) -> TransportRequest {
        TransportRequest(
            method: .post,
            url: url,
            headers: headers + [("Content-Type", "application/x-www-form-urlencoded")],
            body: Array(body.utf8),
            responseLimit: GraphLimits.answerBytes,
            deadline: GraphLimits.deadline
        )
    }
}

/// Names and values as in a query or the body of a form.
func formEncoded(_ parameters: [(name: String, value: String)]) -> String {
    parameters.map { "\(percentEncoded($0.name))=\(percentEncoded($0.value))" }.joined(separator: "&")
}

/// Text of which nothing but unreserved characters stands for itself (RFC 3986 §2.3), so that it changes no address and no form.
func percentEncoded(_ text: String) -> String {
    var encoded = ""
    for byte in text.utf8 {
        if isAlphanumeric(byte) || "-._~".utf8.contains(byte) {
            encoded.unicodeScalars.append(Unicode.Scalar(byte))
        } else {
            encoded += "%" + hexadecimal([byte]).uppercased()
        }
    }
    return encoded
}

/// Whether this is a letter or a digit of ASCII.
func isAlphanumeric(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
}
