// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import LoginTokens

/// The schema of a JSON value, for the validation of requests and for the OpenAPI document.
package indirect enum Schema: Sendable {
    /// A text, with its length in characters (Unicode scalars).
    case text(ClosedRange<Int>, format: String? = nil)
    /// One of these texts.
    case choice([String])
    case integer(ClosedRange<Int>)
    case boolean
    /// A time in the format of RFC 3339, in UTC, only in responses.
    case time
    case array(Schema, most: Int)
    /// An object with these members, and no others.
    case object([Field])
    /// One of these objects, selected by the member `type`.
    case oneOf([(type: String, fields: [Field])])
    /// An object with members of any name, only in responses.
    case anyObject
    case optional(Schema)
    /// A schema that has a name in the document.
    case named(String, Schema)
}

/// A member of an object.
package struct Field: Sendable {
    let name: String
    let schema: Schema
    let isRequired: Bool
    let summary: String

    package static func required(_ name: String, _ schema: Schema, _ summary: String) -> Self {
        Self(name: name, schema: schema, isRequired: true, summary: summary)
    }

    package static func optional(_ name: String, _ schema: Schema, _ summary: String) -> Self {
        Self(name: name, schema: schema, isRequired: false, summary: summary)
    }
}

extension Schema {
    /// Returns a description of the fault in a value; nil if the value is valid.
    ///
    /// - Parameters:
    ///   - value: The value that a client sent.
    ///   - path: The location of the value, for the response. It contains only member names of the schema.
    /// - Returns: The fault, without the value.
    func fault(in value: JSONValue, at path: String = "it") -> String? {
        switch self {
        case .text(let length, _):
            guard let text = value.string else { return "\(path) must be a string" }
            // The number of bytes is checked first, because it is known already. A character has one to four bytes.
            let bytes = text.utf8.count
            if bytes >= 4 * length.lowerBound, bytes <= length.upperBound { return nil }
            guard bytes <= 4 * length.upperBound, length.contains(text.unicodeScalars.count) else {
                return "\(path) must have \(length.lowerBound) to \(length.upperBound) characters"
            }
            return nil
        case .choice(let choices):
            guard let text = value.string, choices.contains(where: { $0.utf8.elementsEqual(text.utf8) }) else {
                return "\(path) must be one of: \(choices.joined(separator: ", "))"
            }
            return nil
        case .integer(let range):
            guard let integer = value.integer, range.contains(integer) else {
                return "\(path) must be an integer from \(range.lowerBound) to \(range.upperBound)"
            }
            return nil
        case .boolean:
            return value.boolean == nil ? "\(path) must be true or false" : nil
        case .array(let element, let most):
            guard let elements = value.elements, elements.count <= most else {
                return "\(path) must be an array of at most \(most) elements"
            }
            return elements.lazy.compactMap { element.fault(in: $0, at: "an element of \(path)") }.first
        case .object(let fields):
            return Self.fault(in: value, of: fields, at: path)
        case .oneOf(let variants):
            return Self.fault(in: value, of: variants, at: path)
        case .optional(let schema):
            return value.kind == .null ? nil : schema.fault(in: value, at: path)
        case .named(_, let schema):
            return schema.fault(in: value, at: path)
        case .time, .anyObject:
            return "\(path) is allowed only in responses"
        }
    }

    private static func fault(in value: JSONValue, of fields: [Field], at path: String) -> String? {
        guard let members = value.members else { return "\(path) must be an object" }
        for member in members where !fields.contains(where: { member.name.utf8.elementsEqual($0.name.utf8) }) {
            return
                "\(path) has an unknown member; the known members are: \(fields.map(\.name).joined(separator: ", "))"
        }
        for field in fields {
            guard let member = value[field.name] else {
                if field.isRequired { return "\(path) has no `\(field.name)`" }
                continue
            }
            if let fault = field.schema.fault(in: member, at: field.name) { return fault }
        }
        return nil
    }

    private static func fault(in value: JSONValue, of variants: [(type: String, fields: [Field])], at path: String)
        -> String?
    {
        let type = Schema.choice(variants.map(\.type))
        guard value.kind == .object else { return "\(path) must be an object" }
        guard let name = value["type"] else { return "\(path) has no `type`" }
        if let fault = type.fault(in: name, at: "\(path).type") { return fault }
        guard let variant = variants.first(where: { name.isString($0.type) }) else { return nil }
        return fault(in: value, of: [.required("type", type, "")] + variant.fields, at: path)
    }
}
#endif
