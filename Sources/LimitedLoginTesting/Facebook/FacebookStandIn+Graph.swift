// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginTesting
internal import LoginTokens
internal import Synchronization

/// The part of the Graph API that a login needs.
extension FacebookStandIn {
    func graph(_ request: StandInRequest, path: String) -> StandInAnswer {
        switch (request.method, path) {
        case ("GET", "oauth/access_token"), ("POST", "oauth/access_token"): return exchange(request)
        case ("GET", "debug_token"): return debugToken(request)
        default: break
        }
        let token: StandInState.AccessToken
        switch accessToken(of: request) {
        case .refused(let answer): return answer
        case .good(let known): token = known
        }
        let parts = path.split(separator: "/").map(String.init)
        let isOwn = parts.first == "me" || parts.first == token.personID
        switch (request.method, parts.count) {
        case ("GET", 1) where isOwn: return me(request, token)
        case ("GET", 2) where isOwn && parts[1] == "permissions": return permissions(request, token)
        case ("GET", 2) where isOwn && parts[1] == "friends": return friends(request, token)
        case ("DELETE", 2) where isOwn && parts[1] == "permissions":
            state.withLock { $0.disconnect(token.personID) }
            return StandInAnswer(json: ["success": true])
        case ("DELETE", 3) where isOwn && parts[1] == "permissions": return revoke(parts[2], token)
        default:
            let message = "Unsupported request: the object does not exist, or may not be seen."
            return StandInAnswer(graphError: 100, subcode: 33, type: "GraphMethodException", message)
        }
    }

    private enum Access {
        case good(StandInState.AccessToken)
        case refused(StandInAnswer)
    }

    /// Returns the access token of a request if it is valid.
    private func accessToken(of request: StandInRequest) -> Access {
        guard let text = bearer(of: request) else {
            return .refused(StandInAnswer(graphError: 104, "An access token is required."))
        }
        guard let token = state.withLock({ $0.accessTokens[text] }) else {
            return .refused(StandInAnswer(graphError: 190, Self.unparsable))
        }
        if let subcode = token.subcode {
            return .refused(StandInAnswer(graphError: 190, subcode: subcode, "The access token is good no more."))
        }
        if let end = token.expiresAt, now >= end {
            return .refused(StandInAnswer(graphError: 190, subcode: 463, "The access token has expired."))
        }
        return proofError(request, token: text).map { .refused($0) } ?? .good(token)
    }

    private static let unparsable = "Invalid OAuth access token - Cannot parse access token"

    private func bearer(of request: StandInRequest) -> String? {
        if let token = request["access_token"] { return token }
        let fields = request.values(of: "Authorization")
        guard fields.count == 1, fields[0].hasPrefix("Bearer ") else { return nil }
        return String(fields[0].dropFirst(7))
    }

    /// Checks `appsecret_proof`, the HMAC of the token with the app secret in hexadecimal.
    private func proofError(_ request: StandInRequest, token: String) -> StandInAnswer? {
        guard let proof = request["appsecret_proof"] else {
            guard settings.requiresProof else { return nil }
            let message = "API calls from the server require an appsecret_proof argument"
            return StandInAnswer(graphError: 100, type: "GraphMethodException", message)
        }
        let expected = hexadecimal(Digest.sha256.authenticationCode(of: token.utf8, key: appSecret.utf8))
        guard proof != expected else { return nil }
        return StandInAnswer(
            graphError: 100,
            type: "GraphMethodException",
            "Invalid appsecret_proof provided in the API argument"
        )
    }

    private func me(_ request: StandInRequest, _ token: StandInState.AccessToken) -> StandInAnswer {
        let (person, granted) = state.withLock { ($0.settings.person, $0.granted(by: token.personID)) }
        let wanted = (request["fields"] ?? "id,name").split(separator: ",")
            // A field name may be followed by modifiers, as in `friends.limit(500){id}`.
            .map { String($0.prefix { !".({".contains($0) }) }
        var answer: TestJSON = [:]
        for detail in StandInPerson.details where wanted.contains(detail.field) && granted.contains(detail.permission) {
            guard let value = person.claims[detail.claim] else { continue }
            answer[detail.field] =
                detail.field == "friends"
                ? page(of: Self.friends(value), request, path: "\(request.path)/friends")
                : Self.graphValue(value, of: detail.field)
        }
        answer["id"] = .string(token.personID)
        return StandInAnswer(json: answer)
    }

    /// Converts a claim to Graph's format; Graph wraps the picture in an object.
    private static func graphValue(_ value: TestJSON, of field: String) -> TestJSON {
        guard field == "picture" else { return value }
        return ["data": ["url": value, "width": 50, "height": 50, "is_silhouette": false]]
    }

    private static func friends(_ claim: TestJSON?) -> [TestJSON] {
        guard case .array(let friends) = claim else { return [] }
        return friends.map { ["id": $0] }
    }

    private func friends(_ request: StandInRequest, _ token: StandInState.AccessToken) -> StandInAnswer {
        let (person, granted) = state.withLock { ($0.settings.person, $0.granted(by: token.personID)) }
        let friends = granted.contains("user_friends") ? Self.friends(person.claims["user_friends"]) : []
        let page = page(
            of: friends,
            request,
            path: request.path,
            limit: request["limit"].flatMap { Int($0) },
            after: request["after"].flatMap { Int($0) }
        )
        return StandInAnswer(json: page)
    }

    private func permissions(_ request: StandInRequest, _ token: StandInState.AccessToken) -> StandInAnswer {
        let list = state.withLock { $0.permissions[token.personID] ?? [] }
        let page = page(
            of: list.map { ["permission": .string($0.name), "status": .string($0.status)] },
            request,
            path: request.path,
            limit: request["limit"].flatMap { Int($0) },
            after: request["after"].flatMap { Int($0) }
        )
        return StandInAnswer(json: page)
    }

    /// Returns one page of a list, with the URL of the next page.
    ///
    /// - Parameters:
    ///   - list: The whole list.
    ///   - request: The request, whose access token the URL of the next page contains.
    ///   - path: The path of the next page.
    ///   - limit: The requested number of entries; a page never has more than the page size in the settings.
    ///   - after: The cursor.
    /// - Returns: The page, as a response body or as the value of a field.
    private func page(
        of list: [TestJSON],
        _ request: StandInRequest,
        path: String,
        limit: Int? = nil,
        after: Int? = nil
    ) -> TestJSON {
        let settings = settings
        let size = max(1, min(limit ?? settings.pageSize, settings.pageSize))
        let start = max(0, min(after ?? 0, list.count))
        let end = min(start + size, list.count)
        var answer: TestJSON = ["data": .array(Array(list[start..<end]))]
        guard end < list.count else { return answer }
        let query = [
            ("access_token", bearer(of: request) ?? ""), ("limit", "\(size)"), ("after", "\(end)"),
        ]
        let next = (settings.nextPageOrigin ?? origin) + path + "?" + FormFields(query).encoded
        answer["paging"] = [
            "cursors": ["before": .string("\(start)"), "after": .string("\(end)")], "next": .string(next),
        ]
        return answer
    }

    private func revoke(_ permission: String, _ token: StandInState.AccessToken) -> StandInAnswer {
        let isKnown = state.withLock { state in
            let isKnown = state.granted(by: token.personID).contains(permission)
            if isKnown { state.set("declined", for: permission, of: token.personID) }
            return isKnown
        }
        guard isKnown else { return StandInAnswer(graphError: 100, "The permission is not granted.") }
        return StandInAnswer(json: ["success": true])
    }

    private func debugToken(_ request: StandInRequest) -> StandInAnswer {
        guard let caller = bearer(of: request) else {
            return StandInAnswer(graphError: 104, "An access token is required.")
        }
        if caller != "\(appID)|\(appSecret)", case .refused(let answer) = accessToken(of: request) { return answer }
        guard let input = request["input_token"] else {
            return StandInAnswer(graphError: 100, "input_token is missing")
        }
        let (token, settings) = state.withLock { ($0.accessTokens[input], $0.settings) }
        guard let token else {
            let error: TestJSON = ["code": 190, "message": .string(Self.unparsable)]
            return StandInAnswer(json: ["data": ["error": error, "is_valid": false, "scopes": []]])
        }
        guard token.appID == appID || settings.describesForeignTokens else {
            return StandInAnswer(graphError: 100, "The app of the input_token is not the one that asks.")
        }
        return StandInAnswer(json: ["data": description(of: token)])
    }

    private func description(of token: StandInState.AccessToken) -> TestJSON {
        let hasExpired = token.expiresAt.map { now >= $0 } ?? false
        let scopes = state.withLock { $0.granted(by: token.personID) }.map { TestJSON.string($0) }
        var data: TestJSON = [
            "app_id": .string(token.appID), "type": "USER", "application": "Example",
            "data_access_expires_at": .number("\(token.dataAccessExpiresAt)"),
            "expires_at": .number("\(token.expiresAt ?? 0)"), "issued_at": .number("\(token.issuedAt)"),
            "is_valid": .boolean(token.subcode == nil && !hasExpired), "scopes": .array(scopes),
            "user_id": .string(token.personID),
        ]
        if let subcode = token.subcode ?? (hasExpired ? 463 : nil) {
            data["error"] = [
                "code": 190, "message": "The access token is good no more.", "subcode": .number("\(subcode)"),
            ]
        }
        return data
    }
}
