// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if PostgreSQL
internal import LoginAccounts
internal import LoginCrypto
internal import NIOPosix
internal import Synchronization

/// A pool of connections, each for one transaction at a time, and of threads that block on them.
///
/// If all connections are in use, callers wait in a queue, first in, first out, until the timeout.
final class ConnectionPool: Sendable {
    private let settings: ConnectionSettings
    private let threads: NIOThreadPool
    private let queue: ConnectionQueue
    private let reconnecting = Mutex(Reconnecting())

    init(_ settings: ConnectionSettings, size: Int) {
        // The threads of the pool may end while the process exits.
        keepOpenSSLAtExit()
        self.settings = settings
        queue = ConnectionQueue(size: size, timeout: settings.timeouts.freeConnection)
        // One thread for each connection, so that a caller with a connection never waits for a thread.
        threads = NIOThreadPool(numberOfThreads: size)
        threads.start()
    }

    deinit {
        threads.shutdownGracefully { _ in }
    }

    /// Runs `body` as one transaction.
    ///
    /// - Parameters:
    ///   - scope: The transaction to begin.
    ///   - body: The operations.
    /// - Returns: The result of `body`, after the commit.
    /// - Throws: Rethrows errors of `body`; ``StoreError``.
    func transaction<Value: Sendable>(
        _ scope: Connection.Scope = .write,
        _ body: @escaping @Sendable (PostgreSQLTransaction) throws -> Value
    ) async throws -> Value {
        let slot = try await queue.take()
        return try await withCheckedThrowingContinuation { waiting in
            threads.submit { [self] state in
                let result: Result<Value, any Error> =
                    state == .active
                    ? Result { try run(body, scope, in: slot) }
                    : .failure(StoreError(.unavailable, "the store has been shut down"))
                queue.give(back: slot)
                waiting.resume(with: result)
            }
        }
    }

    /// Closes all connections after the running transactions have ended.
    func shutdown() async {
        for slot in await queue.close() { slot.connection.withLock { $0 = nil } }
        // The threads are idle: without a slot, no work is submitted.
        await withCheckedContinuation { (waiting: CheckedContinuation<Void, Never>) in
            threads.shutdownGracefully { _ in waiting.resume() }
        }
    }

    // MARK: - On a thread

    private func run<Value: Sendable>(
        _ body: @Sendable (PostgreSQLTransaction) throws -> Value,
        _ scope: Connection.Scope,
        in slot: ConnectionSlot
    ) throws -> Value {
        try slot.connection.withLock { (kept: inout sending Connection?) throws -> Value in
            let wasKept = kept != nil
            var connection = try begin(on: kept, scope)
            kept = nil
            defer { if connection.isReusable { kept = connection } }
            do {
                return try run(body, scope, on: connection)
            } catch  where scope == .statement && wasKept && !connection.isReusable {
                // The connection was lost, in general while it was idle. Nothing was written.
                connection = try begin(on: nil, scope)
                return try run(body, scope, on: connection)
            }
        }
    }

    private func run<Value: Sendable>(
        _ body: @Sendable (PostgreSQLTransaction) throws -> Value,
        _ scope: Connection.Scope,
        on connection: Connection
    ) throws -> Value {
        let transaction = PostgreSQLTransaction(connection, scope)
        let value: Value
        do {
            value = try body(transaction)
            transaction.end()
            // The body may have caught the error, but the statements after it were not run.
            if let failure = transaction.failure { throw failure }
        } catch {
            transaction.end()
            if scope != .statement { connection.rollback() }
            throw error
        }
        if scope != .statement { try connection.commit() }
        return value
    }

    /// Returns a connection on which a transaction has begun: the given one, unless it has broken while it was idle.
    private func begin(on kept: Connection?, _ scope: Connection.Scope) throws(StoreError) -> Connection {
        if let kept {
            do throws(StoreError) {
                try kept.begin(scope)
                return kept
            } catch {
                // Nothing has been run on it, so a new connection can replace it.
            }
        }
        let connection = try connect(isMigrating: scope == .migration)
        try connection.begin(scope)
        return connection
    }

    private func connect(isMigrating: Bool) throws(StoreError) -> Connection {
        if let error = reconnecting.withLock({ $0.error(at: .now) }) { throw error }
        do throws(StoreError) {
            let connection = try Connection(settings, isMigrating: isMigrating)
            reconnecting.withLock { $0.succeeded() }
            return connection
        } catch {
            reconnecting.withLock { $0.failed(error, at: .now) }
            throw error
        }
    }
}

/// A slot of the pool, with its connection if there is one.
///
/// Only the holder of the slot uses its lock.
final class ConnectionSlot: Sendable {
    let connection = Mutex<Connection?>(nil)
}

/// The backoff of connection attempts: short at first, then longer, so that waiting callers do not overload a server
/// that is starting.
struct Reconnecting {
    private var failures = 0
    private var last: (error: StoreError, until: ContinuousClock.Instant)?

    /// Returns the error of the last attempt while no new attempt is allowed; nil if one is.
    func error(at now: ContinuousClock.Instant) -> StoreError? {
        guard let last, now < last.until else { return nil }
        return last.error
    }

    mutating func failed(_ error: StoreError, at now: ContinuousClock.Instant) {
        // Concurrent attempts count once.
        if last.map({ now >= $0.until }) ?? true { failures = min(failures + 1, 6) }
        last = (error, now + .milliseconds(25 << failures))
    }

    mutating func succeeded() {
        failures = 0
        last = nil
    }
}
#endif
