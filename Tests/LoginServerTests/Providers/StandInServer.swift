// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
import Foundation
import LoginCrypto
import LoginProviders
import LoginTesting
import LoginText
import LoginTokens
import Synchronization
import Testing

/// The servers of a stand-in, without a network, and its pages, which log every user in at once.
final class StandInServer: HTTPTransport {
    /// An error that the provider shows to the user, without a response to the service.
    struct ErrorPage: Error, CustomStringConvertible {
        let description: String
    }

    /// An accepted authorization request.
    private struct Request: Sendable {
        let nonce: String?
        let challenge: String?
        let redirectURI: String
        let scopes: Set<String>
        let claims: String?
    }

    private static let (code, accessToken) = ("c0de-1", "an-opaque-access-token")

    /// The keys of all stand-ins, since an RSA key takes a tenth of a second.
    private static let ellipticCurveKeys = [TestKey(.es256), TestKey(.es384)]

    /// The key of a client that signs assertions.
    private static let clientKey = PrivateKey(curve: .p256)

    /// The private key of a client that signs assertions, in PEM.
    static var clientKeyPEM: String {
        let der = Data(clientKey.privateKeyInfo ?? []).base64EncodedString()
        return "-----BEGIN PRIVATE KEY-----\n\(der)\n-----END PRIVATE KEY-----\n"
    }

    private let provider: ProviderStandIn
    private let redirectURI: String
    private let secret: String
    private let clock: ManualClock
    private let pending = Mutex<Request?>(nil)

    init(_ provider: ProviderStandIn, redirectURI: String, secret: String, clock: ManualClock) {
        self.provider = provider
        self.redirectURI = provider.redirectURI ?? redirectURI
        self.secret = secret
        self.clock = clock
    }

    private func member(_ name: String) -> String? {
        if case .string(let text) = provider.metadata[name] { text } else { nil }
    }

    private var key: TestKey? {
        guard case .key(let algorithm) = provider.signature else { return nil }
        return Self.ellipticCurveKeys.first { $0.algorithm == algorithm } ?? .shared.using(algorithm)
    }

    // MARK: The browser

    /// Follows a redirect of the service as a browser does, and logs the user in.
    ///
    /// - Parameter url: The URL of the authorization request.
    /// - Returns: The response that the browser takes back.
    /// - Throws: ``ErrorPage`` if the provider does not redirect back.
    func visit(_ url: String) throws -> LoginCallback {
        let parts = url.split(separator: "?", maxSplits: 1)
        #expect(member("authorization_endpoint").map { parts.first ?? "" == $0 } == true, "\(url)")
        let sent = try #require(parts.last.flatMap { FormFields(reading: $0.utf8) })
        #expect(sent.only("response_type") == "code")
        #expect(sent.only("response_mode") == (provider.form == nil ? nil : "form_post"))
        guard sent.only("client_id") == provider.clientID else { throw ErrorPage(description: "invalid_client") }
        guard sent.only("redirect_uri") == redirectURI else { throw ErrorPage(description: provider.redirectError) }
        let scopes = Set((sent.only("scope") ?? "").split(separator: " ").map(String.init))
        #expect(scopes.contains("openid"))
        var answer = [(name: "state", value: sent.only("state") ?? "")]
        if case .boolean(true)? = provider.metadata["authorization_response_iss_parameter_supported"] {
            answer.append((name: "iss", value: member("issuer") ?? ""))
        }
        if provider.scopes.map({ !scopes.isSubset(of: $0) }) ?? false {
            answer.append((name: "error", value: "invalid_scope"))
        } else if provider.deniesAccess {
            answer.append((name: "error", value: "access_denied"))
        } else {
            answer.append((name: "code", value: Self.code))
            let request = Request(
                nonce: sent.only("nonce"),
                challenge: sent.only("code_challenge_method") == "S256" ? sent.only("code_challenge") : nil,
                redirectURI: redirectURI,
                scopes: scopes,
                claims: sent.only("claims")
            )
            pending.withLock { $0 = request }
        }
        guard let form = provider.form else { return LoginCallback(query: FormFields(answer).encoded) }
        return LoginCallback(form: Array(FormFields(answer + form).encoded.utf8))
    }

    // MARK: The service

    func send(_ request: TransportRequest) async throws(TransportFailure) -> TransportResponse {
        let url = String(request.url.description.prefix { $0 != "?" })
        switch request.method {
        case .get where url == provider.discoveryURL: return Self.answer(provider.metadata)
        case .get where ([member("jwks_uri")] + provider.furtherKeyURLs).contains(url):
            return Self.answer(["keys": .array(key.map { [published($0)] } ?? [])])
        case .get where url == member("userinfo_endpoint"): return userInfo(request)
        case .post where url == member("token_endpoint"): return token(request)
        default:
            let headers = [(name: "Content-Type", value: "text/html")]
            return TransportResponse(status: 404, headers: headers, body: Array("<p>Not found".utf8))
        }
    }

    private static func answer(_ json: TestJSON, status: Int = 200) -> TransportResponse {
        let headers = [
            (name: "Content-Type", value: "application/json; charset=utf-8"),
            (name: "Cache-Control", value: "no-store"),
        ]
        return TransportResponse(status: status, headers: headers, body: Array(json.text.utf8))
    }

    private static func answer(_ error: ProviderStandIn.TokenError) -> TransportResponse {
        answer(error.body, status: error.status)
    }

    private static let invalidGrant = ProviderStandIn.TokenError(status: 400, body: ["error": "invalid_grant"])

    private func published(_ key: TestKey) -> TestJSON {
        var json = key.json
        if case .object(let members) = provider.keyMembers {
            for (name, value) in members {
                if case .null = value { json[name] = nil } else { json[name] = value }
            }
        }
        return json
    }

    private func userInfo(_ request: TransportRequest) -> TransportResponse {
        let credentials = request.headers.filter { $0.name == "Authorization" }.map(\.value)
        guard let userInfo = provider.userInfo, credentials == ["Bearer \(Self.accessToken)"] else {
            return Self.answer(["error": "invalid_token"], status: 401)
        }
        return Self.answer(userInfo)
    }

    private func token(_ request: TransportRequest) -> TransportResponse {
        guard let form = FormFields(reading: request.body), form.only("grant_type") == "authorization_code" else {
            return Self.answer(["error": "unsupported_grant_type"], status: 400)
        }
        let header = request.headers.first { $0.name == "Authorization" }?.value
        guard let method = Self.authentication(form, header), provider.authentication.contains(method) else {
            return Self.answer(provider.authenticationError ?? provider.clientError)
        }
        guard isProven(form, header, method), !provider.isSecretInvalid else {
            return Self.answer(provider.clientError)
        }
        let taken = pending.withLock { request in
            defer { request = nil }
            return request
        }
        guard let taken, form.only("code") == Self.code, form.only("redirect_uri") == taken.redirectURI else {
            return Self.answer(Self.invalidGrant)
        }
        let verifier = form.only("code_verifier")
        switch provider.pkce {
        case .ignored: break
        case .refused: guard verifier == nil else { return Self.answer(.invalidClient) }
        case .verified:
            let challenge = verifier.map { Base64URL.encode(Digest.sha256.hash($0.utf8)) }
            guard challenge != nil, challenge == taken.challenge else { return Self.answer(Self.invalidGrant) }
        }
        return Self.answer(response(to: taken))
    }

    /// Returns the client authentication of a token request; nil for none, or for several.
    private static func authentication(_ form: FormFields, _ header: String?) -> ProviderStandIn.Authentication? {
        switch (header != nil, form.has("client_secret"), form.has("client_assertion")) {
        case (true, false, false): .basic
        case (false, true, false): .post
        case (false, false, true): .assertion
        default: nil
        }
    }

    private func isProven(
        _ form: FormFields,
        _ header: String?,
        _ method: ProviderStandIn.Authentication
    ) -> Bool {
        switch method {
        case .basic:
            let bytes = Data(base64Encoded: String((header ?? "").dropFirst("Basic ".count))) ?? Data()
            let parts = String(decoding: bytes, as: UTF8.self).split(separator: ":")
            return parts.map(\.removingPercentEncoding) == [provider.clientID, secret]
        case .post:
            return [form.only("client_id"), form.only("client_secret")] == [provider.clientID, secret]
        case .assertion:
            return (try? isProven(byAssertion: form)) == true
        }
    }

    /// Returns whether an assertion is that of the client for the token endpoint (RFC 7523 §3).
    private func isProven(byAssertion form: FormFields) throws -> Bool {
        var published = TestKey(privateKey: Self.clientKey, algorithm: .es256).json
        published["kid"] = "login-1"
        let keys = try JSONWebKeySet(json: (["keys": [published]] as TestJSON).text)
        let assertion = try CompactJWS(form.only("client_assertion") ?? "")
        let payload = try assertion.verified(with: keys, algorithms: [provider.assertionAlgorithm]).payload
        let claims = try JSONDocument.read(payload, limits: .keySet).root
        return form.only("client_assertion_type") == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
            && assertion.header.keyID == "login-1" && claims["aud"]?.string == member("token_endpoint")
            && claims["iss"]?.string == provider.clientID && claims["sub"]?.string == provider.clientID
    }

    private func response(to request: Request) -> TestJSON {
        let digest = if case .key(.es384) = provider.signature { Digest.sha384 } else { Digest.sha256 }
        let hash = digest.hash(Self.accessToken.utf8)
        let login = ProviderStandIn.Login(
            clientID: provider.clientID,
            scopes: request.scopes,
            claims: request.claims,
            accessToken: Self.accessToken,
            accessTokenHash: Base64URL.encode(hash.prefix(hash.count / 2))
        )
        var claims = provider.claims(login)
        let now = Int(clock.now.timeIntervalSince1970)
        claims["iat"] = .number("\(now)")
        claims["exp"] = .number("\(now + 3600)")
        if provider.echoesNonce { claims["nonce"] = request.nonce.map { .string($0) } }
        var response = provider.response(login)
        response["id_token"] = .string(signed(claims))
        return response
    }

    private func signed(_ claims: TestJSON) -> String {
        let payload = Array(claims.text.utf8)
        guard let key else {
            let header: TestJSON = ["typ": "JWT", "alg": "HS256"]
            let signing = TestToken.Signing.hmac(secret: Array(secret.utf8))
            return TestToken.compact(header: Array(header.text.utf8), payload: payload, signing: signing)
        }
        let header: TestJSON = ["alg": .string(key.algorithm.rawValue), "typ": "JWT", "kid": .string(key.keyID)]
        return TestToken.compact(header: Array(header.text.utf8), payload: payload, signing: .key(key))
    }
}
#endif
