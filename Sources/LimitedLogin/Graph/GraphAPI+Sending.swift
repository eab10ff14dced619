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

    /// Returns the items of a paginated list; nil if it is not a list, its cursors are invalid or repeat, or it exceeds
    /// the limits.
    ///
    /// Facebook returns the URL of the next page, with the token in it. That URL is not followed, so it can lead to no
    /// other host: the next request sends the cursor `after` to the configured endpoint.
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
        var (items, page, cursors): ([JSONValue], JSONValue, Set<String>) = ([], first, [])
        while true {
            guard let more = page["data"]?.elements else { return nil }
            items += more
            if items.count >= count { return Array(items.prefix(count)) }
            guard items.count <= GraphLimits.listItems else { return nil }
            guard page["paging"]?["next"]?.string != nil else { return items }
            // A repeated cursor leads back to a page that was read before.
            guard let after = page["paging"]?["cursors"]?["after"]?.string,
                (1...GraphLimits.cursorBytes).contains(after.utf8.count), cursors.insert(after).inserted,
                cursors.count < GraphLimits.listPages
            else { return nil }
            var next = call
            next.parameters.removeAll { $0.name == "after" }
            next.parameters.append((name: "after", value: after))
            page = try await answer(to: next, until: end)
        }
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

extension GraphError {
    /// The text is not an access token.
    static var noToken: GraphError { GraphError(.relogin, "the text is not an access token") }

    /// The token is another app's.
    static var anotherApp: GraphError { GraphError(.foreignToken, "the token belongs to another app") }

    /// Creates the error of a response that lacks a required member.
    static func unreadable(_ detail: String) -> GraphError { GraphError(.unavailable, detail, status: 200) }
}
