// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import Foundation

/// The colors of a text report, used only on a terminal that supports them, unless the user turns them off.
///
/// Only fixed words of the reports are colored. Other text is made printable first, so it contains no escape
/// sequences.
struct Palette {
    enum Color: String {
        case green = "32"
        case red = "31"
        case yellow = "33"
        case faint = "2"
    }

    let isOn: Bool

    /// Creates a palette.
    ///
    /// - Parameters:
    ///   - environment: The environment. Colors are off if `NO_COLOR` has a non-empty value (https://no-color.org),
    ///     or if `TERM` is missing, empty or `dumb`.
    ///   - isTerminal: Whether the report goes to a terminal.
    init(environment: [String: String], isTerminal: Bool) {
        let terminal = environment["TERM"] ?? ""
        isOn = isTerminal && (environment["NO_COLOR"] ?? "").isEmpty && !["", "dumb"].contains(terminal)
    }

    /// The palette for standard output.
    static var forOutput: Palette {
        guard isatty(STDOUT_FILENO) == 1 else { return Palette(environment: [:], isTerminal: false) }
        return Palette(environment: ProcessInfo.processInfo.environment, isTerminal: true)
    }

    /// Returns the word in a color, or unchanged if colors are off.
    func paint(_ word: String, _ color: Color) -> String {
        isOn ? "\u{1B}[\(color.rawValue)m\(word)\u{1B}[0m" : word
    }

    /// Returns the line with its first words in a color, if it starts with them.
    func paint(_ words: String, of line: String, _ color: Color) -> String {
        guard line.hasPrefix(words) else { return line }
        return paint(words, color) + line.dropFirst(words.count)
    }
}
#endif
