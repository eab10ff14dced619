// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation
import LoginCase
import Measuring

/// Measures what a verification costs, in one run, and prints a table with goals and a JSON line for each row.
@main
struct LoginBenchmark {
    private static let turn: Duration = .milliseconds(2)

    static func main() async throws {
        guard let options = Options(Array(CommandLine.arguments.dropFirst())) else {
            print(Options.usage)
            exit(64)
        }
        try FileManager.default.createDirectory(at: options.directory, withIntermediateDirectories: true)
        let began = ContinuousClock.now
        let times = ProcessorTimes.now()
        let load = Machine.load
        let login = try LoginCase()
        let sections = try await measure(login, options)

        print("machine:  \(Machine.description); load at the beginning \(load)")
        print("OpenSSL:  \(Floor.openSSLVersion)")
        print("token:    \(login.token.utf8.count) bytes, RS256 with 2,048 bits, every claim of Facebook's")
        print("floor:    in C: one SHA-256 of what was signed and one RSA verification, contexts prepared")
        print(
            "method:   \(options.rounds) rounds; in each every row has a turn of \(turn) beside one of what it is divided by;"
        )
        print("          value: the median of the quotients; us: medians of the times, which are this machine's")
        if let times, let now = ProcessorTimes.now() { print("steal:    \(now.sentence(since: times))") }
        print("lasted:   \(Int(began.duration(to: .now) / .seconds(1))) s")
        print("")
        print(Table(sections).text)
        try report(sections.flatMap(\.rows), to: options.json)
    }

    /// Everything, in the order of the table.
    private static func measure(_ login: LoginCase, _ options: Options) async throws -> [(title: String, rows: [Row])] {
        let floor = try login.floor()
        let groups: [(title: String, comparisons: [Comparison])] = [
            ("a good token, one thread", login.verificationComparisons(floor)),
            ("a token verified before", try login.cacheComparisons(floor)),
            ("a bad token, one thread, ÷ floor", try login.refusalComparisons(floor)),
            ("keys", login.keyComparisons(floor)),
            ("another library", try await login.jwtKitComparisons()),
        ]
        // All groups share the rounds, so that each row sees the same weather.
        var rows = try await Comparison.measure(groups.flatMap(\.comparisons), rounds: options.rounds, turn: turn)[...]
        var sections = groups.map { group in
            defer { rows = rows.dropFirst(group.comparisons.count) }
            return (title: group.title, rows: Array(rows.prefix(group.comparisons.count)))
        }
        let threads = ThreadRows(login, rounds: max(1, options.rounds / 4))
        sections.append(("two threads", try threads.measure()))
        sections.append(("heap and reading, counted", AllocationRows.measure(in: options.directory)))
        let processes = try ProcessRows(
            login,
            floor,
            program: options.program,
            directory: options.directory,
            rounds: options.rounds
        )
        let batch = try BatchRows(
            login,
            program: options.program,
            directory: options.directory,
            tokens: options.batchTokens,
            threads: threads
        )
        // What starts a program passes its own peak memory on to it, so that is told before.
        let peak = Machine.peakBytes.map { Row("this program, peak memory", amount: Double($0) / 1_048_576, of: "MB") }
        sections.append(
            ("the command, release", processes.measure() + (try batch.measure()) + (peak.map { [$0] } ?? []))
        )
        return sections
    }

    private static func report(_ rows: [Row], to file: URL?) throws {
        let lines = try rows.map { try $0.json() }.joined(separator: "\n") + "\n"
        guard let file else { return print("\n" + lines, terminator: "") }
        try Data(lines.utf8).write(to: file)
        print("JSON lines: \(file.relativePath)")
    }
}
