// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginAccounts

// Checks of whole transactions, and of concurrent ones.
extension AccountStoreContract {
    private typealias Rows = ContractRows

    private struct Refused: Error {}

    @Sendable static func checkAtomicity(_ run: ContractRun) async throws {
        try await run.transaction { rows in
            for count: Int64 in 1...3 { _ = try rows.insert(Rows.budget("\(count)", count), into: Rows.budget) }
        }
        do {
            try await run.transaction { rows in
                _ = try rows.insert(Rows.budget("4", 4), into: Rows.budget)
                _ = try rows.update(Rows.budget, set: [Rows.count.grows(by: 1)], where: [Rows.key.equals("1")])
                _ = try rows.update(Rows.budget, set: [Rows.key.becomes("5")], where: [Rows.key.equals("2")])
                _ = try rows.delete(from: Rows.budget, where: [Rows.key.equals("3")])
                let seen = try rows.select(from: Rows.budget, where: [], order: .ascending(Rows.key), limit: nil)
                run.expect(
                    seen.map { $0[Rows.count] } == [.integer(2), .integer(4), .integer(2)],
                    "a transaction sees its own writes"
                )
                throw Refused()
            }
            run.note("violated: a transaction rethrows the error of its body")
        } catch {
            run.expect(error is Refused, "a transaction rethrows the error of its body unchanged")
        }
        run.expect(try await counts(run) == ["1": 1, "2": 2, "3": 3], "a transaction whose body throws writes nothing")
        let free = try await run.transaction { rows in
            try rows.insert(Rows.budget("4", 4), into: Rows.budget) && !rows.insert(Rows.budget("2"), into: Rows.budget)
        }
        run.expect(free, "a transaction whose body throws takes no keys")
    }

    @Sendable static func checkSwallowedErrors(_ run: ContractRun) async throws {
        await run.expectRefusal(
            .constraint,
            "a transaction throws if one of its operations threw, even if the body caught the error"
        ) { rows in
            _ = try rows.insert(Rows.budget("a"), into: Rows.budget)
            _ = try? rows.insert(StoreRow(), into: Rows.budget)
            return 1
        }
        run.expect(try await counts(run).isEmpty, "a transaction in which an operation threw writes nothing")
    }

    @Sendable static func checkCancellation(_ run: ContractRun) async throws {
        for round in 0..<10 {
            let outcome = await withTaskGroup(of: Bool.self) { group in
                group.addTask {
                    do {
                        try await run.transaction { rows in
                            _ = try rows.insert(Rows.budget("a\(round)"), into: Rows.budget)
                            ContractRun.linger()
                            _ = try rows.insert(Rows.budget("b\(round)"), into: Rows.budget)
                        }
                        return true
                    } catch {
                        return false
                    }
                }
                if round % 2 == 0 { ContractRun.linger() }
                group.cancelAll()
                return await group.next() ?? false
            }
            let kept = try await counts(run).keys.count { $0.hasSuffix("\(round)") }
            run.expect(
                kept == 0 || kept == 2,
                "a transaction whose task is cancelled is committed completely or not at all"
            )
            run.expect(!outcome || kept == 2, "the writes of a transaction that returned are committed")
        }
    }

    @Sendable static func checkCounting(_ run: ContractRun) async throws {
        _ = try await run.transaction { try $0.insert(Rows.budget("a"), into: Rows.budget) }
        _ = try await run.atOnce(40) { _ in
            try await run.transaction { rows in
                let count = try rows.update(
                    Rows.budget,
                    set: [Rows.count.grows(by: 1)],
                    where: [Rows.key.equals("a")]
                ).count
                ContractRun.linger()
                return count
            }
        }
        run.expect(try await counts(run)["a"] == 40, "no concurrent update is lost")
        let firsts = try await run.atOnce(20) { index in
            try await run.transaction { try $0.insert(Rows.budget("b", Int64(index)), into: Rows.budget) }
        }
        run.expect(firsts.count { $0 } == 1, "of concurrent insertions of a key, exactly one succeeds")
    }

    @Sendable static func checkConsuming(_ run: ContractRun) async throws {
        for round: UInt8 in 0..<10 {
            _ = try await run.transaction { rows in
                try rows.insert(Rows.attempt([round]), into: Rows.attempt)
                    && rows.insert(Rows.budget("\(round)"), into: Rows.budget)
            }
            let marked = try await run.atOnce(8) { index in
                try await run.transaction { rows in
                    let found = try rows.select(from: Rows.attempt, where: [Rows.usedAt.isNull], order: nil, limit: nil)
                    ContractRun.linger()
                    return try rows.update(
                        Rows.attempt,
                        set: [Rows.usedAt.becomes(Int64(index))],
                        where: [Rows.hash.equals([round]), Rows.usedAt.isNull]
                    ).count * (found.isEmpty ? 100 : 1)
                }
            }
            run.expect(marked.reduce(0, +) == 1, "of concurrent conditional updates, exactly one succeeds")
            let removed = try await run.atOnce(8) { _ in
                try await run.transaction { rows in
                    _ = try rows.select(from: Rows.budget, where: [], order: nil, limit: nil)
                    ContractRun.linger()
                    return try rows.delete(from: Rows.budget, where: [Rows.key.equals("\(round)")]).count
                }
            }
            run.expect(removed.reduce(0, +) == 1, "of concurrent deletions of a row, exactly one succeeds")
        }
    }

    /// Checks row locks: each transaction finds two rows and would delete one, but one row must remain.
    @Sendable static func checkLock(_ run: ContractRun) async throws {
        for round in 0..<10 {
            try await run.transaction { rows in
                for name in ["lock", "x", "y"] {
                    _ = try rows.insert(Rows.budget("\(round)\(name)", 1), into: Rows.budget)
                }
            }
            let taken = try await run.atOnce(4) { index in
                let own = index % 2 == 0 ? "x" : "y"
                return try await run.transaction { rows in
                    _ = try rows.update(
                        Rows.budget,
                        set: [Rows.count.grows(by: 1)],
                        where: [Rows.key.equals("\(round)lock")]
                    )
                    let left = try ["x", "y"].filter { name in
                        try !rows.select(
                            from: Rows.budget,
                            where: [Rows.key.equals("\(round)\(name)")],
                            order: nil,
                            limit: 1
                        ).isEmpty
                    }
                    ContractRun.linger()
                    guard left.count > 1 else { return 0 }
                    return try rows.delete(from: Rows.budget, where: [Rows.key.equals("\(round)\(own)")]).count
                }
            }
            run.expect(
                taken.reduce(0, +) == 1,
                "a changed row is locked until the end of the transaction"
            )
        }
        _ = try await run.transaction { try $0.insert(Rows.budget("sum"), into: Rows.budget) }
        _ = try await run.atOnce(20) { _ in
            try await run.transaction { rows in
                let found = try rows.update(
                    Rows.budget,
                    set: [Rows.count.grows(by: 0)],
                    where: [Rows.key.equals("sum")]
                )
                ContractRun.linger()
                let next = (found.first.map { integer($0[Rows.count]) } ?? 0) + 1
                _ = try rows.update(Rows.budget, set: [Rows.count.becomes(next)], where: [Rows.key.equals("sum")])
            }
        }
        run.expect(
            try await counts(run)["sum"] == 20,
            "after it obtained the lock of a row, a transaction sees the committed values of others"
        )
    }
}
