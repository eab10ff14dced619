// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText

/// How often something may be done within a while, by everybody who asks with the same name.
struct Budget: Sendable {
    /// What is counted: a name of ours.
    var purpose: String

    /// Who is counted: an address, a number, an ID; empty for all together.
    ///
    /// Only a keyed hash of it is kept.
    var subject: String = ""

    /// How often.
    var limit: Int

    /// Within which time, which begins with the first.
    var window: Duration

    /// The reason of the error once it is used up, by the time to wait.
    var reason: @Sendable (Duration) -> AuthError.Reason = { .tooManyRequests(retryAfter: $0) }
}

extension [Budget] {
    /// The budget of a network; none where it is not known from where a request came.
    static func network(
        _ purpose: String,
        _ origin: RequestOrigin?,
        limit: Int,
        window: Duration
    ) -> Self {
        guard let prefix = origin?.addressPrefix else { return [] }
        return [Budget(purpose: purpose, subject: prefix, limit: limit, window: window)]
    }
}

extension AccountTransaction {
    /// Takes one from each budget; from none where one of them is used up.
    ///
    /// They are rows, which every server counts down, and are taken in one order, so that two who need the same do not wait for
    /// each other. An account is locked before, for the same reason.
    ///
    /// - Throws: ``AuthError``: the budget's code, with the time to wait.
    func spend(_ budgets: Budget...) throws { try spend(budgets) }

    /// The same.
    func spend(_ budgets: [Budget]) throws {
        let named = budgets.map { (key: key(of: $0), budget: $0) }
        for (key, budget) in named.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            guard let endsAt = try spendOne(of: budget, key: key) else { continue }
            throw AuthError(
                budget.reason(.milliseconds(max(endsAt.milliseconds - now.milliseconds, 0))),
                "the budget for \(budget.purpose) is used up: \(budget.limit) within \(budget.window)"
            )
        }
    }

    /// Takes one from a budget.
    ///
    /// - Returns: Whether there was one left.
    /// - Throws: ``StoreError``
    func take(_ budget: Budget) throws -> Bool { try spendOne(of: budget, key: key(of: budget)) == nil }

    /// Gives back what a budget was for, as if it had never been used.
    func refill(_ budget: Budget) throws {
        try delete(BudgetRecord.self, where: BudgetRecord.Column.key.equals(key(of: budget)))
    }

    /// Gives back one of each, which what was asked for has turned out not to cost.
    func giveBack(_ budgets: [Budget]) throws {
        typealias Column = BudgetRecord.Column
        for key in budgets.map({ key(of: $0) }).sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
            try update(
                BudgetRecord.self,
                set: Column.count.grows(by: -1),
                where: Column.key.equals(key),
                Column.endsAt.isAfter(now),
                Column.count.isGreater(than: 0)
            )
        }
    }

    /// Takes one.
    ///
    /// - Returns: Nil; where there is none left, when there will be.
    private func spendOne(of budget: Budget, key: String) throws -> StoreTime? {
        typealias Column = BudgetRecord.Column
        guard budget.limit > 0 else { return now + budget.window }
        // The second time around, where somebody else began the while in between.
        for _ in 1...2 {
            let counted: [BudgetRecord] = try update(
                set: Column.count.grows(by: 1),
                where: Column.key.equals(key),
                Column.endsAt.isAfter(now),
                Column.count.isLess(than: Int64(budget.limit))
            )
            if !counted.isEmpty { return nil }
            let begun: [BudgetRecord] = try update(
                set: Column.count.becomes(1),
                Column.endsAt.becomes(now + budget.window),
                where: Column.key.equals(key),
                Column.endsAt.isAtMost(now.milliseconds)
            )
            if !begun.isEmpty { return nil }
            if try insert(BudgetRecord(key: key, count: 1, endsAt: now + budget.window)) { return nil }
        }
        let spent: BudgetRecord? = try first(where: Column.key.equals(key))
        return spent?.endsAt ?? now + budget.window
    }

    private func key(of budget: Budget) -> String {
        guard !budget.subject.isEmpty else { return budget.purpose }
        // By the oldest key: a new one must not give everybody their guesses back.
        guard let code = auth.secrets.authenticationCodes(of: budget.subject.utf8, purpose: "budget").last else {
            return budget.purpose
        }
        return budget.purpose + ":" + Base64URL.encode(code.prefix(16))
    }
}
