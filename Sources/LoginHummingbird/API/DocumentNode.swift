// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import LoginTokens

/// A JSON value whose members keep their order, for readability.
enum DocumentNode: Sendable, ExpressibleByStringLiteral {
    case text(String)
    case number(Int)
    case boolean(Bool)
    case array([DocumentNode])
    case object([(String, DocumentNode)])

    init(stringLiteral text: String) { self = .text(text) }

    /// The JSON text, indented by two spaces.
    var text: String {
        var json = JSONWriter(isIndented: true)
        write(to: &json)
        return String(decoding: json.bytes, as: UTF8.self)
    }

    private func write(to json: inout JSONWriter) {
        switch self {
        case .text(let text): json.add(text)
        case .number(let number): json.add(json: String(number).utf8)
        case .boolean(let boolean): json.add(json: String(boolean).utf8)
        case .array(let elements): json.addArray { for element in elements { element.write(to: &$0) } }
        case .object(let members):
            json.addObject {
                for (name, value) in members {
                    $0.add(name: name)
                    value.write(to: &$0)
                }
            }
        }
    }
}
#endif
