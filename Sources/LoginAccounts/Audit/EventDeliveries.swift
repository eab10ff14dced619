// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

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
        for event in try outbox.due(at: context.now, maximumAttempts: Self.maximumAttempts, limit: 10) {
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
