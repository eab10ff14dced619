// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import ArgumentParser

/// The counts of the verdicts that were written.
struct BatchSummary: Sendable {
    private(set) var lines = 0
    private var counts: [BatchVerdict: Int] = [:]

    mutating func count(_ verdicts: ArraySlice<BatchVerdict>) {
        lines += verdicts.count
        for verdict in verdicts { counts[verdict, default: 0] += 1 }
    }

    /// Returns the number of verdicts with a name.
    private func count(_ name: String) -> Int {
        counts.reduce(0) { $1.key.name == name ? $0 + $1.value : $0 }
    }

    /// The exit status of a run that was not stopped; nil for success.
    ///
    /// A single undecided line makes the status 2, whatever the other verdicts: status 1 means that every line was
    /// decided.
    var exitCode: ExitCode? {
        if count("undecided") > 0 { return .undecided }
        return count("refused") > 0 ? .refused : nil
    }

    /// Returns a line with the totals, a line for each code, the most frequent first, and a line with the time.
    ///
    /// - Parameters:
    ///   - end: The reason why the run was stopped; nil for the end of the input.
    ///   - time: The duration of the run.
    ///   - notes: Further lines.
    /// - Returns: The text without a line break at the end.
    func text(stoppedBy end: String?, time: Duration, notes: [String]) -> String {
        let sums = ["verified", "refused", "undecided"].map { "\(count($0)) \($0)" }.joined(separator: ", ")
        let title = "\(lines) \(lines == 1 ? "line" : "lines"): \(sums)\(end.map { "; STOPPED: \($0)" } ?? "")"
        let rows = counts.compactMap { verdict, count in verdict.code.map { (code: $0, count: count) } }
            .sorted { ($1.count, $0.code) < ($0.count, $1.code) }
        let width = rows.map { String($0.count).count }.max() ?? 0
        let codes = rows.map { row in
            "  " + String(repeating: " ", count: width - String(row.count).count) + "\(row.count) \(row.code)"
        }
        let seconds = time.seconds
        let rate = seconds > 0 ? Int(Double(lines) / seconds) : 0
        let pace = "  in \(shown(seconds)), \(rate) lines per second"
        return ([title] + codes + [pace] + notes.map { "  \($0)" }).joined(separator: "\n")
    }
}

extension Duration {
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}

/// Returns a duration in seconds, minutes or hours, for a person to read.
func shown(_ seconds: Double) -> String {
    let whole = Int(seconds.rounded())
    if seconds < 60 { return "\((seconds * 10).rounded() / 10) s" }
    if whole < 3600 { return "\(whole / 60) min \(whole % 60) s" }
    return "\(whole / 3600) h \(whole % 3600 / 60) min"
}
#endif
