// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import ArgumentParser
internal import Foundation
internal import LimitedLogin
internal import LoginCrypto
internal import LoginServer
internal import LoginTokens

/// A report on one token or proof: the verdict, the checks, and the claims that may be shown.
struct VerificationReport {
    enum Verdict {
        case verified(ReportedContent)
        case refused(Refusal)
        case undecided(VerificationUnavailable)

        init(_ result: Result<ReportedContent, VerificationError>) {
            switch result {
            case .success(let content): self = .verified(content)
            case .failure(.refused(let refusal)): self = .refused(Refusal(refusal))
            case .failure(.undecided(let unavailable)): self = .undecided(unavailable)
            }
        }

        /// The word for the verdict.
        var name: String {
            switch self {
            case .verified: "verified"
            case .refused: "refused"
            case .undecided: "undecided"
            }
        }
    }

    /// A refusal by a verifier of the library, or by an expectation of the command.
    struct Refusal {
        let code: VerificationCode
        let message: String
        let publicMessage: String
        let recognizedAs: RecognizedInput?

        init(_ refusal: TokenRefusal) {
            code = refusal.code
            message = refusal.description
            publicMessage = refusal.publicMessage
            recognizedAs = refusal.recognizedAs
        }

        /// Creates the refusal of a proof.
        init(ofProof code: VerificationCode, _ detail: String) {
            self.code = code
            message = "proof refused: \(code): \(detail)"
            publicMessage = "\(code): \(code.explanation)"
            recognizedAs = nil
        }
    }

    let verdict: Verdict
    let checks: [CheckReport]
    /// The checks of the proof that was sent with a token.
    var proofChecks: [CheckReport] = []
    var keys: KeyOrigin?
    let showsClaims: Bool
    let hints: [String]
    /// The exit status if there are no keys.
    var failureStatus = ExitCode.undecided
    let time: Date

    /// The exit status of the command; nil for success.
    var exitCode: ExitCode? {
        switch verdict {
        case .verified: nil
        case .refused: .refused
        case .undecided: failureStatus
        }
    }

    private var profile: Profile? {
        if case .verified(let content) = verdict { content.profile } else { nil }
    }
}

// MARK: JSON

extension VerificationReport: Encodable {
    /// Returns the report as a JSON object on one line.
    func json() throws -> String {
        try encodedJSON(self, pretty: false)
    }

    private enum Key: CodingKey {
        case verdict, code, message, publicMessage, recognizedAs, keys, checks, proofChecks, claims, access, proof,
            profile, notes, hints, time, version
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(verdict.name, forKey: .verdict)
        switch verdict {
        case .verified(let content):
            try container.encodeNil(forKey: .code)
            try container.encode(content.summary, forKey: .message)
            try container.encodeNil(forKey: .publicMessage)
            try container.encodeNil(forKey: .recognizedAs)
            try container.encode(ClaimListing(claims: content.claims, showsClaims: showsClaims), forKey: .claims)
            try container.encodeIfPresent(content.access, forKey: .access)
            try container.encodeIfPresent(content.proof, forKey: .proof)
        case .refused(let refusal):
            try container.encode(refusal.code.rawValue, forKey: .code)
            try container.encode(refusal.message, forKey: .message)
            try container.encode(refusal.publicMessage, forKey: .publicMessage)
            try container.encode(refusal.recognizedAs?.rawValue, forKey: .recognizedAs)
            try container.encodeNil(forKey: .claims)
        case .undecided(let unavailable):
            try container.encode(unavailable.code.rawValue, forKey: .code)
            try container.encode(unavailable.description, forKey: .message)
            try container.encode(unavailable.publicMessage, forKey: .publicMessage)
            try container.encodeNil(forKey: .recognizedAs)
            try container.encodeNil(forKey: .claims)
        }
        try container.encode(keys, forKey: .keys)
        try container.encode(profile, forKey: .profile)
        if let profile { try container.encode(profile.notes.map(\.description), forKey: .notes) }
        try container.encode(hints, forKey: .hints)
        try container.encode(timestamp(time.timeIntervalSince1970), forKey: .time)
        try container.encode(VerifyToken.version, forKey: .version)
        try container.encode(CheckListing(checks: checks), forKey: .checks)
        if !proofChecks.isEmpty { try container.encode(CheckListing(checks: proofChecks), forKey: .proofChecks) }
    }
}

// MARK: Text

extension VerificationReport {
    /// Returns several lines, suitable for a bug report.
    ///
    /// - Parameters:
    ///   - explains: Whether to list all checks.
    ///   - notes: The notes on how the input was read.
    ///   - palette: The colors of the verdict and of the checks.
    /// - Returns: The report without a line break at the end.
    func text(explains: Bool, notes: [String], palette: Palette) -> String {
        var lines: [String] = []
        switch verdict {
        case .verified(let content):
            lines.append(palette.paint("verified", of: content.summary, .green))
        case .refused(let refusal):
            // The words name the thing that is refused: a token, a proof or a certificate.
            let words = String(refusal.message.prefix { $0 != ":" })
            lines.append(palette.paint(words, of: refusal.message, .red))
            lines.append("  message for the client: \(refusal.publicMessage)")
            lines += hints.map { "  hint: \($0)" }
        case .undecided(let unavailable):
            lines.append(palette.paint("undecided", of: unavailable.description, .yellow))
        }
        let notes = notes + (keys.map { ["keys: \($0.summary)"] } ?? [])
        if explains {
            lines += ["", "checks"] + checks.map { $0.line(palette) } + notes.map { "  note: \($0)" }
            if !proofChecks.isEmpty { lines += ["", "checks of the proof"] + proofChecks.map { $0.line(palette) } }
        } else if let keys, keys.staleBecause != nil {
            lines.append("  keys: \(keys.summary)")
        }
        if case .verified(let content) = verdict { lines += contentLines(content) }
        if let profile { lines += ["", "profile"] + profileLines(profile) }
        lines += ["", reportFooter(time)]
        return lines.joined(separator: "\n")
    }

    private func contentLines(_ content: ReportedContent) -> [String] {
        var lines: [String] = []
        if let access = content.access { lines += ["", "access"] + access.lines }
        if let proof = content.proof { lines += ["", "proof"] + proof.lines }
        let listing = ClaimListing(claims: content.claims, showsClaims: showsClaims)
        return lines + ["", showsClaims ? "claims" : "claims, by name and type (--show-claims shows them)"]
            + listing.lines
    }

    private func profileLines(_ profile: Profile) -> [String] {
        guard let json = try? encodedJSON(profile, pretty: true) else { return [] }
        var lines = json.split(separator: "\n").map { "  " + $0 }
        if let date = profile.imageURLExpirationDate {
            lines.append("  picture expires: \(timestamp(date.timeIntervalSince1970))")
        }
        return lines + profile.notes.map { "  note: \($0)" }
    }
}

/// Returns the last line of a report: the versions that made it, and its time.
func reportFooter(_ time: Date) -> String {
    "verify-token \(VerifyToken.version), \(openSSLVersion), checked at \(timestamp(time.timeIntervalSince1970))"
}

/// Checks for JSON, as an array of objects.
struct CheckListing: Encodable {
    let checks: [CheckReport]

    private enum Key: CodingKey {
        case check, outcome, detail
    }

    func encode(to encoder: any Encoder) throws {
        var list = encoder.unkeyedContainer()
        for check in checks {
            var item = list.nestedContainer(keyedBy: Key.self)
            try item.encode(check.check.rawValue, forKey: .check)
            try item.encode(check.outcome.rawValue, forKey: .outcome)
            try item.encode(check.detail, forKey: .detail)
        }
    }
}

extension CheckReport {
    func line(_ palette: Palette) -> String {
        let name = padded(check.rawValue, to: 18)
        let result = palette.paint(padded(outcome.rawValue, to: 8), outcome.color)
        return "  \(name) \(result) \(detail)"
    }
}

extension CheckReport.Outcome {
    fileprivate var color: Palette.Color {
        switch self {
        case .pass: .green
        case .fail: .red
        case .skipped: .faint
        }
    }
}

/// Returns a value as JSON for a terminal or a file.
///
/// Members are in alphabetical order, so that two runs can be compared. Characters that a terminal would obey are
/// escaped.
func encodedJSON(_ value: some Encodable, pretty: Bool) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    if pretty { encoder.outputFormatting.insert(.prettyPrinted) }
    let json = String(decoding: try encoder.encode(value), as: UTF8.self)
    // Line breaks come from the encoder, which escapes those in strings. All other characters escaped here are in
    // strings.
    return escaping(json, where: { $0 != "\n" && isObeyedByTerminals($0) }) { scalar in
        String(scalar).utf16.map { "\\u" + String(String(UInt32($0) | 0x10000, radix: 16).suffix(4)) }.joined()
    }
}
#endif
