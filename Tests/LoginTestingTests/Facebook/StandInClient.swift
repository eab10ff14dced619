// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LimitedLoginTesting
internal import LoginCrypto
import LoginTestServers
internal import LoginTesting
internal import LoginTokens

/// A client of a stand-in that acts like a server and shares no code with the stand-in.
struct StandInClient {
    let facebook: FacebookStandIn

    static let redirectURL = "https://app.example/back"
    static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    /// RFC 7636, appendix B.
    static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

    /// Sends a request to the Graph API, including the exchange of a code.
    func ask(
        _ method: TransportRequest.Method = .get,
        _ path: String,
        _ fields: [(name: String, value: String)] = [],
        headers: [(name: String, value: String)] = []
    ) async throws -> Answer {
        try await ask(method, url: facebook.origin + "/graph/v27.0/" + path, fields, headers: headers)
    }

    func ask(
        _ method: TransportRequest.Method,
        url: String,
        _ fields: [(name: String, value: String)] = [],
        headers: [(name: String, value: String)] = []
    ) async throws -> Answer {
        let form = FormFields(fields).encoded
        let isForm = method == .post
        let url = isForm || fields.isEmpty ? url : url + "?" + form
        var request = TransportRequest(
            method: method,
            url: try EndpointURL(url, allowsLoopbackHTTP: true),
            headers: headers,
            responseLimit: 65_536,
            deadline: .seconds(5)
        )
        if isForm {
            request.headers.append(("Content-Type", "application/x-www-form-urlencoded"))
            request.body = Array(form.utf8)
        }
        let response = try await facebook.send(request)
        return Answer(response: response)
    }

    struct Answer {
        let response: TransportResponse

        var status: Int { response.status }
        var json: JSONValue? { try? JSONDocument.read(response.body).root }
        var errorCode: Int? { json?["error"]?["code"]?.integer }
        var subcode: Int? { json?["error"]?["error_subcode"]?.integer }
    }

    /// Returns the redirect of the dialog: the URL, and the fields after `?` or `#`.
    func dialog(
        _ fields: [(name: String, value: String)],
        kind: String = "classic"
    ) -> (url: String, fields: FormFields)? {
        let url = "\(facebook.origin)/\(kind)/v27.0/dialog/oauth?" + FormFields(fields).encoded
        guard let location = facebook.open(url), let end = location.firstIndex(where: { $0 == "?" || $0 == "#" }),
            let answer = FormFields(reading: location[end...].dropFirst().utf8)
        else { return nil }
        return (String(location[...end]), answer)
    }

    /// Returns the fields of a dialog for the authorization code flow.
    func codeDialog(scope: String = "openid,email", nonce: String? = "n-1") -> [(name: String, value: String)] {
        var fields = [
            (name: "client_id", value: facebook.appID), ("redirect_uri", Self.redirectURL), ("state", "s-1"),
            ("response_type", "code"), ("scope", scope), ("code_challenge", Self.challenge),
            ("code_challenge_method", "S256"),
        ]
        if let nonce { fields.append(("nonce", nonce)) }
        return fields
    }

    /// Returns the fields of a valid code exchange.
    func exchangeFields(_ code: String) -> [(name: String, value: String)] {
        [
            ("client_id", facebook.appID), ("redirect_uri", Self.redirectURL), ("code", code),
            ("code_verifier", Self.verifier),
        ]
    }

    func proof(of token: String) -> String {
        hexadecimal(Digest.sha256.authenticationCode(of: token.utf8, key: facebook.appSecret.utf8))
    }
}
