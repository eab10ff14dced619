// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens

/// Calls to any path of the Graph API.
///
/// A path is an array of segments, for example `["me", "feed"]`. Each segment is percent-encoded, so an ID in it cannot
/// lead to another path, version or host; an empty one, `.`, `..` and one with a slash are refused. The version of the
/// app precedes the path.
///
/// The parameters `access_token`, `appsecret_proof` and `method` are refused: the client sets the first two, and the
/// last one would replace the method.
extension GraphAPI {
    /// Reads an object, or one page of a list.
    ///
    /// - Parameters:
    ///   - path: The segments of the path.
    ///   - parameters: The parameters, for example `fields`. They are part of the URL, which has at most 2,048 bytes
    ///     and may be logged.
    ///   - token: The user's access token; nil for data that Facebook returns to everybody.
    /// - Returns: The response, which has at most 256 KiB.
    /// - Throws: ``GraphError``: `caller` for an invalid path or parameter, `foreign-token` for a token of another app,
    ///   `unavailable` for a response that is not JSON.
    public func get(
        _ path: [String],
        parameters: [String: String] = [:],
        token: AccessToken?
    ) async throws(GraphError) -> JSONValue {
        try await answer(to: call(.get, path, parameters, token), until: deadline())
    }

    /// Reads a list with its further pages.
    ///
    /// Facebook returns the URL of the next page. It is not followed: its cursor is sent to the app's endpoints, so the
    /// token reaches no other host. For a list that Facebook divides by time, without cursors, request single pages by
    /// ``get(_:parameters:token:)`` with the parameters `since` and `until`.
    ///
    /// A list has at most 5,000 items on 20 pages, each page 256 KiB, and each cursor 1 to 512 bytes. No cursor occurs
    /// twice. All pages together take at most ten seconds.
    ///
    /// - Parameters:
    ///   - path: The segments of the path.
    ///   - parameters: The parameters, for example `fields`, or `limit`, the number of items on a page.
    ///   - count: The maximum number of items, 1 to 5,000; nil for all. No page is requested after them.
    ///   - token: The user's access token; nil for data that Facebook returns to everybody.
    /// - Returns: The items, in Facebook's order.
    /// - Throws: ``GraphError`` as for a single page; `caller` also for a number of items out of its range, and
    ///   `unavailable` for a response without a list, for a next page whose cursor is missing, invalid or repeated, and
    ///   for a list that exceeds its limits.
    public func list(
        _ path: [String],
        parameters: [String: String] = [:],
        first count: Int? = nil,
        token: AccessToken?
    ) async throws(GraphError) -> [JSONValue] {
        guard count.map({ (1...GraphLimits.listItems).contains($0) }) ?? true else {
            throw GraphError(.caller, "the number of items must be 1 to \(GraphLimits.listItems)")
        }
        let call = try call(.get, path, parameters, token)
        let end = deadline()
        let first = try await answer(to: call, until: end)
        guard let items = try await items(from: first, of: call, atMost: count ?? .max, until: end) else {
            throw .unreadable("the list is invalid or too long, or leads back to an earlier page")
        }
        return items
    }

    /// Creates or changes an object.
    ///
    /// The request is sent once, whatever the response. After `transient` or `unavailable` it may have taken effect.
    ///
    /// ```swift
    /// let answer = try await graph.post(["me", "feed"], parameters: ["message": "Hello"], token: token)
    /// let postID = answer["id"]?.string
    /// ```
    ///
    /// - Parameters:
    ///   - path: The segments of the path.
    ///   - parameters: The parameters, in the body of the request.
    ///   - token: The access token of the user in whose name the call is made.
    /// - Returns: The response, for example with the `id` of a new object.
    /// - Throws: ``GraphError``: `permission` if the user has not granted the required permission, `caller` for an
    ///   invalid path or parameter, `foreign-token` for a token of another app, `unavailable` for a response that is
    ///   not JSON.
    @discardableResult
    public func post(
        _ path: [String],
        parameters: [String: String],
        token: AccessToken
    ) async throws(GraphError) -> JSONValue {
        try await answer(to: call(.post, path, parameters, token), until: deadline())
    }

    /// Deletes an object.
    ///
    /// - Parameters:
    ///   - path: The segments of the path.
    ///   - parameters: The parameters, which are part of the URL.
    ///   - token: The access token of the user in whose name the call is made.
    /// - Returns: The response, which mostly is an object with the member `success`.
    /// - Throws: ``GraphError``, as ``post(_:parameters:token:)``.
    @discardableResult
    public func delete(
        _ path: [String],
        parameters: [String: String] = [:],
        token: AccessToken
    ) async throws(GraphError) -> JSONValue {
        try await answer(to: call(.delete, path, parameters, token), until: deadline())
    }

    /// Returns a call, with the parameters in the order of their names, so that equal calls are equal requests.
    private func call(
        _ method: TransportRequest.Method,
        _ path: [String],
        _ parameters: [String: String],
        _ token: AccessToken?
    ) throws(GraphError) -> GraphCall {
        GraphCall(
            method: method,
            path: path,
            parameters: parameters.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) },
            token: try token.map(own)
        )
    }
}
