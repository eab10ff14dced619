// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation

/// The rows as a table for people: the value first, then its goal.
public struct Table {
    /// A group of rows.
    public struct Section: Sendable {
        let title: String
        /// The rows, in order.
        public let rows: [Row]

        /// Creates a section with a title; the table omits a section without rows.
        public init(title: String, rows: [Row]) {
            self.title = title
            self.rows = rows
        }
    }

    private let sections: [Section]

    /// Creates a table of sections.
    public init(_ sections: [Section]) {
        self.sections = sections
    }

    /// The table, ready to print.
    public var text: String {
        let rows = sections.flatMap(\.rows)
        let width = rows.map(\.name.count).max() ?? 0
        var lines = [
            pad("", width) + "         value   p10 … p90         goal                us      beside"
        ]
        for section in sections where !section.rows.isEmpty {
            lines.append("")
            lines.append(section.title)
            lines += section.rows.map { line($0, width: width) }
        }
        let judged = rows.compactMap(\.met)
        let missed = judged.count { !$0 }
        lines.append("")
        lines.append("goals: \(judged.count - missed) met, \(missed) missed")
        return lines.joined(separator: "\n")
    }

    private func line(_ row: Row, width: Int) -> String {
        var line = pad(row.name, width) + pad(value(row), 14, right: true)
        line += "   " + pad(spread(row), 16)
        line += pad(goal(row), 9) + pad(verdict(row), 7)
        line += pad(row.microseconds.map { number($0) } ?? "", 10, right: true)
        line += pad(row.referenceMicroseconds.map { number($0) } ?? "", 12, right: true)
        if let note = row.note { line += "   " + note }
        while line.last == " " { line.removeLast() }
        return line
    }

    private func value(_ row: Row) -> String {
        if let ratio = row.ratio { return number(ratio) }
        guard let amount = row.amount else { return "–" }
        return number(amount) + (row.unit.map { " " + $0 } ?? "")
    }

    private func spread(_ row: Row) -> String {
        guard let p10 = row.p10, let p90 = row.p90 else { return "" }
        return "\(number(p10)) … \(number(p90))"
    }

    private func goal(_ row: Row) -> String {
        if let limit = row.atMost { return "≤ " + short(limit) }
        if let limit = row.atLeast { return "≥ " + short(limit) }
        return ""
    }

    private func verdict(_ row: Row) -> String {
        row.met.map { $0 ? "met" : "MISSED" } ?? ""
    }

    /// Formats a number with its significant digits: three decimal places below ten, one above, none above a thousand.
    private func number(_ value: Double) -> String {
        switch abs(value) {
        case 1000...: String(format: "%.0f", value)
        case 10...: String(format: "%.1f", value)
        default: String(format: "%.3f", value)
        }
    }

    private func short(_ value: Double) -> String {
        value == value.rounded() ? String(format: "%.0f", value) : String(format: "%.2f", value)
    }

    private func pad(_ text: String, _ width: Int, right: Bool = false) -> String {
        let blanks = String(repeating: " ", count: max(0, width - text.count))
        return right ? blanks + text : text + blanks
    }
}
