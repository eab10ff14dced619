// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if PostgreSQL
internal import LoginAccounts
internal import NIOPosix
internal import Synchronization

/// So many connections, each for one transaction at a time, and threads that wait for them.
///
/// Who finds none free stands in a queue, first come, first served, for as long as the timeout says.
final class ConnectionPool: Sendable {
    private let settings: ConnectionSettings
    private let threads: NIOThreadPool
    private let queue: ConnectionQueue
    private let reconnecting = Mutex(Reconnecting())

    init(_ settings: ConnectionSettings, size: Int) {
        self.settings = settings
        queue = ConnectionQueue(size: size, timeout: settings.timeouts.connection)
        // One for each connection, so that who has a connection never waits for a thread.
        threads = NIOThreadPool(numberOfThreads: size)
        threads.start()
    }

    deinit {
        threads.shutdownGracefully { _ in }
    }

    /// Runs `body` as one transaction.
    ///
    /// - Parameters:
    ///   - isReading: Whether it sees one moment, and may write nothing.
    ///   - body: What to do.
    /// - Returns: What `body` returned, once it is kept.
    /// - Throws: What `body` throws, or ``StoreError``.
    func transaction<Value: Sendable>(
        isReading: Bool = false,
        _ body: @escaping @Sendable (PostgreSQLTransaction) throws -> Value
    ) async throws -> Value {
        let slot = try await queue.take()
        return try await withCheckedThrowingContinuation { waiting in
            threads.submit { [self] state in
                let result: Result<Value, any Error> =
                    state == .active
                    ? Result { try run(body, isReading: isReading, in: slot) }
                    : .failure(StoreError(.unavailable, "the store has been shut down"))
                queue.give(back: slot)
                waiting.resume(with: result)
            }
        }
    }

    /// Ends all connections, after the transactions that run.
    func shutdown() async {
        for slot in await queue.close() { slot.connection.withLock { $0 = nil } }
        // The threads have nothing to do any more: without a slot, nothing comes to them.
        await withCheckedContinuation { (waiting: CheckedContinuation<Void, Never>) in
            threads.shutdownGracefully { _ in waiting.resume() }
        }
    }

    // MARK: - On a thread

    private func run<Value: Sendable>(
        _ body: @Sendable (PostgreSQLTransaction) throws -> Value,
        isReading: Bool,
        in slot: ConnectionSlot
    ) throws -> Value {
        try slot.connection.withLock { (kept: inout sending Connection?) throws -> Value in
            let connection = try begin(on: kept, isReading: isReading)
            kept = nil
            defer { if connection.isReusable { kept = connection } }
            let transaction = PostgreSQLTransaction(connection)
            let value: Value
            do {
                value = try body(transaction)
                transaction.end()
                // It may have been caught; what followed it was not done.
                if let failure = transaction.failure { throw failure }
            } catch {
                transaction.end()
                connection.rollback()
                throw error
            }
            try connection.commit()
            return value
        }
    }

    /// A connection on which a transaction has begun: the one that was kept, unless it broke while nobody looked.
    private func begin(on kept: Connection?, isReading: Bool) throws(StoreError) -> Connection {
        if let kept {
            do throws(StoreError) {
                try kept.begin(isReading: isReading)
                return kept
            } catch {
                // Nothing has been done on it, so a new one does as well.
            }
        }
        let connection = try connect()
        try connection.begin(isReading: isReading)
        return connection
    }

    private func connect() throws(StoreError) -> Connection {
        if let error = reconnecting.withLock({ $0.error(at: .now) }) { throw error }
        do throws(StoreError) {
            let connection = try Connection(settings)
            reconnecting.withLock { $0.succeeded() }
            return connection
        } catch {
            reconnecting.withLock { $0.failed(error, at: .now) }
            throw error
        }
    }
}

/// Where a connection is kept.
///
/// Who has taken the slot of a queue is the only one who asks for its lock.
final class ConnectionSlot: Sendable {
    let connection = Mutex<Connection?>(nil)
}

/// When to try again to connect, after that failed: soon at first, then seldom, so that a server that is starting is not
/// kept from it by those who wait for it.
struct Reconnecting {
    private var failures = 0
    private var last: (error: StoreError, until: ContinuousClock.Instant)?

    /// Why there is no use in trying yet; nil where there is.
    func error(at now: ContinuousClock.Instant) -> StoreError? {
        guard let last, now < last.until else { return nil }
        return last.error
    }

    mutating func failed(_ error: StoreError, at now: ContinuousClock.Instant) {
        // Those who tried together count once.
        if last.map({ now >= $0.until }) ?? true { failures = min(failures + 1, 6) }
        last = (error, now + .milliseconds(25 << failures))
    }

    mutating func succeeded() {
        failures = 0
        last = nil
    }
}
#endif
