// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation
import LoginTesting
import Synchronization
import Testing

@testable import LoginAccounts

/// Several who want the same thing at the same time.
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
/// Each server has a store object of its own, so that only the database stands between them, and holds open for two milliseconds every
/// gap between what it has read and what it writes.
enum Race {
    /// How often a race is run: 20 times, or as often as `LIMITED_LOGIN_ROUNDS` says.
    static let rounds = ProcessInfo.processInfo.environment["LIMITED_LOGIN_ROUNDS"].flatMap { Int($0) } ?? 20

    /// The same accounts, with each gap held open for two milliseconds.
    static func held(_ auth: Auth) -> Auth {
        var auth = auth
        auth.gap = { _ in Thread.sleep(forTimeInterval: 0.002) }
        return auth
    }

    /// What one of them does.
    typealias Contender<Value> = @Sendable () async throws -> Value

    /// Lets all begin once all are there, and waits for all.
    ///
    /// - Parameter contenders: What each does.
    /// - Returns: What came of each, in the same order.
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

    /// The same, of one contender several times.
    static func run<Value: Sendable>(_ count: Int, _ contender: @escaping @Sendable () async throws -> Value) async
        -> [Result<Value, any Error>]
    {
        await run(Array(repeating: contender, count: count))
    }

    /// What those returned who got what they wanted.
    static func winners<Value>(_ results: [Result<Value, any Error>]) -> [Value] {
        results.compactMap { try? $0.get() }
    }

    /// The codes of those who were refused.
    ///
    /// Another error than a refusal is its description, which no expectation equals.
    static func refusals<Value>(_ results: [Result<Value, any Error>]) -> [String] {
        results.compactMap { result in
            guard case .failure(let error) = result else { return nil }
            return (error as? AuthError)?.code.rawValue ?? "\(error)"
        }
    }
}

/// Opens once everybody is there.
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
    /// Two servers with one database, both of which hold every gap open.
    var servers: (one: Auth, other: Auth) { (Race.held(auth), Race.held(otherServer)) }

    /// A session as a server has it that was shown its token.
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

    /// Runs a race again and again, and sees that the rows are as they must be.
    ///
    /// What is wrong with rows stays wrong, so they are looked at after every tenth.
    func rounds(_ body: (Int) async throws -> Void) async throws {
        for round in 1...Race.rounds {
            try await body(round)
            guard round.isMultiple(of: 10) || round == Race.rounds else { continue }
            #expect(try await AccountInvariants.violations(in: otherStore) == [])
        }
    }
}
