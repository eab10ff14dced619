// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTokens

extension GraphAPI {
    /// Returns the deadline of a call that begins now.
    func deadline() -> Duration {
        let end = timekeeper.now() + GraphLimits.deadline
        return latestEnd.map { min($0, end) } ?? end
    }

    /// Sends a call and returns its response.
    ///
    /// - Throws: ``GraphError``, also for a response that is not JSON.
    func answer(to call: GraphCall, until end: Duration) async throws(GraphError) -> JSONValue {
        guard let json = try await send(call.request(for: app), until: end) else {
            throw .unreadable("the response is not JSON")
        }
        return json
    }

    /// Sends a call with the app access token, and returns its response.
    ///
    /// - Throws: ``GraphError``. An invalid-token error concerns the app access token, so it does not require a new
    ///   login.
    func answerAsApp(to call: GraphCall) async throws(GraphError) -> JSONValue {
        guard let secret = app.secret else {
            throw GraphError(.appConfiguration, "the call requires the app secret")
        }
        var call = call
        call.token = "\(app.id)|\(secret)"
        do throws(GraphError) {
            return try await answer(to: call, until: deadline())
        } catch {
            throw error.category == .relogin
                ? error.judged(.appConfiguration, "Facebook rejects the app ID or secret") : error
        }
    }

    /// Returns the items of a paginated list; nil if it is not a list, or exceeds the limits.
    ///
    /// Facebook returns the URL of the next page, with the token in it. That URL is not followed: the next request uses
    /// the cursor `after` with the configured endpoint.
    ///
    /// - Parameters:
    ///   - first: The first page.
    ///   - call: The call that returned it.
    ///   - count: The number of items after which no page is requested.
    ///   - end: The deadline for all pages.
    /// - Returns: The first `count` items, or all.
    /// - Throws: ``GraphError`` for an error response.
    func items(
        from first: JSONValue,
        of call: GraphCall,
        atMost count: Int = .max,
        until end: Duration
    ) async throws(GraphError) -> [JSONValue]? {
        guard var items = first["data"]?.elements else { return nil }
        var page = first
        var seen: Set<String> = []
        while items.count < count, page["paging"]?["next"]?.string != nil {
            guard let after = page["paging"]?["cursors"]?["after"]?.string,
                (1...GraphLimits.cursorBytes).contains(after.utf8.count), seen.insert(after).inserted,
                seen.count < GraphLimits.listPages
            else { return nil }
            var next = call
            next.parameters.removeAll { $0.name == "after" }
            next.parameters.append((name: "after", value: after))
            page = try await answer(to: next, until: end)
            guard let more = page["data"]?.elements, items.count + more.count <= GraphLimits.listItems else {
                return nil
            }
            items += more
        }
        return Array(items.prefix(count))
    }

    /// Sends a request, and retries it once if that is safe and may help.
    ///
    /// - Returns: The response; nil if it is not JSON.
    /// - Throws: ``GraphError`` for every error response.
    func send(_ request: TransportRequest, until end: Duration) async throws(GraphError) -> JSONValue? {
        var request = request
        // A POST may have taken effect, whatever the response.
        var mayRepeat = request.method != .post
        while true {
            request.deadline = max(end - timekeeper.now(), .zero)
            let failure: GraphError
            do throws(GraphError) {
                return try await sendOnce(request)
            } catch {
                failure = error
            }
            let next = timekeeper.now() + max(GraphLimits.retryDelay, failure.retryAfter ?? .zero)
            guard mayRepeat, failure.category == .transient, next < end else { throw failure }
            mayRepeat = false
            do {
                try await timekeeper.sleep(next)
            } catch {
                throw failure
            }
        }
    }

    private func sendOnce(_ request: TransportRequest) async throws(GraphError) -> JSONValue? {
        let response: TransportResponse
        do throws(TransportFailure) {
            response = try await transport.send(request)
        } catch {
            throw GraphError(.unavailable, "no response: \(error)")
        }
        return try response.graphAnswer(limit: request.responseLimit)
    }
}

extension TransportResponse {
    /// Reads a response of the Graph API.
    ///
    /// - Parameter limit: The maximum length in bytes.
    /// - Returns: The response; nil if it is not JSON.
    /// - Throws: ``GraphError`` for every response that is an error by its body or its status.
    fileprivate func graphAnswer(limit: Int) throws(GraphError) -> JSONValue? {
        guard !(300..<400).contains(status) else {
            throw GraphError(.unavailable, "the response is a redirect, which is not followed", status: status)
        }
        let isPlain = values(of: "Content-Encoding").allSatisfy { ["", "identity"].contains($0.lowercased()) }
        guard isPlain, body.count <= limit else {
            throw GraphError(.unavailable, "the response is compressed or too long", status: status)
        }
        let limits = JSONLimits(bytes: limit, depth: Limits.jsonDepth, members: Limits.jsonMembers)
        let json = try? JSONDocument.read(body, limits: limits).root
        if let error = json?["error"], error.kind == .object {
            throw GraphError(error, status: status, retryAfter: retryAfter)
        }
        switch status {
        case ..<300: return json
        case 429: throw GraphError(.throttle, "too many calls", status: status, retryAfter: retryAfter)
        case 500...: throw GraphError(.transient, "server error at Facebook", status: status, retryAfter: retryAfter)
        default: throw GraphError(.unavailable, "the response has an error status but no error", status: status)
        }
    }

    /// The longest wait that the headers ask for: `Retry-After` in seconds (RFC 9110 §10.2.3), or Facebook's estimates
    /// in minutes.
    private var retryAfter: Duration? {
        let seconds = values(of: "Retry-After").compactMap(Self.wholeNumber)
        let estimates = values(of: "X-Business-Use-Case-Usage").flatMap(Self.estimatedMinutes)
        let longest = (seconds + estimates.map { $0 * 60 }).max() ?? 0
        return longest > 0 ? min(.seconds(longest), GraphLimits.retryAfter) : nil
    }

    /// Returns the members `estimated_time_to_regain_access` of all use cases of all businesses.
    private static func estimatedMinutes(_ header: String) -> [Int] {
        let limits = JSONLimits(bytes: 16 * 1024, depth: Limits.jsonDepth, members: Limits.jsonMembers)
        guard let json = try? JSONDocument.read(Array(header.utf8), limits: limits).root else { return [] }
        return (json.members ?? []).flatMap { $0.value.elements ?? [] }
            .compactMap { $0["estimated_time_to_regain_access"]?.integer }
            .map { min(max($0, 0), 24 * 60) }
    }

    /// Returns a number of one to nine digits; nil for any other text.
    private static func wholeNumber(_ text: String) -> Int? {
        let isNumber = (1...9).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
        return isNumber ? Int(text) : nil
    }
}

extension GraphError {
    /// The text is not an access token.
    static var noToken: GraphError { GraphError(.relogin, "the text is not an access token") }

    /// The token is another app's.
    static var anotherApp: GraphError { GraphError(.foreignToken, "the token belongs to another app") }

    /// Creates the error of a response that lacks a required member.
    static func unreadable(_ detail: String) -> GraphError { GraphError(.unavailable, detail, status: 200) }
}
