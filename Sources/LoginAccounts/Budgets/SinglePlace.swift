// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Synchronization

/// A place that one operation on a subject has at a time, while others are refused.
final class SinglePlace: Sendable {
    private let taken = Mutex<Set<String>>([])

    /// Takes the place, and releases it after `body`.
    ///
    /// - Parameters:
    ///   - subject: The subject, for example an account; empty if there is only one.
    ///   - body: The operation.
    /// - Returns: The result of `body`.
    /// - Throws: ``AuthError``: `too-many-requests` if another operation has the place; rethrows errors of `body`.
    func take<Value: Sendable>(
        of subject: String = "",
        _ body: () async throws(AuthError) -> Value
    ) async throws(AuthError) -> Value {
        guard taken.withLock({ $0.insert(subject).inserted }) else {
            throw AuthError(.tooManyRequests(retryAfter: .seconds(5)), "another operation of this kind runs")
        }
        defer { taken.withLock { _ = $0.remove(subject) } }
        return try await body()
    }
}
