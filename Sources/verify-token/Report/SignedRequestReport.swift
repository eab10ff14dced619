// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import Foundation
internal import LimitedLogin
internal import LoginCrypto
internal import LoginServer
internal import LoginTokens

/// A report on one signed request: the verdict, the checks, and the members that may be shown.
struct SignedRequestReport {
    let verdict: Result<SignedRequest, SignedRequestRefusal>
    let app: String
    let checks: [CheckReport]
    let showsClaims: Bool
    let time: Date

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
        case .success: lines.append(palette.paint("verified", of: message, .green))
        case .failure: lines.append(palette.paint("signed request refused", of: message, .red))
        }
        if explains { lines += ["", "checks"] + checks.map { $0.line(palette) } + notes.map { "  note: \($0)" } }
        if case .success(let request) = verdict {
            lines += ["", showsClaims ? "members" : "members, by name and type (--show-claims shows them)"]
            lines += request.names.map { "  \(padded(printable($0), to: 18)) \(line(request, $0))" }
            lines += request.notes.map { "  note: \($0)" }
        }
        lines += ["", reportFooter(time)]
        return lines.joined(separator: "\n")
    }

    private var message: String {
        switch verdict {
        case .success(let request):
            let whom = request.userID.map { "user \(fingerprint($0))" } ?? "no user"
            let issued = timestamp(request.issuedAt.timeIntervalSince1970)
            return "verified: signed request for app \(app), \(whom), issued \(issued)"
        case .failure(let refusal): return refusal.description
        }
    }

    private func line(_ request: SignedRequest, _ name: String) -> String {
        guard let value = request[name] else { return "" }
        guard isShown(name) else { return summary(name, value) }
        return printable((try? encodedJSON(value, pretty: false)) ?? "")
    }

    /// Returns whether a member's value is shown.
    ///
    /// Tokens and codes never are.
    private func isShown(_ name: String) -> Bool {
        showsClaims && !["oauth_token", "code"].contains(name)
    }

    private func summary(_ name: String, _ value: JSONValue) -> String {
        guard name == "user_id" || name == "profile_id", let text = value.string else { return value.kind.rawValue }
        return fingerprint(text)
    }
}

extension SignedRequestReport: Encodable {
    private enum Key: CodingKey {
        case verdict, code, message, recognizedAs, checks, claims, notes, time, version
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(message, forKey: .message)
        switch verdict {
        case .success(let request):
            try container.encode("verified", forKey: .verdict)
            try container.encodeNil(forKey: .code)
            try container.encodeNil(forKey: .recognizedAs)
            try container.encode(request.notes.map(\.description), forKey: .notes)
            var members = container.nestedContainer(keyedBy: MemberName.self, forKey: .claims)
            for name in request.names {
                guard let value = request[name] else { continue }
                if isShown(name) {
                    try members.encode(value, forKey: MemberName(stringValue: name))
                } else {
                    try members.encode(summary(name, value), forKey: MemberName(stringValue: name))
                }
            }
        case .failure(let refusal):
            try container.encode("refused", forKey: .verdict)
            try container.encode(refusal.code.rawValue, forKey: .code)
            try container.encode(refusal.recognizedAs?.rawValue, forKey: .recognizedAs)
            try container.encodeNil(forKey: .claims)
        }
        try container.encode(CheckListing(checks: checks), forKey: .checks)
        try container.encode(timestamp(time.timeIntervalSince1970), forKey: .time)
        try container.encode(VerifyToken.version, forKey: .version)
    }
}
#endif
