// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import ArgumentParser
internal import Foundation
internal import LoginServer
internal import LoginTokens

/// A command that shows the content of a token without verifying it.
struct InspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Show the content of a token without verifying it, or recognize other input."
    )

    @OptionGroup var input: TokenInput

    @Flag(help: "Show the values of claims. Without it, claims are listed by name and type.")
    var showClaims = false

    @Option(help: "The format of the report.")
    var format = ReportFormat.text

    func run() throws {
        var notes: [String] = []
        let text = try input.read(notes: &notes, limit: TokenLimits.largest.tokenBytes)
        let report = Inspection(text, showsClaims: showClaims)
        switch format {
        case .text: try show(report.text)
        case .json: try show(encodedJSON(report, pretty: false))
        }
        if case .failure = report.token { throw ExitCode.refused }
    }
}

/// The content of an unverified token.
private struct Inspection: Encodable {
    let token: Result<UnverifiedToken, TokenRefusal>
    private let recognizedAs: RecognizedInput?
    private let showsClaims: Bool
    private let notes: [String]

    init(_ text: String, showsClaims: Bool) {
        token = Result { () throws(TokenRefusal) in try UnverifiedToken(inspecting: text, limits: .largest) }
        let recognizedAs = RecognizedInput(text)
        self.recognizedAs = recognizedAs
        self.showsClaims = showsClaims
        let hints = [RefusalHints.command(for: recognizedAs)].compactMap(\.self)
        notes = hints + ((try? token.get()).map { InspectionNotes(token: $0, now: SystemClock().now).all } ?? [])
    }

    var text: String {
        let recognized = recognizedAs.map { ["recognized: \($0.explanation)"] } ?? []
        switch token {
        case .failure(let refusal):
            let first = "not a readable token: \(refusal.code): \(refusal.detail)"
            return ([first] + recognized + notes.map { "note: \($0)" }).joined(separator: "\n")
        case .success(let token):
            let header = token.header.names.map { name in
                "  \(padded(printable(name), to: 18)) \(headerText(token, name))"
            }
            let title = showsClaims ? "claims" : "claims, by name and type (--show-claims shows them)"
            let lines = ["UNVERIFIED: anyone can create a token with this content."] + recognized
            let notes = self.notes.map { "note: \($0)" }
            return
                (lines + [""] + says(token.claims) + notes + ["", "header"] + header + ["", title]
                + ClaimListing(claims: token.claims, showsClaims: showsClaims).lines)
                .joined(separator: "\n")
        }
    }

    /// Returns the issuer, the audience and the times that the token claims.
    ///
    /// Nothing in it is about the user.
    private func says(_ claims: Claims) -> [String] {
        let times = [("issued", claims.issuedAt), ("expires", claims.expiresAt)]
        return ["claims to be from \(claims.issuer.map { quoted($0) } ?? "no issuer"), for \(quoted(claims.audiences))"]
            + times.compactMap { name, date in date.map { "\(name) \(timestamp($0.timeIntervalSince1970))" } }
    }

    private func headerText(_ token: UnverifiedToken, _ name: String) -> String {
        guard let value = token.header[name] else { return "" }
        guard isShown(name) else { return value.kind.rawValue }
        return value.string.map { quoted($0) } ?? printable((try? encodedJSON(value, pretty: false)) ?? "")
    }

    /// Returns whether the value of a header parameter is shown.
    ///
    /// Without `--show-claims`, only parameters that describe the token's form are. Others may be replicated claims
    /// (RFC 7519 §5.3) or keys.
    private func isShown(_ name: String) -> Bool {
        showsClaims || ["alg", "typ", "kid", "cty", "crit", "b64", "jku", "x5u", "x5t", "x5t#S256"].contains(name)
    }

    private enum Key: CodingKey {
        case verified, recognizedAs, code, message, header, claims, notes
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(false, forKey: .verified)
        try container.encode(recognizedAs?.rawValue, forKey: .recognizedAs)
        switch token {
        case .failure(let refusal):
            try container.encode(refusal.code.rawValue, forKey: .code)
            try container.encode(refusal.description, forKey: .message)
        case .success(let token):
            var header = container.nestedContainer(keyedBy: MemberName.self, forKey: .header)
            for (name, value) in token.header.json.members ?? [] {
                if isShown(name) {
                    try header.encode(value, forKey: MemberName(stringValue: name))
                } else {
                    try header.encode(value.kind.rawValue, forKey: MemberName(stringValue: name))
                }
            }
            try container.encode(ClaimListing(claims: token.claims, showsClaims: showsClaims), forKey: .claims)
        }
        try container.encode(notes, forKey: .notes)
    }
}
#endif
