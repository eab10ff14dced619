// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

extension Auth {
    /// Runs the maintenance tasks until the task is cancelled: sweeps, and delivers events.
    ///
    /// Run it in a task group or as a service of your service group, on any number of servers:
    ///
    /// ```swift
    /// try await withThrowingTaskGroup(of: Void.self) { group in
    ///     group.addTask { try await server.run() }
    ///     group.addTask { await auth.maintain { event in try await mailer.tell(event) } }
    ///     try await group.next()
    ///     group.cancelAll()
    /// }
    /// ```
    ///
    /// It throws no errors: if the store is unavailable, the next round tries again.
    ///
    /// - Parameters:
    ///   - interval: The time between two sweeps, unless a sweep has reached its limit.
    ///   - age: The maximum age of audit entries; nil to keep all.
    ///   - handler: The event handler; see ``deliverEvents(every:to:)``.
    public func maintain(
        every interval: Duration = .seconds(300),
        auditOlderThan age: Duration? = nil,
        deliveringTo handler: @escaping @Sendable (AuthEvent) async throws -> Void
    ) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await deliverEvents(to: handler) }
            group.addTask {
                while !Task.isCancelled {
                    let report = try? await sweep(auditOlderThan: age)
                    if report?.isMore != true { try? await Task.sleep(for: interval) }
                }
            }
        }
    }
}

extension Auth {
    /// Checks that the keys match the store: they must derive the token of an open session.
    ///
    /// A server with other keys would sign out every user, and store values that cannot be compared later. Call this
    /// before the server accepts requests. If no session is open, nothing can be checked, and any keys pass.
    ///
    /// - Throws: ``AuthError``: `internal-error` if the keys do not match; `store-unavailable`, `conflict-retry`.
    public func checkSecrets() async throws(AuthError) {
        let isMade = try await read { transaction in try transaction.sessions.haveOurTokens() }
        guard isMade else {
            throw AuthError(
                .internalError,
                "an open session was created with another key; use the same keys as the servers"
            )
        }
    }
}
