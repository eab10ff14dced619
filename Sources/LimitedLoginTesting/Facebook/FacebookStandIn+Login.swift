// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
public import LoginTesting
internal import LoginText
internal import LoginTokens
internal import Synchronization

/// The login dialogs, and the codes and tokens they issue.
extension FacebookStandIn {
    /// The lifetime of an authorization code, in seconds.
    private static let codeLifetime = 600

    func dialog(_ request: StandInRequest, isLimited: Bool) -> StandInAnswer {
        guard request["client_id"] == appID else { return page("the app is not known") }
        let settings = settings
        guard let redirectURL = request["redirect_uri"], settings.redirectURLs?.contains(redirectURL) ?? true else {
            return page("the redirect_uri is none of the app's")
        }
        let responseTypes = list(request["response_type"] ?? "code")
        // A token is never sent in a query, which servers write to logs.
        let separator = responseTypes.contains("id_token") ? "#" : "?"
        var fields: [(name: String, value: String)] = []
        if settings.person.cancels {
            fields = [
                ("error", "access_denied"), ("error_code", "200"), ("error_description", "Permissions error"),
                ("error_reason", "user_denied"),
            ]
        } else {
            fields = login(request, settings.person, responseTypes: responseTypes, isLimited: isLimited)
        }
        if let state = request["state"] { fields.append(("state", state)) }
        let end = redirectURL.contains("?") && separator == "?" ? "&" : separator
        return StandInAnswer(redirect: redirectURL + end + FormFields(fields).encoded)
    }

    /// Connects the app with the permissions that the user grants, and returns the response parameters.
    private func login(
        _ request: StandInRequest,
        _ person: StandInPerson,
        responseTypes: [String],
        isLimited: Bool
    ) -> [(name: String, value: String)] {
        let asked = list(request["scope"] ?? "")
        let scope = asked + ["public_profile"].filter { !asked.contains($0) }
        let declined = scope.filter { person.declines.contains($0) && !["openid", "public_profile"].contains($0) }
        let granted = scope.filter { !declined.contains($0) }
        let challenge = request["code_challenge"].map { ($0, request["code_challenge_method"] ?? "plain") }
        var fields: [(name: String, value: String)] = []
        let code = state.withLock { state in
            state.connect(person.id, granted: granted, declined: declined)
            guard responseTypes.contains("code") else { return nil as String? }
            let code = "AQ" + Base64URL.encode(randomBytes(count: 48))
            state.codes[code] = StandInState.Code(
                personID: person.id,
                redirectURL: request["redirect_uri"] ?? "",
                nonce: request["nonce"],
                scope: granted,
                challenge: challenge,
                issuedAt: now
            )
            return code
        }
        if let code { fields.append(("code", code)) }
        if responseTypes.contains("id_token") {
            let token = idToken(of: person, nonce: request["nonce"], granted: granted, accessToken: nil)
            fields.append(("id_token", token))
        }
        if isLimited { fields.append(("graph_domain", "facebook")) }
        if isLimited || request["return_scopes"] == "true" {
            fields.append(("granted_scopes", granted.joined(separator: ",")))
            fields.append(("denied_scopes", declined.joined(separator: ",")))
        }
        return fields
    }

    /// Exchanges an authorization code for tokens.
    func exchange(_ request: StandInRequest) -> StandInAnswer {
        guard request["client_id"] == appID else {
            return StandInAnswer(graphError: 101, "Error validating application.")
        }
        let secret = request["client_secret"]
        guard secret == nil || secret == appSecret else {
            return StandInAnswer(graphError: 1, "Error validating client secret.")
        }
        guard let text = request["code"] else { return invalid("code is missing") }
        guard let code = state.withLock({ $0.codes[text] }) else { return invalid("code is not known") }
        // Codes are single-use even if the rest of the request is invalid, so an attacker has only one guess.
        let wasUsed = state.withLock { state in
            defer { state.codes[text]?.isUsed = true }
            return state.codes[text]?.isUsed ?? true
        }
        guard !wasUsed else { return invalid("code has been used", subcode: 36009) }
        guard now < code.issuedAt + Self.codeLifetime else { return invalid("code has expired", subcode: 36007) }
        guard request["redirect_uri"] == code.redirectURL else {
            return invalid("redirect_uri is not the one of the dialog", subcode: 36008)
        }
        guard isVerified(code, verifier: request["code_verifier"], hasSecret: secret != nil) else {
            return invalid("code_verifier does not fit")
        }
        let person = settings.person
        guard person.id == code.personID else { return invalid("code is of a person who has left") }
        let accessToken = state.withLock { $0.addAccessToken(of: code.personID, appID: appID, now: now) }
        var answer: TestJSON = ["access_token": .string(accessToken), "token_type": "bearer"]
        if let lifetime = settings.accessTokenLifetime { answer["expires_in"] = .number("\(lifetime)") }
        if code.scope.contains("openid") {
            let token = idToken(of: person, nonce: code.nonce, granted: code.scope, accessToken: accessToken)
            answer["id_token"] = .string(token)
        }
        return StandInAnswer(json: answer)
    }

    /// Verifies the code verifier (RFC 7636 §4.6); without a challenge, the app must send its secret.
    private func isVerified(_ code: StandInState.Code, verifier: String?, hasSecret: Bool) -> Bool {
        guard let challenge = code.challenge else { return verifier == nil && hasSecret }
        guard let verifier else { return false }
        switch challenge.method {
        case "S256": return Base64URL.encode(Digest.sha256.hash(verifier.utf8)) == challenge.value
        case "plain": return verifier == challenge.value
        default: return false
        }
    }

    private func idToken(
        of person: StandInPerson,
        nonce: String?,
        granted: [String],
        accessToken: String?
    ) -> String {
        let change = settings.changeIDToken
        return issuer.token(nonce: nonce) { token in
            token.claims["sub"] = .string(person.id)
            token.claims["iat"] = .number("\(now)")
            token.claims["exp"] = .number("\(now + 3600)")
            token.claims["jti"] = .string("TEST." + hexadecimal(randomBytes(count: 32)))
            if let accessToken {
                // OpenID Connect Core §3.1.3.6.
                let half = Digest.sha256.hash(accessToken.utf8).prefix(16)
                token.claims["at_hash"] = .string(Base64URL.encode(half))
            }
            for detail in StandInPerson.details where granted.contains(detail.permission) {
                token.claims[detail.claim] = person.claims[detail.claim]
            }
            change(&token)
        }
    }

    private func page(_ text: String) -> StandInAnswer {
        StandInAnswer(status: 400, headers: [("Content-Type", "text/plain")], body: Array(text.utf8))
    }

    private func invalid(_ message: String, subcode: Int? = nil) -> StandInAnswer {
        StandInAnswer(graphError: 100, subcode: subcode, message)
    }

    /// Splits a list at commas or spaces; Facebook uses commas, and accepts spaces too.
    private func list(_ text: String) -> [String] {
        text.split { $0 == "," || $0 == " " }.map(String.init)
    }
}

/// The endpoint that takes only an ID token.
extension FacebookStandIn {
    func uninstall(_ request: StandInRequest) -> StandInAnswer {
        guard request["app_id"] == appID, let personID = person(of: request["id_token"]) else {
            return StandInAnswer(graphError: 190, "the ID token is not valid for the app")
        }
        state.withLock { $0.disconnect(personID) }
        return StandInAnswer(json: ["success": true])
    }

    /// Returns the subject of an ID token if the token is valid.
    private func person(of token: String?) -> String? {
        guard let policy = try? TokenPolicy(provider: .facebook, audiences: [appID]), let token else { return nil }
        let keys = issuer.keys
        let verifier = TokenVerifier(policy: policy, keys: keys, clock: clock)
        return try? verifier.verify(token, nonce: .notChecked(because: "Facebook knows it"), with: keys).subject
    }
}

/// The requests that Facebook sends to an app's callbacks.
extension FacebookStandIn {
    /// Returns a signed request, as Facebook sends it when the user removes the app or requests data deletion.
    ///
    /// - Parameter change: A closure that modifies the payload before it is signed.
    /// - Returns: The signed request, without the name of the form field.
    public func signedRequest(_ change: (inout TestJSON) -> Void = { _ in }) -> String {
        var payload: TestJSON = [
            "user_id": .string(person.id), "algorithm": "HMAC-SHA256", "issued_at": .number("\(now)"),
        ]
        change(&payload)
        return Self.signedRequest(payload: Array(payload.text.utf8), secret: appSecret)
    }

    /// Returns a signed request with an arbitrary payload.
    ///
    /// - Parameters:
    ///   - payload: The payload, JSON or not.
    ///   - secret: The app secret used for signing.
    /// - Returns: The signed request.
    public static func signedRequest(payload: [UInt8], secret: String) -> String {
        let encoded = Base64URL.encode(payload)
        let signature = Digest.sha256.authenticationCode(of: encoded.utf8, key: secret.utf8)
        return Base64URL.encode(signature) + "." + encoded
    }
}
