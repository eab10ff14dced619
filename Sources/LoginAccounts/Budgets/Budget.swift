// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The maximum number of operations of one kind within a window.
struct Budget: Sendable {
    /// The kind of operation.
    var purpose: String

    /// The subject that is counted: an address, a number, an ID; empty to count all together.
    ///
    /// The store has only an HMAC of it.
    var subject: String = ""

    /// The maximum number of operations.
    var limit: Int

    /// The length of the window, which begins with the first operation.
    var window: Duration

    /// The error's reason if the budget is used up, from the time to wait.
    var reason: @Sendable (Duration) -> AuthError.Reason = { .tooManyRequests(retryAfter: $0) }
}

extension [Budget] {
    /// Returns the budget of a network; none if the network of the request is unknown.
    static func network(
        _ purpose: String,
        _ origin: RequestOrigin?,
        limit: Int,
        window: Duration
    ) -> Self {
        guard let prefix = origin?.addressPrefix else { return [] }
        return [Budget(purpose: purpose, subject: prefix, limit: limit, window: window)]
    }
}
