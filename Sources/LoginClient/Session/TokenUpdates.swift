// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The updates of a session's tokens, which run one after the other.
///
/// An update is not cancelled with the callers that wait for it. A failed update does not prevent those after it.
struct TokenUpdates {
    typealias Update = @Sendable () async throws -> Void

    /// The update that was added last, which ends after all others.
    private(set) var last: Task<Void, any Error>?
    /// The refreshes that have not ended, by their refresh token.
    private var refreshes: [String: Task<Void, any Error>] = [:]

    /// Adds an update.
    ///
    /// - Parameter update: The update.
    /// - Returns: The task of the update.
    mutating func add(_ update: @escaping Update) -> Task<Void, any Error> {
        let earlier = last
        let task = Task<Void, any Error> {
            _ = await earlier?.result
            try await update()
        }
        last = task
        return task
    }

    /// Adds a refresh, unless one with the same refresh token has not ended: callers share it, and its failure.
    ///
    /// - Parameters:
    ///   - refreshToken: The refresh token.
    ///   - update: The refresh, which calls ``endRefresh(with:)`` at its end.
    /// - Returns: The task of the refresh.
    mutating func addRefresh(with refreshToken: String, _ update: @escaping Update) -> Task<Void, any Error> {
        if let pending = refreshes[refreshToken] { return pending }
        let task = add(update)
        refreshes[refreshToken] = task
        return task
    }

    /// Ends the sharing of a refresh: the next caller adds another.
    mutating func endRefresh(with refreshToken: String) { refreshes[refreshToken] = nil }
}
