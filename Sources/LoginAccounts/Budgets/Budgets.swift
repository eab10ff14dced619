// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText

/// The steps that count operations against budgets, which all servers share.
struct Budgets {
    let budgets: BudgetTable
    let context: TransactionContext

    /// Takes one from each budget.
    ///
    /// If one of them is used up, it takes from none.
    ///
    /// Budgets are taken in a fixed order, and after an account is locked, to avoid deadlocks.
    ///
    /// - Throws: ``AuthError``: the budget's code, with the time to wait.
    func spend(_ budgets: Budget...) throws { try spend(budgets) }

    /// Takes one from each budget; see ``spend(_:)``.
    func spend(_ budgets: [Budget]) throws {
        let named = budgets.map { (key: key(of: $0), budget: $0) }
        for (key, budget) in named.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            guard let endsAt = try count(budget, key: key) else { continue }
            throw AuthError(
                budget.reason(.milliseconds(max(endsAt.milliseconds - context.now.milliseconds, 0))),
                "rate limit exceeded for \(budget.purpose): \(budget.limit) within \(budget.window)"
            )
        }
    }

    /// Takes one from a budget.
    ///
    /// - Returns: Whether there was one left.
    /// - Throws: ``StoreError``
    func take(_ budget: Budget) throws(StoreError) -> Bool { try count(budget, key: key(of: budget)) == nil }

    /// Refills a budget, as if it had never been used.
    func refill(_ budget: Budget) throws(StoreError) { try budgets.remove(key(of: budget)) }

    /// Returns one to each budget, for an operation that turned out to be free.
    func giveBack(_ budgets: [Budget]) throws(StoreError) {
        for key in budgets.map({ key(of: $0) }).sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
            try self.budgets.giveBack(key, at: context.now)
        }
    }

    /// Takes one from the budgets of messages to a phone number.
    ///
    /// They are counted by the number, so that restarting an enrollment does not permit further messages. Messages that
    /// anyone can request for any number are counted separately from those that require the first factor: otherwise an
    /// attacker could block the codes of a user's second factor. Requests from known networks are counted separately
    /// too, so that requests from elsewhere do not keep a user from signing in.
    ///
    /// - Parameters:
    ///   - number: The number.
    ///   - purpose: The purpose of the message.
    ///   - origin: The origin of the request.
    ///   - isKnown: Whether the account that signs in with the number knows the network of the request.
    /// - Throws: ``AuthError``: `quota-exceeded`, with the time to wait.
    func spendMessage(
        to number: PhoneNumber,
        for purpose: PhoneCodeMessage.Purpose,
        from origin: RequestOrigin?,
        isKnown: Bool = false
    ) throws {
        let kind = purpose == .secondFactor ? "phone.factor" : "phone"
        let share = isKnown ? "known" : "anywhere"
        let policy = context.policy.factors
        let (hour, day) = (Duration.seconds(3600), Duration.seconds(86_400))
        // The holder of the first factor may request a code from any network.
        let here = purpose == .secondFactor ? number.text : "\(number.text) \(origin?.addressPrefix ?? "")"
        let hourly = max(policy.sendsPerNumberFromAnywhere, policy.sendsPerNumberAndHour)
        let daily = max(policy.sendsPerNumberAndDay, hourly)
        var budgets = [
            Budget(purpose: "\(kind).resend", subject: here, limit: 1, window: policy.resendInterval),
            Budget(purpose: "\(kind).number", subject: here, limit: policy.sendsPerNumberAndHour, window: hour),
            Budget(purpose: "\(kind).\(share)", subject: number.text, limit: hourly, window: hour),
            Budget(purpose: "\(kind).\(share).day", subject: number.text, limit: daily, window: day),
            Budget(purpose: "\(kind).all", limit: policy.sendsPerHour, window: hour),
        ]
        budgets += .network("\(kind).address", origin, limit: policy.sendsPerAddressAndHour, window: hour)
        for index in budgets.indices { budgets[index].reason = { .quotaExceeded(retryAfter: $0) } }
        try spend(budgets)
    }

    /// Counts one operation, and returns the end of the window if the budget is used up.
    private func count(_ budget: Budget, key: String) throws(StoreError) -> StoreTime? {
        guard budget.limit > 0 else { return context.now + budget.window }
        return try budgets.count(key, limit: budget.limit, window: budget.window, at: context.now)
    }

    private func key(of budget: Budget) -> String {
        guard !budget.subject.isEmpty else { return budget.purpose }
        // The oldest key is used, so that adding a key does not reset the budgets.
        guard let code = context.secrets.authenticationCodes(of: budget.subject.utf8, purpose: "budget").last else {
            return budget.purpose
        }
        return budget.purpose + ":" + Base64URL.encode(code.prefix(16))
    }
}

/// The maximum number of operations of one kind within a window.
struct Budget: Sendable {
    /// The kind of operation.
    var purpose: String

    /// The subject that is counted: an address, a number, an ID; empty to count all together.
    ///
    /// The store has only an HMAC of it.
    var subject: String = ""

    /// The maximum number of operations.
    var limit: Int

    /// The length of the window, which begins with the first operation.
    var window: Duration

    /// The error's reason if the budget is used up, from the time to wait.
    var reason: @Sendable (Duration) -> AuthError.Reason = { .tooManyRequests(retryAfter: $0) }
}

extension [Budget] {
    /// Returns the budget of a network; none if the network of the request is unknown.
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
