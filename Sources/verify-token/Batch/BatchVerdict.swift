// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import LoginTokens

/// What became of one line, as the summary counts it.
enum BatchVerdict: Sendable, Hashable {
    case verified
    /// With the code.
    case refused(String)
    /// With the code.
    case undecided(String)

    init(_ error: VerificationError?) {
        switch error {
        case nil: self = .verified
        case .refused(let refusal): self = .refused(refusal.code.rawValue)
        case .undecided(let unavailable): self = .undecided(unavailable.code.rawValue)
        }
    }

    /// The word for it, as in other reports.
    var name: String {
        switch self {
        case .verified: "verified"
        case .refused: "refused"
        case .undecided: "undecided"
        }
    }

    /// Why not; nil for what was verified.
    var code: String? {
        switch self {
        case .verified: nil
        case .refused(let code), .undecided(let code): code
        }
    }
}

/// What became of a block of lines: a line of output for each, in order.
struct VerdictBlock: Sendable {
    let format: ReportFormat

    /// How much of the input has been read up to the end of the block, in bytes.
    let inputEnd: Int

    /// The lines of output, each with its line break.
    private(set) var text: [UInt8] = []

    /// Where in the text each line ends.
    private(set) var ends: [Int] = []

    /// The same for the summary.
    private(set) var verdicts: [BatchVerdict] = []

    init(format: ReportFormat, inputEnd: Int) {
        self.format = format
        self.inputEnd = inputEnd
    }

    /// Adds what became of a line.
    ///
    /// - Parameters:
    ///   - number: The line's number.
    ///   - error: Why it was not verified; nil if it was.
    /// - Throws: What the encoder says.
    mutating func append(_ number: Int, _ error: VerificationError?) throws {
        let verdict = BatchVerdict(error)
        switch format {
        case .text: text += "\(number)\t\(verdict.code ?? verdict.name)\n".utf8
        case .json: text += try Self.json(number, verdict, error) + [UInt8(ascii: "\n")]
        }
        ends.append(text.count)
        verdicts.append(verdict)
    }

    /// An object, its members in alphabetical order as in other reports.
    ///
    /// Only its texts are encoded for a terminal: an encoder for the whole object would take longer than everything but the signature.
    private static func json(_ number: Int, _ verdict: BatchVerdict, _ error: VerificationError?) throws -> [UInt8] {
        var member: String?
        if case .refused(let refusal) = error { member = refusal.member }
        return try JSONWriter.object { json in
            func add(_ name: String, _ text: String?) throws {
                json.add(name, json: try (text.map { try encodedJSON($0, pretty: false) } ?? "null").utf8)
            }
            try add("code", verdict.code)
            json.add("line", json: String(number).utf8)
            try add("member", member)
            try add("message", error?.description)
            try add("publicMessage", error?.publicMessage)
            json.add("verdict", verdict.name)
        }
    }
}
#endif
