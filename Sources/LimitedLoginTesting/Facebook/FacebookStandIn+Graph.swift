// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginTesting
internal import LoginTokens
internal import Synchronization

/// The part of the Graph API that the stand-in simulates.
extension FacebookStandIn {
    func graph(_ request: StandInRequest, path: String) -> StandInAnswer {
        switch (request.method, path) {
        case ("GET", "oauth/access_token"), ("POST", "oauth/access_token"): return exchange(request)
        case ("GET", "debug_token"): return debugToken(request)
        default: break
        }
        let parts = path.split(separator: "/").map(String.init)
        let object = parts.first ?? ""
        let personID: String
        switch access(of: request) {
        case .refused(let answer): return answer
        case .user(let id):
            guard object == "me" || object == id else { return Self.unsupported }
            personID = id
        case .app:
            // The app access token only deletes permissions, and only of users who are connected to the app.
            guard request.method == "DELETE", state.withLock({ $0.permissions[object] != nil }) else {
                return Self.unsupported
            }
            personID = object
        }
        switch (request.method, parts.count, parts.dropFirst().first) {
        case ("GET", 1, _): return me(request, personID)
        case ("GET", 2, "permissions"): return list(state.withLock { $0.permissionList(of: personID) }, request)
        case ("GET", 2, "friends"): return list(state.withLock { $0.friends(of: personID) }, request)
        case ("GET", 2, "feed"): return list(state.withLock { $0.posts[personID] ?? [] }, request)
        case ("POST", 2, "feed"): return post(request, by: personID)
        case ("DELETE", 2, "permissions"): return revoke(nil, of: personID)
        case ("DELETE", 3, "permissions"): return revoke(parts[2], of: personID)
        default: return Self.unsupported
        }
    }

    private static let unsupported = StandInAnswer(
        graphError: 100,
        subcode: 33,
        type: "GraphMethodException",
        "Unsupported request: the object does not exist, or the token does not permit access to it."
    )

    /// The sender of a request.
    private enum Access {
        /// The user with this ID, by an access token.
        case user(String)
        /// The app, by the app access token.
        case app
        case refused(StandInAnswer)
    }

    /// Returns the sender of a request if its access token is valid.
    private func access(of request: StandInRequest) -> Access {
        guard let text = bearer(of: request) else {
            return .refused(StandInAnswer(graphError: 104, "An access token is required."))
        }
        var sender = Access.app
        if text != "\(appID)|\(appSecret)" {
            guard let token = state.withLock({ $0.accessTokens[text] }) else {
                return .refused(StandInAnswer(graphError: 190, Self.unparsable))
            }
            if let subcode = token.subcode {
                return .refused(StandInAnswer(graphError: 190, subcode: subcode, "The access token is invalid."))
            }
            if let end = token.expiresAt, now >= end {
                return .refused(StandInAnswer(graphError: 190, subcode: 463, "The access token has expired."))
            }
            sender = .user(token.personID)
        }
        return proofError(request, token: text).map { .refused($0) } ?? sender
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

    private func me(_ request: StandInRequest, _ personID: String) -> StandInAnswer {
        let (person, granted) = state.withLock { ($0.settings.person, $0.granted(by: personID)) }
        let wanted = (request["fields"] ?? "id,name").split(separator: ",")
            // Modifiers may follow a field name, as in `friends.limit(500){id}`.
            .map { String($0.prefix { !".({".contains($0) }) }
        var answer: TestJSON = [:]
        for detail in StandInPerson.details where wanted.contains(detail.field) && granted.contains(detail.permission) {
            guard let value = person.claims[detail.claim] else { continue }
            answer[detail.field] =
                detail.field == "friends"
                ? page(of: person.friends, request, path: "\(request.path)/friends")
                : Self.graphValue(value, of: detail.field)
        }
        answer["id"] = .string(personID)
        return StandInAnswer(json: answer)
    }

    /// Converts a claim to the Graph API's format, in which the picture is an object.
    private static func graphValue(_ value: TestJSON, of field: String) -> TestJSON {
        guard field == "picture" else { return value }
        return ["data": ["url": value, "width": 50, "height": 50, "is_silhouette": false]]
    }

    private func list(_ items: [TestJSON], _ request: StandInRequest) -> StandInAnswer {
        StandInAnswer(json: page(of: items, request, path: request.path))
    }

    /// Returns one page of a list, with the URL of the next page.
    ///
    /// - Parameters:
    ///   - list: The whole list.
    ///   - request: The request, whose access token the URL of the next page contains. The parameter `after` is the
    ///     cursor, and `limit` the number of items on a page, at most that of the settings.
    ///   - path: The path of the next page.
    /// - Returns: The page, as a response body or as the value of a field.
    private func page(of list: [TestJSON], _ request: StandInRequest, path: String) -> TestJSON {
        let settings = settings
        let limit = request["limit"].flatMap { Int($0) } ?? settings.pageSize
        let size = max(1, min(limit, settings.pageSize))
        let start = max(0, min(request["after"].flatMap { Int($0) } ?? 0, list.count))
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

    /// Revokes one permission, or all of them, which also disconnects the user from the app.
    private func revoke(_ permission: String?, of personID: String) -> StandInAnswer {
        let isRevoked = state.withLock { state in
            guard let permission else {
                state.disconnect(personID)
                return true
            }
            let isGranted = state.granted(by: personID).contains(permission)
            if isGranted { state.set("declined", for: permission, of: personID) }
            return isGranted
        }
        guard isRevoked else { return StandInAnswer(graphError: 100, "The permission is not granted.") }
        return StandInAnswer(json: ["success": true])
    }

    private func post(_ request: StandInRequest, by personID: String) -> StandInAnswer {
        let permission = settings.postingPermission
        guard state.withLock({ $0.granted(by: personID).contains(permission) }) else {
            return StandInAnswer(graphError: 200, "(#200) Permissions error: \(permission) is required")
        }
        guard let message = request["message"] else { return StandInAnswer(graphError: 100, "message is missing") }
        let id = state.withLock { $0.post(message, by: personID) }
        return StandInAnswer(json: ["id": .string(id)])
    }

    private func debugToken(_ request: StandInRequest) -> StandInAnswer {
        if case .refused(let answer) = access(of: request) { return answer }
        guard let input = request["input_token"] else {
            return StandInAnswer(graphError: 100, "input_token is missing")
        }
        let (token, settings) = state.withLock { ($0.accessTokens[input], $0.settings) }
        guard let token else {
            let error: TestJSON = ["code": 190, "message": .string(Self.unparsable)]
            return StandInAnswer(json: ["data": ["error": error, "is_valid": false, "scopes": []]])
        }
        guard token.appID == appID || settings.describesForeignTokens else {
            return StandInAnswer(graphError: 100, "The input_token belongs to another app.")
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
                "code": 190, "message": "The access token is invalid.", "subcode": .number("\(subcode)"),
            ]
        }
        return data
    }
}
