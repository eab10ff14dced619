// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Synchronization

/// A place that one operation has at a time, while others are refused.
final class SinglePlace: Sendable {
    private let isTaken = Atomic(false)

    /// Takes the place, and releases it after `body`.
    ///
    /// - Parameter body: The operation.
    /// - Returns: The result of `body`.
    /// - Throws: ``AuthError``: `too-many-requests` if another operation has the place; rethrows errors of `body`.
    func take<Value: Sendable>(
        _ body: () async throws(AuthError) -> Value
    ) async throws(AuthError) -> Value {
        guard !isTaken.exchange(true, ordering: .acquiring) else {
            throw AuthError(.tooManyRequests(retryAfter: .seconds(5)), "another operation of this kind runs")
        }
        defer { isTaken.store(false, ordering: .releasing) }
        return try await body()
    }
}
