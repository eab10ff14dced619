// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import LoginTokens

/// The verdict on one line, as counted in the summary.
enum BatchVerdict: Sendable, Hashable {
    case verified
    case refused(String)
    case undecided(String)

    init(_ error: VerificationError?) {
        switch error {
        case nil: self = .verified
        case .refused(let refusal): self = .refused(refusal.code.rawValue)
        case .undecided(let unavailable): self = .undecided(unavailable.code.rawValue)
        }
    }

    /// The word for the verdict, the same as in other reports.
    var name: String {
        switch self {
        case .verified: "verified"
        case .refused: "refused"
        case .undecided: "undecided"
        }
    }

    /// The code of the refusal or of the unavailability; nil for a verified token.
    var code: String? {
        switch self {
        case .verified: nil
        case .refused(let code), .undecided(let code): code
        }
    }
}

/// The verdicts on a block of lines, and the lines of output for them, in order.
struct VerdictBlock: Sendable {
    let format: ReportFormat

    /// The number of bytes of input that were read when the block was complete.
    let inputEnd: Int

    /// The lines of output, each with its line break.
    private(set) var text: [UInt8] = []

    /// The end offset of each line in the text.
    private(set) var ends: [Int] = []

    /// The verdict of each line, for the summary.
    private(set) var verdicts: [BatchVerdict] = []

    init(format: ReportFormat, inputEnd: Int) {
        self.format = format
        self.inputEnd = inputEnd
    }

    /// Appends the verdict on a line.
    ///
    /// - Parameters:
    ///   - number: The line's number.
    ///   - error: The reason why the token was not verified; nil if it was.
    /// - Throws: The encoder's error.
    mutating func append(_ number: Int, _ error: VerificationError?) throws {
        let verdict = BatchVerdict(error)
        switch format {
        case .text: text += "\(number)\t\(verdict.code ?? verdict.name)\n".utf8
        case .json: text += try Self.json(number, verdict, error) + [UInt8(ascii: "\n")]
        }
        ends.append(text.count)
        verdicts.append(verdict)
    }

    /// Returns the verdict as a JSON object with its members in alphabetical order, as in other reports.
    ///
    /// Only the strings that may hold text from the token go through `JSONEncoder`. Encoding the whole object would
    /// take longer than every other step but the signature.
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
