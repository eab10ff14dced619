// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import Foundation
internal import LoginServer

/// A progress line on standard error, rewritten in place and erased at the end.
///
/// It is used only where standard error is a terminal and standard output is not, so nothing else writes to the
/// terminal meanwhile.
struct BatchProgress: Sendable {
    /// The minimum interval between two updates.
    private static let pause: Duration = .milliseconds(250)

    private let begin: ContinuousClock.Instant
    private let totalBytes: Int?
    private var lastShown: ContinuousClock.Instant
    private var width = 0

    /// Creates a progress line that is not shown yet.
    ///
    /// - Parameter totalBytes: The length of the input; nil if it is unknown.
    init(totalBytes: Int?) {
        self.totalBytes = totalBytes
        begin = .now
        lastShown = .now
    }

    /// Shows the progress, at most once in each interval.
    mutating func show(lines: Int, bytes: Int) {
        let now = ContinuousClock.now
        guard now - lastShown >= Self.pause else { return }
        lastShown = now
        rewrite(Self.text(lines: lines, bytes: bytes, of: totalBytes, after: (now - begin).seconds))
    }

    /// Erases the line.
    mutating func erase() {
        guard width > 0 else { return }
        rewrite("")
    }

    /// Replaces the line, padding it with spaces to cover the previous text.
    ///
    /// No terminal escape sequence is needed.
    private mutating func rewrite(_ text: String) {
        let end = text.isEmpty ? "\r" : ""
        try? FileHandle.standardError.write(contentsOf: Data("\r\(padded(text, to: width))\(end)".utf8))
        width = text.count
    }

    /// Returns the text of the line, for example `120000 lines, 41230 per second, 12 %, 21.3 s left`.
    static func text(lines: Int, bytes: Int, of totalBytes: Int?, after seconds: Double) -> String {
        var parts = ["\(lines) lines"]
        if seconds > 0 { parts.append("\(Int(Double(lines) / seconds)) per second") }
        if let totalBytes, totalBytes > 0, bytes > 0 {
            // A file that grows during the run can yield more bytes than its initial length.
            let share = min(1, Double(bytes) / Double(totalBytes))
            parts += ["\(Int(share * 100)) %", "\(shown(seconds / share - seconds)) left"]
        }
        return parts.joined(separator: ", ")
    }
}
#endif
