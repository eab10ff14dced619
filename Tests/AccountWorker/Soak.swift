// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation
import LoginAccounts
import LoginTesting

/// Many clients for a while: measures each operation, compared with a bare transaction that writes as much as a sign-in,
/// and whether memory grows.
struct Soak: Sendable {
    private let place: Workplace
    private let clients: Int
    private let duration: Duration
    private let accounts: Int?
    private let times = Times()

    /// The maximum ratio of a sign-in with a known login to a bare transaction with the same writes.
    private static let signInGoal = 2.0

    /// The numbers of rows that such a sign-in updates and inserts.
    private static let (updates, inserts) = (4, 4)

    /// The number of visits for each user who runs all operations, and for each bare transaction.
    private static let visits = 20

    /// The maximum ratio of memory in the last quarter to that in the second.
    private static let memoryGoal = 1.05

    /// The minimum duration after which memory no longer grows to what the clients need.
    private static let longEnough = Duration.seconds(600)

    /// Creates a run.
    ///
    /// - Parameters:
    ///   - place: The accounts.
    ///   - clients: The number of clients.
    ///   - duration: The duration of their work.
    ///   - accounts: The number of accounts that ``Load`` has written, whose users work too; nil for none. Then the
    ///     content of the store is too large to check it at the end.
    init(_ place: Workplace, clients: Int, duration: Duration, among accounts: Int? = nil) {
        self.place = place
        self.clients = clients
        self.duration = duration
        self.accounts = accounts
    }

    /// Runs the clients, and prints the results.
    ///
    /// - Returns: Whether every invariant holds, and memory did not grow in a run that was long enough. Times never
    ///   decide.
    func run() async throws -> Bool {
        try await prepareFloor()
        let bytes = try await place.bytes()
        let began = ContinuousClock().now
        let end = began + duration
        let memory = try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<clients {
                group.addTask {
                    var client = Client(place, times: times, name: "soak-\(UUID().uuidString)-\(number)")
                    var visitor = accounts.map { Visitor(place, times, among: $0) }
                    var rows: [String] = []
                    while ContinuousClock().now < end {
                        for _ in 0..<Self.visits { try await visitor?.visit() }
                        try await client.liveOnce()
                        rows = try await writeBare(updating: rows)
                    }
                }
            }
            group.addTask { try await sweep(until: end) }
            var samples: [Int] = []
            while ContinuousClock().now < end {
                try await Task.sleep(for: .milliseconds(500))
                samples.append(try residentKibibytes())
            }
            try await group.waitForAll()
            return samples
        }
        let elapsed = ContinuousClock().now - began
        let growth = try await place.bytes() - bytes
        return report(
            memory,
            accounts == nil ? try await AccountInvariants.violations(in: place.store) : nil,
            elapsed: elapsed,
            growth: growth
        )
    }

    /// Sweeps the store every ten seconds, more often than a server.
    private func sweep(until end: ContinuousClock.Instant) async throws {
        let clock = ContinuousClock()
        while clock.now < end {
            let began = clock.now
            _ = try await place.auth.sweep()
            times.add("sweep", clock.now - began)
            try await clock.sleep(until: min(began + .seconds(10), end))
        }
    }

    private func report(_ memory: [Int], _ found: [String]?, elapsed: Duration, growth bytes: Int64) -> Bool {
        let violations = found ?? []
        reportTimes(elapsed)
        print("tables and indexes grew by \(bytes >> 20) MiB")
        let bare = times.percentile(0.5, of: Self.floorName) ?? 0
        let ratio = (times.percentile(0.5, of: "sign-in, known") ?? .infinity) / bare
        let quarter = memory.count / 4
        let second = memory[quarter..<2 * quarter].max() ?? 1
        let last = memory[(3 * quarter)...].max() ?? 0
        let growth = Double(last) / Double(second)
        print("sign-in, known / bare transaction with the same writes: \(ratio.text) (goal: \(Self.signInGoal))")
        print("memory of the last quarter / the second: \(growth.text) (goal: \(Self.memoryGoal)); \(last) KiB")
        print(found == nil ? "invariants: not checked" : "invariants: \(violations.count) violations")
        for violation in violations.prefix(10) { print("  " + violation) }
        print(ratio <= Self.signInGoal && growth <= Self.memoryGoal && violations.isEmpty ? "met" : "missed")
        return violations.isEmpty && (growth <= Self.memoryGoal || duration < Self.longEnough)
    }

    /// Prints the number of each operation, its rate, p50 and p99 in milliseconds, and p50 divided by that of the bare
    /// transaction.
    private func reportTimes(_ elapsed: Duration) {
        let seconds = elapsed / .seconds(1)
        let among = accounts.map { " among \($0) accounts" } ?? ""
        print("\(clients) clients\(among), \(seconds.text.trimmingCharacters(in: .whitespaces)) seconds")
        let titles = ["number", "per s", "p50 ms", "p99 ms", "÷ bare"].map { $0.leftPadded(9) }
        print("".padding(toLength: 24, withPad: " ", startingAt: 0), titles.joined(separator: " "))
        let bare = times.percentile(0.5, of: Self.floorName) ?? 0
        for (operation, count) in times.counts {
            let (p50, p99) = (times.percentile(0.5, of: operation) ?? 0, times.percentile(0.99, of: operation) ?? 0)
            let columns = ["\(count)".leftPadded(9)] + [Double(count) / seconds, p50, p99, p50 / bare].map(\.text)
            print(operation.padding(toLength: 24, withPad: " ", startingAt: 0), columns.joined(separator: " "))
        }
        let counted = times.counts.filter { !["sweep", Self.floorName].contains($0.operation) }
        let operations = counted.map { $0.count }.reduce(0, +)
        // POSIX defines the unit of `clock` as a microsecond.
        let processor = Double(clock()) / 1_000_000
        print("operations in a second: \((Double(operations) / seconds).text)")
        print("processors that this process used: \((processor / seconds).text)")
    }

    private static let floorName = "bare transaction"

    private func prepareFloor() async throws {
        // In PostgreSQL, processes that create the table at the same time would conflict.
        let locks: [(String, [StoreValue])] = place.isPostgreSQL ? [("SELECT pg_advisory_xact_lock(1)", [])] : []
        let table = "CREATE TABLE IF NOT EXISTS worker_floor (id TEXT PRIMARY KEY, text TEXT NOT NULL)"
        try await place.run(locks + [(table, [])])
    }

    /// Updates rows by key and inserts as many, in one transaction: the minimum cost of the writes of a sign-in.
    ///
    /// - Parameter rows: The rows that the client has inserted before; none at first, which is not measured.
    /// - Returns: The inserted rows.
    /// - Throws: The errors of the store.
    private func writeBare(updating rows: [String]) async throws -> [String] {
        let new = (0..<Self.inserts).map { _ in UUID().uuidString }
        let statements =
            rows.prefix(Self.updates).map { id in
                ("UPDATE worker_floor SET text = $1 WHERE id = $2", [.text(UUID().uuidString), .text(id)])
            }
            + new.map { id -> (String, [StoreValue]) in
                ("INSERT INTO worker_floor (id, text) VALUES ($1, $2)", [.text(id), .text("bare")])
            }
        let clock = ContinuousClock()
        let began = clock.now
        try await place.run(statements)
        if !rows.isEmpty { times.add(Self.floorName, clock.now - began) }
        return new
    }

    private func residentKibibytes() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") }),
            let value = line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int($0) })
        else { throw WorkerError(description: "the system does not say how much memory is used") }
        return value
    }
}

extension String {
    fileprivate func leftPadded(_ width: Int) -> String { String(repeating: " ", count: max(0, width - count)) + self }
}
