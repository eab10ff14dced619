// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if SQLite
internal import Dispatch
internal import Foundation
internal import GRDB
internal import Synchronization

/// Runs reads on a few threads.
///
/// A thread that has finished a read continues with the next waiting one. While all threads are busy, a read therefore
/// wakes none, which would take longer than a query by key.
final class SnapshotReaders: Sendable {
    /// The statements of a read.
    enum Scope: Sendable {
        /// Any number of statements, which see one snapshot.
        case snapshot
        /// One statement, which needs no transaction.
        case statement
    }

    /// A read, which gets the database, or the reason why there is none.
    private struct Read: Sendable {
        let scope: Scope
        let body: @Sendable (Result<Database, any Error>) -> Void
    }

    private struct State {
        var waiting: ArraySlice<Read> = []
        var threads = 0
    }

    /// The maximum number of threads: one for each processor, two at least and five at most.
    static let most = max(2, min(ProcessInfo.processInfo.activeProcessorCount, 5))

    private let pool: DatabasePool
    private let queue = DispatchQueue(label: "limited-login readers", attributes: .concurrent)
    private let state = Mutex(State())

    init(_ pool: DatabasePool) { self.pool = pool }

    /// Runs a read as soon as a thread is free.
    func run(_ scope: Scope, _ body: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        let read = Read(scope: scope, body: body)
        let needsThread = state.withLock { state in
            state.waiting.append(read)
            guard state.threads < Self.most else { return false }
            state.threads += 1
            return true
        }
        guard needsThread else { return }
        queue.async { [self] in
            while let read = nextOrEnd() { runAll(beginningWith: read) }
        }
    }

    /// Runs waiting reads on one connection until there are none.
    private func runAll(beginningWith first: Read) {
        var read: Read? = first
        do {
            try pool.unsafeRead { database in
                while let current = read ?? state.withLock({ $0.waiting.popFirst() }) {
                    read = nil
                    Self.run(current, on: database)
                }
            }
        } catch {
            // There is no connection. The next read tries again.
            read?.body(.failure(error))
        }
    }

    private static func run(_ read: Read, on database: Database) {
        guard read.scope == .snapshot else { return read.body(.success(database)) }
        do {
            try database.beginTransaction(.deferred)
        } catch {
            return read.body(.failure(error))
        }
        read.body(.success(database))
        do { try database.commit() } catch { try? database.rollback() }
    }

    /// Returns the next waiting read; nil if there is none, after which the thread must end.
    private func nextOrEnd() -> Read? {
        state.withLock { state in
            if let next = state.waiting.popFirst() { return next }
            // The slice still holds the reads before its start.
            state.waiting = []
            state.threads -= 1
            return nil
        }
    }
}
#endif
