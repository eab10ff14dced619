// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

extension Auth {
    /// The events of this server from now on, each after its transaction is committed.
    ///
    /// It is for consumers in this process, such as metrics. Events of other servers are not included, and a slow
    /// consumer misses the oldest events beyond 1,024. For events that must not be missed, use
    /// ``deliverEvents(every:to:)``.
    public var events: AsyncStream<AuthEvent> { broadcaster.listen() }

    /// Delivers the events of all servers to a handler until the task is cancelled, each at least once.
    ///
    /// Run it beside your service, on any number of servers. One server at a time delivers an event. If the handler
    /// throws an error, the event is delivered again: after 10 seconds at first, then after twice the previous delay,
    /// up to an hour. After 20 attempts, about twelve hours, it is abandoned, and stays in the store for thirty days.
    /// If a handler takes longer than five minutes, the event may be delivered again meanwhile; ``AuthEvent/id``
    /// identifies it.
    ///
    /// The order of events is not guaranteed: a postponed event arrives after later ones.
    ///
    /// - Parameters:
    ///   - interval: The time to wait if there was nothing to deliver.
    ///   - handler: The event handler. It returns after the event is stored or sent.
    public func deliverEvents(
        every interval: Duration = .seconds(1),
        to handler: @Sendable (AuthEvent) async throws -> Void
    ) async {
        while !Task.isCancelled {
            // If the store is unavailable, the next round tries again. Events that are due are not lost.
            let delivered = try? await deliverWaitingEvents(to: handler)
            if delivered?.attempts ?? 0 == 0 { try? await Task.sleep(for: interval) }
        }
    }

    /// Delivers the events that are due now.
    ///
    /// Those for which the handler throws an error are postponed.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of events.
    ///   - handler: The event handler.
    /// - Returns: The numbers of delivered, postponed and abandoned events.
    /// - Throws: ``AuthError``: `conflict-retry`, `store-unavailable`, `internal-error`. Events that were delivered
    ///   before the error stay delivered.
    @discardableResult
    public func deliverWaitingEvents(
        limit: Int = 100,
        to handler: @Sendable (AuthEvent) async throws -> Void
    ) async throws(AuthError) -> EventDelivery {
        var delivery = EventDelivery()
        while delivery.attempts < limit, !Task.isCancelled {
            let claimed = try await transaction { transaction in try transaction.deliveries.claim() }
            guard let claimed else { break }
            let isDelivered: Bool
            do {
                let event: AuthEvent = try JSONText.decode(claimed.event)
                try await handler(event)
                isDelivered = true
            } catch {
                isDelivered = false
            }
            try await transaction { transaction in
                try isDelivered ? transaction.deliveries.complete(claimed) : transaction.deliveries.postpone(claimed)
            }
            switch isDelivered {
            case true: delivery.delivered += 1
            case false where claimed.attempts >= EventDeliveries.maximumAttempts: delivery.abandoned += 1
            case false: delivery.failed += 1
            }
        }
        return delivery
    }
}

/// The result of a delivery.
public struct EventDelivery: Sendable, Hashable {
    /// The number of events that were delivered.
    public var delivered: Int

    /// The number of events that failed and will be delivered again.
    public var failed: Int

    /// The number of events that failed for the twentieth time.
    ///
    /// They are abandoned, and an operator should find the cause.
    public var abandoned: Int

    /// The number of all events.
    public var attempts: Int { delivered + failed + abandoned }

    /// Creates a result.
    public init(delivered: Int = 0, failed: Int = 0, abandoned: Int = 0) {
        (self.delivered, self.failed, self.abandoned) = (delivered, failed, abandoned)
    }
}

extension Auth {
    /// Returns the audit entries of an account, the latest first.
    ///
    /// The entries of an account that was merged into another stay under its own ID.
    ///
    /// - Parameters:
    ///   - account: The account, which may be deleted.
    ///   - limit: The maximum number of entries. It is clamped to 1 … 1,000.
    ///   - event: The ``AuthEvent/id`` of the last entry of the previous page; nil for the first page.
    /// - Returns: The entries before that one; none if it does not exist.
    /// - Throws: ``AuthError``: `conflict-retry`, `store-unavailable`, `internal-error`.
    public func audit(of account: AccountID, limit: Int = 100, before event: String? = nil) async throws(AuthError)
        -> [AuthEvent]
    {
        let limit = min(max(limit, 1), 1000)
        return try await read { transaction in
            try transaction.tables.audit.of(account, limit: limit, before: event).map { record in try AuthEvent(record)
            }
        }
    }
}

/// The steps that deliver events, each to one server at a time.
struct EventDeliveries {
    let outbox: OutboxTable
    let context: TransactionContext

    /// The time for which a claimed event is delivered by no other server.
    private static let claim = Duration.seconds(300)
    private static let firstDelay = Duration.seconds(10)
    private static let longestDelay = Duration.seconds(3600)

    /// The maximum number of attempts to deliver an event.
    static let maximumAttempts: Int64 = 20

    /// Claims an event that is due; nil if there is none.
    func claim() throws(StoreError) -> OutboxRecord? {
        // Other servers read the same rows: the first claims one, and the next server claims the following one.
        let due = try outbox.due(
            at: context.now,
            latest: context.now + Self.longestDelay + StoreTime.clockTolerance,
            maximumAttempts: Self.maximumAttempts,
            limit: 10
        )
        for event in due {
            if let claimed = try outbox.claim(event, until: context.now + Self.claim) { return claimed }
        }
        return nil
    }

    /// Stores that an event was delivered.
    func complete(_ event: OutboxRecord) throws(StoreError) { try outbox.setDelivered(event, at: context.now) }

    /// Postpones an event that could not be delivered.
    ///
    /// The delay doubles with each attempt, up to an hour.
    func postpone(_ event: OutboxRecord) throws(StoreError) {
        let doublings = Int(min(max(event.attempts - 1, 0), 16))
        let delay = min(Self.firstDelay * (1 << doublings), Self.longestDelay)
        try outbox.postpone(event, until: context.now + delay)
    }
}
