// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation
import LoginAccounts

/// Many accounts in an empty store: compares sign-ins and session checks with those among 1,000 accounts, and measures
/// the size of an account.
///
/// The accounts are copies of one that the store has written itself, with two identities and one session. The database
/// copies the rows, so each has the shape of the original.
struct Load: Sendable {
    private let place: Workplace
    private let accounts: Int

    /// The numbers of accounts that can be measured.
    static let counts = 2_000...10_000_000

    /// The number of accounts at the first measurement, and of users in each measurement.
    private static let few = 1_000

    /// The maximum ratio of a median duration among all accounts to that among few.
    ///
    /// The 99th percentile is printed too. It depends on whether a checkpoint falls into the measurement.
    private static let goal = 1.3

    /// The number of accounts in a transaction.
    private static let batch = 10_000

    /// The time limit for copying the accounts.
    private static let patience = Duration.seconds(4 * 3600)

    /// The tables whose rows last as long as an account or a session, and the audit.
    private static let tables = [
        "login_account", "login_email", "login_identity", "login_identity_key", "login_session_family",
        "login_session", "login_audit",
    ]

    private static let template = "template"
    private static let operations = (signIn: "sign-in, known", check: "session check")

    init(_ place: Workplace, accounts: Int) {
        self.place = place
        self.accounts = accounts
    }

    /// Copies the accounts, measures, and prints the results, which do not decide whether the run succeeds.
    func run() async throws {
        try await addTemplate()
        try await copy(1...Self.few)
        let few = try await measure(among: Self.few)
        let before = try await place.bytes()
        let began = ContinuousClock.now
        try await copy(Self.few + 1...accounts)
        print("seconds to copy the accounts: \((ContinuousClock.now - began).components.seconds)")
        let size = (try await place.bytes() - before) / Int64(accounts - Self.few)
        report(few, try await measure(among: accounts), size: size)
    }

    private func report(_ few: Times, _ many: Times, size: Int64) {
        print("milliseconds among \(Self.few) accounts, among \(accounts), their ratio (goal for p50: \(Self.goal))")
        var isMet = true
        for operation in [Self.operations.signIn, Self.operations.check] {
            for part in [0.5, 0.99] {
                let first = few.percentile(part, of: operation) ?? 0
                let last = many.percentile(part, of: operation) ?? .infinity
                let name = "\(operation), p\(Int(part * 100))".padding(toLength: 24, withPad: " ", startingAt: 0)
                print(name, first.text, last.text, (last / first).text)
                isMet = isMet && (part > 0.5 || last <= first * Self.goal)
            }
        }
        print("bytes of an account with two identities, one session and its audit: \(size)")
        print(isMet ? "met" : "missed")
    }

    // MARK: - Accounts

    /// Adds the account to copy, and keeps its rows apart.
    private func addTemplate() async throws {
        let credential = try await place.credential(Self.template, Workplace.alpha)
        let created = try await place.auth.signIn(with: credential).get()
        let other = try await place.credential(Self.template, Workplace.beta, for: .link(created.session))
        _ = try await created.session.link(with: other)
        try await place.run(Self.tables.map { ("CREATE TABLE worker_\($0) AS SELECT * FROM \($0)", []) })
    }

    private func copy(_ numbers: ClosedRange<Int>) async throws {
        let end = ContinuousClock.now + Self.patience
        for first in stride(from: numbers.lowerBound, through: numbers.upperBound, by: Self.batch) {
            guard ContinuousClock.now < end else { throw WorkerError(description: "copying accounts took too long") }
            let last = min(first + Self.batch - 1, numbers.upperBound)
            let values = [first, last].map { StoreValue.integer(Self.offset + Int64($0)) }
            try await place.run(Self.tables.map { (Self.copies(of: $0), values) })
        }
        try place.settle()
    }

    /// The number before that of the first copy: all numbers have 13 digits.
    private static let offset: Int64 = 1_000_000_000_000

    /// Returns the subject of the user with a number.
    static func person(_ number: Int) -> String { "load-\(offset + Int64(number))" }

    /// Returns the statement that copies the template's rows of a table for the numbers `$1` to `$2`.
    ///
    /// An ID begins with a time, which is replaced by the number, so that IDs ascend as those of a server do.
    private static func copies(of table: String) -> String {
        let columns = StoreSchema.table(table).columns.map(\.name)
        let values = columns.map { column in
            switch column {
            case "subject", "email": "replace(\(column), '\(template)', 'load-' || number)"
            case "id",
                _ where column.hasSuffix("_id") && column != "provider_id":
                "substr(number, 2, 8) || '-' || substr(number, 10) || substr(\(column), 14)"
            default: column
            }
        }
        return """
            WITH RECURSIVE counter (n) AS (SELECT $1 UNION ALL SELECT n + 1 FROM counter WHERE n < $2),
                numbers (number) AS (SELECT CAST(n AS TEXT) FROM counter)
            INSERT INTO \(table) (\(columns.joined(separator: ", ")))
            SELECT \(values.joined(separator: ", ")) FROM numbers CROSS JOIN worker_\(table)
            """
    }

    // MARK: - Times

    /// Measures users that are evenly distributed among the first accounts.
    private func measure(among count: Int) async throws -> Times {
        let times = Times()
        let clock = ContinuousClock()
        var tokens: [String] = []
        for number in 1...Self.few {
            let credential = try await place.credential(Self.person(number * (count / Self.few)), Workplace.alpha)
            let began = clock.now
            let result = try await place.auth.signIn(with: credential).get()
            times.add(Self.operations.signIn, clock.now - began)
            guard !result.isNewUser else { throw WorkerError(description: "a copied account was not found") }
            tokens.append(result.tokens.sessionToken)
        }
        // The first request with a token also records that it was used.
        for token in tokens { _ = try await place.auth.session(token) }
        for token in tokens {
            let began = clock.now
            _ = try await place.auth.session(token)
            times.add(Self.operations.check, clock.now - began)
        }
        return times
    }
}
