// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

extension Auth {
    /// What this server writes from now on, each event once its transaction is kept.
    ///
    /// It is for what only concerns this process, such as metrics: events of other servers do not come, and who is slow misses
    /// the oldest beyond 1,024. What must not be missed comes by ``deliverEvents(every:to:)``.
    public var events: AsyncStream<AuthEvent> { broadcaster.listen() }

    /// Delivers events to `handler` until the task is cancelled: those of all servers, each at least once.
    ///
    /// Let it run beside your service; any number of servers may. An event is delivered by one of them at a time. What
    /// `handler` throws at comes again, after 10 seconds at first and at most an hour later each time, 20 times in all, which is
    /// about twelve hours; then it is given up, and stays in the store for thirty days. Whoever takes longer than five minutes may get
    /// an event again meanwhile; ``AuthEvent/id`` says that it is the same.
    ///
    /// No order is promised: an event that could not be taken comes after later ones.
    ///
    /// - Parameters:
    ///   - interval: How long to wait where there was nothing to deliver.
    ///   - handler: What takes an event: it returns once that is kept, or sent.
    public func deliverEvents(
        every interval: Duration = .seconds(1),
        to handler: @Sendable (AuthEvent) async throws -> Void
    ) async {
        while !Task.isCancelled {
            // A store that does not answer may answer later: what waits in it is not lost.
            let delivered = try? await deliverWaitingEvents(to: handler)
            if delivered?.attempts ?? 0 == 0 { try? await Task.sleep(for: interval) }
        }
    }

    /// Delivers the events that wait now, and are due; those that `handler` throws at wait on.
    ///
    /// - Parameters:
    ///   - limit: How many at most.
    ///   - handler: What takes an event.
    /// - Returns: How many there were.
    /// - Throws: ``AuthError``: `conflict-retry`, `store-unavailable`, `internal-error`. What was delivered until then is.
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

/// What came of delivering.
public struct EventDelivery: Sendable, Hashable {
    /// How many events were taken.
    public var delivered: Int

    /// How many were not, and come again.
    public var failed: Int

    /// How many were not, for the twentieth time: they come no more, and somebody should look why.
    public var abandoned: Int

    /// How many there were.
    public var attempts: Int { delivered + failed + abandoned }

    /// What came of delivering.
    public init(delivered: Int = 0, failed: Int = 0, abandoned: Int = 0) {
        (self.delivered, self.failed, self.abandoned) = (delivered, failed, abandoned)
    }
}
