// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine && HTTPClient
internal import ArgumentParser
internal import Foundation
internal import LoginServer
internal import LoginTokens

/// A report on an issuer: a line for each check.
struct DiagnosisReport {
    let findings: [IssuerDiagnosis.Finding]
    /// The issuer, as the user named it.
    let issuer: String
    /// The name of a known provider; nil for an issuer.
    let provider: String?
    let time: Date
    /// The things that were not checked.
    let unchecked: [String]

    private var verdict: IssuerDiagnosis.Verdict { IssuerDiagnosis.Verdict(of: findings) }

    /// The exit status of the command; nil for success.
    var exitCode: ExitCode? {
        switch verdict {
        case .ok: nil
        case .failed: .refused
        case .unreachable: .undecided
        }
    }
}

// MARK: Text

extension DiagnosisReport {
    /// Returns a line for each check, after a title.
    ///
    /// - Parameter palette: The colors of the outcomes.
    /// - Returns: The report without a line break at the end.
    func text(palette: Palette) -> String {
        let title = "\(provider ?? ShownArgument(issuer).description): \(summary)"
        let rest = ["", "Not checked:"] + unchecked.map { "  - \($0)" }
        return ([title, ""] + findings.map { $0.line(palette) } + rest + ["", reportFooter(time)])
            .joined(separator: "\n")
    }

    private var summary: String {
        switch verdict {
        case .ok: findings.contains { $0.outcome == .warning } ? "works, with warnings" : "works"
        case .failed: "does not work"
        case .unreachable: "could not be reached, try again"
        }
    }
}

extension IssuerDiagnosis.Finding {
    fileprivate func line(_ palette: Palette) -> String {
        let result = palette.paint(padded(outcome.rawValue, to: 8), outcome.color)
        return "  \(result) \(padded(check.rawValue, to: 21)) \(printable(detail))" + (advice.map { " \($0)" } ?? "")
    }
}

extension IssuerDiagnosis.Outcome {
    fileprivate var color: Palette.Color {
        switch self {
        case .ok: .green
        case .warning: .yellow
        case .failed: .red
        }
    }
}

// MARK: JSON

extension DiagnosisReport: Encodable {
    private enum Key: CodingKey {
        case verdict, issuer, provider, checks, notChecked, time, version
    }

    private enum CheckKey: CodingKey {
        case check, outcome, detail, advice
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(verdict.rawValue, forKey: .verdict)
        let shownIssuer: String? = ShownArgument(issuer).isWithheld ? nil : issuer
        try container.encode(shownIssuer, forKey: .issuer)
        try container.encode(provider, forKey: .provider)
        try container.encode(timestamp(time.timeIntervalSince1970), forKey: .time)
        try container.encode(VerifyToken.version, forKey: .version)
        try container.encode(unchecked, forKey: .notChecked)
        var list = container.nestedUnkeyedContainer(forKey: .checks)
        for finding in findings {
            var item = list.nestedContainer(keyedBy: CheckKey.self)
            try item.encode(finding.check.rawValue, forKey: .check)
            try item.encode(finding.outcome.rawValue, forKey: .outcome)
            try item.encode(finding.detail, forKey: .detail)
            try item.encode(finding.advice, forKey: .advice)
        }
    }
}
#endif
