// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
/// A value of a JSON document whose members keep their order, so that people can read it.
enum DocumentNode: Sendable, ExpressibleByStringLiteral {
    case text(String)
    case number(Int)
    case boolean(Bool)
    case array([DocumentNode])
    case object([(String, DocumentNode)])

    init(stringLiteral text: String) { self = .text(text) }

    /// The document, indented by two spaces.
    func rendered(indent: Int = 0) -> String {
        let (outer, inner) = (String(repeating: "  ", count: indent), String(repeating: "  ", count: indent + 1))
        switch self {
        case .text(let text): return Self.quoted(text)
        case .number(let number): return String(number)
        case .boolean(let boolean): return String(boolean)
        case .array(let elements) where elements.isEmpty: return "[]"
        case .object(let members) where members.isEmpty: return "{}"
        case .array(let elements):
            let lines = elements.map { inner + $0.rendered(indent: indent + 1) }
            return "[\n" + lines.joined(separator: ",\n") + "\n" + outer + "]"
        case .object(let members):
            let lines = members.map { inner + Self.quoted($0.0) + ": " + $0.1.rendered(indent: indent + 1) }
            return "{\n" + lines.joined(separator: ",\n") + "\n" + outer + "}"
        }
    }

    /// RFC 8259 §7: quotation marks, backslashes and control characters are escaped.
    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case let scalar where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
#endif
