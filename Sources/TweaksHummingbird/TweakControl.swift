// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import LoginText
internal import Tweaks

/// The form control of a tweak: a checkbox, a number, a selection or a line of text.
struct TweakControl {
    private let value: TweakReport.Value

    init(_ value: TweakReport.Value) { self.value = value }

    var html: String {
        let current = escapedForHTML(value.current.text)
        switch value.constraint {
        case .any where value.kind == .boolean:
            let ticked = value.current == .boolean(true) ? " checked" : ""
            return "<input type=\"checkbox\" role=\"switch\" value=\"true\"\(ticked) \(attributes)>"
        case .any:
            let step = value.kind == .integer ? "1" : "any"
            return "<input type=\"number\" value=\"\(current)\" step=\"\(step)\" required \(attributes)>" + unit
        case .range(let range):
            let step = range.step?.text ?? (value.kind == .integer ? "1" : "any")
            return
                "<input type=\"number\" value=\"\(current)\" min=\"\(range.lower.text)\" max=\"\(range.upper.text)\" "
                + "step=\"\(step)\" required \(attributes)>" + unit
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
