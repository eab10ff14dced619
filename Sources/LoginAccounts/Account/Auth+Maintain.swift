// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

extension Auth {
    /// Does what has to be done beside the service, until the task is cancelled: sweeps, and delivers events.
    ///
    /// Let it run in a task group, or as a service of your service group, on any number of servers:
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
    /// A store that does not answer may answer later, so nothing is thrown.
    ///
    /// - Parameters:
    ///   - interval: How long to wait between two sweeps that have left nothing to remove.
    ///   - age: How old entries of the audit may be; nil to keep all.
    ///   - handler: What takes an event, as ``deliverEvents(every:to:)`` says.
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
