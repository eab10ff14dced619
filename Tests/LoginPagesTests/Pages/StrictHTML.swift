// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
/// A strict HTML parser: everything must be quoted, closed and known, otherwise it throws.
///
/// Browsers repair malformed HTML, which attacks rely on. This parser repairs nothing, so its result is what browsers
/// see.
struct StrictHTML {
    indirect enum Node: Sendable {
        case element(Element)
        case text(String)
    }

    struct Element: Sendable {
        var name: String
        var attributes: [String: String]
        var children: [Node]
    }

    struct Fault: Error, CustomStringConvertible {
        var description: String
    }

    /// The permitted attributes of each element.
    static let known: [String: Set<String>] = [
        "html": ["lang", "dir"], "head": [], "body": [], "title": [], "meta": ["charset", "name", "content"],
        "link": ["rel", "href"], "a": ["href", "class", "download", "aria-current"], "header": [], "footer": [],
        "strong": ["lang", "aria-current"], "nav": ["aria-label"],
        "main": ["id", "tabindex"], "section": ["aria-labelledby"], "h1": [], "h2": ["id", "class"], "h3": ["id"],
        "script": ["src", "defer"], "p": ["class", "id", "role", "aria-hidden", "hidden"], "ul": ["class"],
        "ol": ["class", "aria-label"], "li": [], "dl": [],
        "dt": [], "dd": [], "code": [], "bdi": [], "time": ["datetime"], "label": ["for"], "legend": [],
        "div": ["class", "role", "aria-labelledby", "tabindex", "autofocus", "lang"], "fieldset": ["aria-describedby"],
        "details": [], "summary": [],
        "form": ["method", "action", "novalidate"], "button": ["type", "class"],
        "input": [
            "type", "id", "name", "value", "autocomplete", "autocapitalize", "inputmode", "maxlength", "spellcheck",
            "dir", "required", "aria-describedby", "aria-invalid",
        ],
        "img": ["src", "alt", "width", "height"],
        "svg": ["role", "aria-label", "viewBox"], "rect": ["width", "height", "fill"],
        "path": ["d", "fill", "shape-rendering"],
    ]

    private static let void: Set = ["meta", "link", "input", "img"]
    private static let bare: Set = ["required", "novalidate", "autofocus", "hidden", "defer"]

    private var rest: Substring

    private init(_ text: String) { rest = text[...] }

    /// Parses a page.
    static func page(_ text: String) throws -> Element {
        var reader = StrictHTML(text)
        try reader.take("<!DOCTYPE html>\n")
        guard case .element(let html) = try reader.element(), html.name == "html" else {
            throw Fault(description: "no html element")
        }
        guard reader.rest.isEmpty else { throw Fault(description: "something follows the page") }
        return html
    }

    /// Parses a fragment.
    static func piece(_ text: String) throws -> [Node] {
        var reader = StrictHTML(text)
        let nodes = try reader.children(of: nil)
        guard reader.rest.isEmpty else { throw Fault(description: "an end tag without a beginning: \(reader.rest)") }
        return nodes
    }

    private mutating func take(_ text: String) throws {
        guard rest.utf8.starts(with: text.utf8) else {
            throw Fault(description: "expected \(text) before \(rest.prefix(40))")
        }
        rest = Substring(rest.utf8.dropFirst(text.utf8.count))
    }

    private mutating func name() throws -> String {
        let name = rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
        guard !name.isEmpty else { throw Fault(description: "no name before \(rest.prefix(40))") }
        rest = rest[name.endIndex...]
        return String(name)
    }

    private mutating func element() throws -> Node {
        try take("<")
        let name = try name()
        guard let allowed = Self.known[name] else { throw Fault(description: "unknown element \(name)") }
        var attributes: [String: String] = [:]
        while rest.first == " " {
            try take(" ")
            let attribute = try self.name()
            guard allowed.contains(attribute) else { throw Fault(description: "\(name) has \(attribute)") }
            guard attributes[attribute] == nil else { throw Fault(description: "\(attribute) twice") }
            if Self.bare.contains(attribute) {
                attributes[attribute] = ""
                continue
            }
            try take("=\"")
            attributes[attribute] = try text(until: "\"")
            try take("\"")
        }
        try take(">")
        guard !Self.void.contains(name) else {
            return .element(Element(name: name, attributes: attributes, children: []))
        }
        let children = try children(of: name)
        guard name != "script" || children.isEmpty && attributes["src"] != nil else {
            throw Fault(description: "an inline script")
        }
        try take("</\(name)>")
        return .element(Element(name: name, attributes: attributes, children: children))
    }

    private mutating func children(of name: String?) throws -> [Node] {
        var nodes: [Node] = []
        while !rest.isEmpty, !rest.utf8.starts(with: "</".utf8) {
            if rest.unicodeScalars.first == "<" {
                nodes.append(try element())
            } else {
                nodes.append(.text(try text(until: "<")))
            }
        }
        return nodes
    }

    /// Reads text with character references, of which five are permitted.
    private mutating func text(until end: Unicode.Scalar) throws -> String {
        var result = ""
        let references = ["&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": "\"", "&#39;": "'"]
        while let scalar = rest.unicodeScalars.first, scalar != end {
            switch scalar {
            case "&":
                guard let found = references.first(where: { rest.utf8.starts(with: $0.key.utf8) }) else {
                    throw Fault(description: "an ampersand before \(rest.prefix(20))")
                }
                result += found.value
                try take(found.key)
                continue
            case "<", ">", "\"", "'":
                throw Fault(description: "\(scalar) in a text")
            case _ where scalar.value < 0x20 && scalar != "\n" && scalar != "\t":
                throw Fault(description: "the control \(scalar.value)")
            case _ where (0x7F...0x9F).contains(scalar.value):
                throw Fault(description: "the control \(scalar.value)")
            default:
                result.unicodeScalars.append(scalar)
                rest = Substring(rest.unicodeScalars.dropFirst())
            }
        }
        return result
    }
}

extension StrictHTML.Element {
    /// The element and all its descendants, in document order.
    var all: [StrictHTML.Element] { [self] + elements.flatMap(\.all) }

    /// The child elements.
    var elements: [StrictHTML.Element] {
        children.compactMap { if case .element(let element) = $0 { element } else { nil } }
    }

    /// The text of the element and its descendants, with the alternative text of images.
    var text: String {
        if name == "img" { return self["alt"] ?? "" }
        return children.map { node in
            switch node {
            case .text(let text): text
            case .element(let element): element.text
            }
        }.joined()
    }

    func all(_ name: String) -> [StrictHTML.Element] { all.filter { $0.name == name } }

    subscript(attribute: String) -> String? { attributes[attribute] }

    /// The structure without texts, for the comparison of two pages.
    var shape: String { "\(name)(\(elements.map(\.shape).joined(separator: " ")))" }
}
#endif
