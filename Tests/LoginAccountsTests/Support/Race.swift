// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation
import LoginTesting
import Synchronization
import Testing

@testable import LoginAccounts

/// Several operations that compete at the same time.
///
/// ```swift
/// let fixture = try await AuthFixture(store.pair())
/// let (one, other) = fixture.servers
/// try await fixture.rounds { _ in
///     let results = await Race.run([{ try await one.refresh(…) }, { try await other.refresh(…) }])
///     #expect(Race.winners(results).count == 1)
/// }
/// ```
///
/// Each server has its own store object, so that only the database coordinates them, and waits for two milliseconds
/// between each read and the write that depends on it.
enum Race {
    /// The number of rounds of a race: 20, or the value of `LIMITED_LOGIN_ROUNDS`.
    static let rounds = ProcessInfo.processInfo.environment["LIMITED_LOGIN_ROUNDS"].flatMap { Int($0) } ?? 20

    /// Returns the same accounts, with a wait of two milliseconds between each read and write.
    static func held(_ auth: Auth) -> Auth {
        var auth = auth
        auth.gap = { _ in Thread.sleep(forTimeInterval: 0.002) }
        return auth
    }

    /// The operation of one competitor.
    typealias Contender<Value> = @Sendable () async throws -> Value

    /// Starts all operations at the same time, and waits for all of them.
    ///
    /// - Parameter contenders: The operations.
    /// - Returns: The results, in the same order.
    static func run<Value: Sendable>(_ contenders: [@Sendable () async throws -> Value]) async -> [Result<
        Value, any Error
    >] {
        let gate = Gate(contenders.count)
        return await withTaskGroup(of: (Int, Result<Value, any Error>).self) { group in
            for (index, contender) in contenders.enumerated() {
                group.addTask {
                    await gate.pass()
                    do {
                        return (index, .success(try await contender()))
                    } catch {
                        return (index, .failure(error))
                    }
                }
            }
            var results: [(Int, Result<Value, any Error>)] = []
            for await result in group { results.append(result) }
            return results.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    /// Runs one operation several times at once.
    static func run<Value: Sendable>(_ count: Int, _ contender: @escaping @Sendable () async throws -> Value) async
        -> [Result<Value, any Error>]
    {
        await run(Array(repeating: contender, count: count))
    }

    /// Returns the values of the operations that succeeded.
    static func winners<Value>(_ results: [Result<Value, any Error>]) -> [Value] {
        results.compactMap { try? $0.get() }
    }

    /// Returns the codes of the operations that were refused.
    ///
    /// For any other error it returns the description, which no expectation equals.
    static func refusals<Value>(_ results: [Result<Value, any Error>]) -> [String] {
        results.compactMap { result in
            guard case .failure(let error) = result else { return nil }
            return (error as? AuthError)?.code.rawValue ?? "\(error)"
        }
    }
}

/// A barrier that opens when all competitors have arrived.
private final class Gate: Sendable {
    private let state: Mutex<(missing: Int, waiting: [CheckedContinuation<Void, Never>])>

    init(_ count: Int) { state = Mutex((count, [])) }

    func pass() async {
        await withCheckedContinuation { continuation in
            let free = state.withLock { state -> [CheckedContinuation<Void, Never>] in
                state.missing -= 1
                state.waiting.append(continuation)
                guard state.missing <= 0 else { return [] }
                defer { state.waiting = [] }
                return state.waiting
            }
            for continuation in free { continuation.resume() }
        }
    }
}

extension AuthFixture {
    /// Two servers with one database, both of which wait between each read and write.
    var servers: (one: Auth, other: Auth) { (Race.held(auth), Race.held(otherServer)) }

    /// Returns a session as another server returns it for the session's token.
    func session(_ session: Session, on server: Auth) async throws -> Session {
        try await read { transaction in
            _ = try transaction.tables.rows.update(
                SessionRecord.self,
                set: SessionRecord.Column.isUsed.becomes(true),
                where: SessionRecord.Column.id.equals(session.id.rawValue)
            )
        }
        return Session(try await record(of: session), auth: server)
    }

    /// Runs a race repeatedly, and checks the invariants of the rows.
    ///
    /// A violation persists, so they are checked after every tenth round only.
    func rounds(_ body: (Int) async throws -> Void) async throws {
        for round in 1...Race.rounds {
            try await body(round)
            guard round.isMultiple(of: 10) || round == Race.rounds else { continue }
            #expect(try await AccountInvariants.violations(in: otherStore) == [])
        }
    }
}
