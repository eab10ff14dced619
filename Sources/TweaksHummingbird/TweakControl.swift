// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import LoginText
internal import Tweaks

/// The form control of a tweak: a checkbox, a number, a selection or a line of text.
///
/// An integer whose value or range exceeds 2^53 - 1 has a line of text: browsers check and step number fields with less
/// precision.
struct TweakControl {
    private let value: TweakReport.Value

    init(_ value: TweakReport.Value) { self.value = value }

    var html: String {
        switch value.constraint {
        case .any where value.kind == .boolean:
            let ticked = value.current == .boolean(true) ? " checked" : ""
            return "<input type=\"checkbox\" role=\"switch\" value=\"true\"\(ticked) \(attributes)>"
        case .any: return number(nil)
        case .range(let range): return number(range)
        case .choices(let choices):
            let options = choices.map { choice in
                let selected = value.current == .text(choice) ? " selected" : ""
                return "<option value=\"\(escapedForHTML(choice))\"\(selected)>\(escapedForHTML(choice))</option>"
            }
            return "<select \(attributes)>\(options.joined())</select>"
        case .text(let bytes):
            return "<input type=\"text\" value=\"\(current)\" maxlength=\"\(bytes)\" \(attributes)>"
        }
    }

    private var current: String { escapedForHTML(value.current.text) }

    private func number(_ range: TweakRange?) -> String {
        let numbers = [value.current, range?.lower, range?.upper].compactMap { $0 }
        guard numbers.allSatisfy(Self.isExactInBrowsers) else {
            return "<input type=\"text\" value=\"\(current)\" pattern=\"-?[0-9]+\" required \(attributes)>" + unit
        }
        let bounds = range.map { "min=\"\($0.lower.text)\" max=\"\($0.upper.text)\" " } ?? ""
        let step = range?.step?.text ?? (value.kind == .integer ? "1" : "any")
        return "<input type=\"number\" value=\"\(current)\" \(bounds)step=\"\(step)\" required \(attributes)>" + unit
    }

    private static func isExactInBrowsers(_ content: TweakContent) -> Bool {
        guard case .integer(let number) = content else { return true }
        return number.magnitude < 1 << 53
    }

    private var attributes: String {
        let id = escapedForHTML(value.id)
        return "id=\"value-\(id)\" name=\"value\" aria-describedby=\"about-\(id)\""
    }

    private var unit: String {
        let counted = value.unit.map { " " + escapedForHTML($0) } ?? ""
        guard case .range(let range) = value.constraint else {
            return counted.isEmpty ? "" : "<span>\(counted)</span>"
        }
        return "<span>\(counted) (\(range.lower.text) to \(range.upper.text))</span>"
    }
}
#endif
