// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import ArgumentParser

/// The content and the format of the report on a token or a proof.
struct ReportOptions: ParsableArguments {
    @Flag(help: "Show all checks, not only the failed one.")
    var explain = false

    @Flag(
        help:
            "Show the values of claims, and the profile of a Facebook user. Without it, claims are listed by name and type."
    )
    var showClaims = false

    @Option(help: "The format of the report. If the input cannot be read, both formats report it on standard error.")
    var format = ReportFormat.text

    /// Prints a report, and throws its exit status unless it is success.
    ///
    /// - Parameters:
    ///   - report: The report.
    ///   - notes: The notes on how the input was read.
    /// - Throws: `ExitCode`.
    func finish(_ report: VerificationReport, notes: [String]) throws {
        switch format {
        case .text: try show(report.text(explains: explain, notes: notes, palette: .forOutput))
        case .json: try show(report.json())
        }
        if let status = report.exitCode { throw status }
    }
}
#endif
