// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import Foundation
internal import LoginServer

/// One line on standard error that says how far it has come, written over and over, and at last taken away.
///
/// Nobody else writes there meanwhile: it exists only where standard error is a terminal, and the verdicts go elsewhere.
struct BatchProgress: Sendable {
    /// How often it is written at most, which is more often than anybody reads it.
    private static let pause: Duration = .milliseconds(250)

    private let begin: ContinuousClock.Instant
    private let totalBytes: Int?
    private var lastShown: ContinuousClock.Instant
    private var width = 0

    /// - Parameter totalBytes: The length of the input; nil where nobody knows.
    init(totalBytes: Int?) {
        self.totalBytes = totalBytes
        begin = .now
        lastShown = .now
    }

    /// Says how far it has come, unless it was said a moment ago.
    mutating func show(lines: Int, bytes: Int) {
        let now = ContinuousClock.now
        guard now - lastShown >= Self.pause else { return }
        lastShown = now
        rewrite(Self.text(lines: lines, bytes: bytes, of: totalBytes, after: (now - begin).seconds))
    }

    /// Takes the line away.
    mutating func erase() {
        guard width > 0 else { return }
        rewrite("")
    }

    /// Spaces cover what was there: a terminal need not know any escape for it.
    private mutating func rewrite(_ text: String) {
        let end = text.isEmpty ? "\r" : ""
        try? FileHandle.standardError.write(contentsOf: Data("\r\(padded(text, to: width))\(end)".utf8))
        width = text.count
    }

    /// For example `120000 lines, 41230 a second, 12 %, 21.3 s left`.
    static func text(lines: Int, bytes: Int, of totalBytes: Int?, after seconds: Double) -> String {
        var parts = ["\(lines) lines"]
        if seconds > 0 { parts.append("\(Int(Double(lines) / seconds)) a second") }
        if let totalBytes, totalBytes > 0, bytes > 0 {
            // A file that grows meanwhile is longer than it was.
            let share = min(1, Double(bytes) / Double(totalBytes))
            parts += ["\(Int(share * 100)) %", "\(shown(seconds / share - seconds)) left"]
        }
        return parts.joined(separator: ", ")
    }
}
#endif
