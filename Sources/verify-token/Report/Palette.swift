// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import Foundation

/// The colors of a text report: on a terminal that has them, for a person who wants them.
///
/// It colors words of our own alone. Text from elsewhere is made printable first, so that no escape in it is left.
struct Palette {
    enum Color: String {
        case green = "32"
        case red = "31"
        case yellow = "33"
        case faint = "2"
    }

    let isOn: Bool

    /// - Parameters:
    ///   - environment: Where `NO_COLOR` with any value but the empty one turns colors off (https://no-color.org), as a
    ///     `TERM` without colors does.
    ///   - isTerminal: Whether the report goes to a terminal.
    init(environment: [String: String], isTerminal: Bool) {
        let terminal = environment["TERM"] ?? ""
        isOn = isTerminal && (environment["NO_COLOR"] ?? "").isEmpty && !["", "dumb"].contains(terminal)
    }

    /// For what this process prints.
    static var forOutput: Palette {
        guard isatty(STDOUT_FILENO) == 1 else { return Palette(environment: [:], isTerminal: false) }
        return Palette(environment: ProcessInfo.processInfo.environment, isTerminal: true)
    }

    /// The word in a color, or as it is.
    func paint(_ word: String, _ color: Color) -> String {
        isOn ? "\u{1B}[\(color.rawValue)m\(word)\u{1B}[0m" : word
    }

    /// The line with its first words in a color, if they are these.
    func paint(_ words: String, of line: String, _ color: Color) -> String {
        guard line.hasPrefix(words) else { return line }
        return paint(words, color) + line.dropFirst(words.count)
    }
}
#endif
