// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation
import LoginCase
import Measuring

/// Measures the cost of a verification in one run, and prints a table with goals and one JSON line per row.
@main
struct LoginBenchmark {
    private static let turnMilliseconds = 2

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
        let bearer = try BearerCase()
        let verifications = try await measureVerifications(login, bearer, options)
        let others = try measureOthers(login, options)

        print("machine:  \(Machine.description); load at the beginning \(load)")
        print("OpenSSL:  \(Floor.openSSLVersion)")
        print("token:    \(login.token.utf8.count) bytes, RS256 with 2,048 bits, every claim of Facebook's")
        print("access:   \(bearer.tokens[0].utf8.count) bytes, RS256 with 2,048 bits, by RFC 9068; proofs with ES256")
        print("floor:    in C: one SHA-256 of what was signed and one RSA verification, contexts prepared")
        print(
            "method:   \(options.rounds) rounds; in each every row has a turn of \(turnMilliseconds) ms beside one of what it is"
        )
        print(
            "          divided by. value: the median of the quotients, of processor time for one thread, else of time"
        )
        print("          by the clock; us, beside: medians of the two times, which are this machine's in this hour")
        if let times, let now = ProcessorTimes.now() { print("steal:    \(now.sentence(since: times))") }
        print(
            "          rows of one thread took \(verifications.wallRatio) times as long by the clock as of the processors"
        )
        print("lasted:   \(Int(began.duration(to: .now) / .seconds(1))) s")
        print("")
        let sections = verifications.sections + others
        print(Table(sections).text)
        try report(sections.flatMap(\.rows), to: options.json)
    }

    /// Measures on one thread.
    ///
    /// All rows share the rounds, so that the machine's load affects each alike.
    private static func measureVerifications(
        _ login: LoginCase,
        _ bearer: BearerCase,
        _ options: Options
    ) async throws -> (sections: [Table.Section], wallRatio: String) {
        let floor = try login.floor()
        // Two signatures take at least 40 microseconds, and a few more turns precede the rounds.
        let proofs = (options.rounds + 10) * turnMilliseconds * 1000 / 40
        let groups: [(title: String, comparisons: [Comparison])] = [
            ("a good token, one thread", try login.verificationComparisons(floor)),
            ("a token verified before", try login.cacheComparisons(floor)),
            ("an access token, one thread", try bearer.comparisons(proofs: proofs)),
            ("a bad token, one thread, ÷ floor", try login.refusalComparisons(floor)),
            ("no token, explained, ÷ floor", login.explanationComparisons(floor)),
            ("keys", login.keyComparisons(floor)),
            ("another library", try await login.jwtKitComparisons()),
        ]
        let measured = try await measure(groups, options)
        // In rounds of their own: their megabytes would push the tokens of other rows out of the processor's caches.
        let largest = [("at the largest limits, one thread", try login.limitComparisons(floor))]
        let sections = measured.sections + (try await measure(largest, options).sections)
        return (sections, String(format: "%.2f", measured.wallRatio))
    }

    /// Measures groups of comparisons, in the same rounds.
    private static func measure(
        _ groups: [(title: String, comparisons: [Comparison])],
        _ options: Options
    ) async throws -> (sections: [Table.Section], wallRatio: Double) {
        let measured = try await Comparison.measure(
            groups.flatMap(\.comparisons),
            rounds: options.rounds,
            turn: .milliseconds(turnMilliseconds)
        )
        var rows = measured.rows[...]
        let sections = groups.map { group in
            defer { rows = rows.dropFirst(group.comparisons.count) }
            return Table.Section(title: group.title, rows: Array(rows.prefix(group.comparisons.count)))
        }
        return (sections, measured.wallRatio)
    }

    /// Measures with several threads and with other programs.
    private static func measureOthers(_ login: LoginCase, _ options: Options) throws -> [Table.Section] {
        let threads = ThreadRows(login, rounds: max(1, options.rounds / 4))
        let processes = try ProcessRows(login, options)
        let batch = try BatchRows(login, options, threads)
        var command = processes.measure() + (try batch.measure())
        if let peak = Machine.peakBytes {
            command.append(Row("this program, peak memory", amount: Double(peak) / 1_048_576, of: "MB"))
        }
        return [
            Table.Section(title: "two threads", rows: try threads.measure()),
            Table.Section(title: "heap and reading, counted", rows: AllocationRows.measure(in: options.directory)),
            Table.Section(title: "the command, release", rows: command),
        ]
    }

    private static func report(_ rows: [Row], to file: URL?) throws {
        let lines = try rows.map { try $0.json() }.joined(separator: "\n") + "\n"
        guard let file else { return print("\n" + lines, terminator: "") }
        try Data(lines.utf8).write(to: file)
        print("JSON lines: \(file.relativePath)")
    }
}
