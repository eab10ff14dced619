// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import LoginTokens

/// A JSON value as Foundation reads it, for comparison with our reader's.
enum PlainJSON: Hashable {
    case null
    case boolean(Bool)
    case number(Double)
    /// The bytes, because Swift's `==` treats canonically equivalent texts as equal.
    case string([UInt8])
    case array([PlainJSON])
    case object([[UInt8]: PlainJSON])

    init(_ value: JSONValue) {
        switch value.kind {
        case .null: self = .null
        case .boolean: self = .boolean(value.boolean == true)
        case .number: self = .number(value.number ?? .nan)
        case .string: self = .string(Array((value.string ?? "").utf8))
        case .array: self = .array((value.elements ?? []).map(PlainJSON.init))
        case .object:
            let members = (value.members ?? []).map { (Array($0.name.utf8), PlainJSON($0.value)) }
            self = .object(Dictionary(members) { first, _ in first })
        }
    }

    /// Reads a text with Foundation.
    static func foundation(_ text: [UInt8]) throws -> PlainJSON {
        try JSONDecoder().decode(PlainJSON.self, from: Data(text))
    }
}

extension PlainJSON: Decodable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .boolean(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(Array(value.utf8))
        } else if let value = try? container.decode([PlainJSON].self) {
            self = .array(value)
        } else {
            let members = try container.decode([String: PlainJSON].self).map { (Array($0.key.utf8), $0.value) }
            self = .object(Dictionary(members) { first, _ in first })
        }
    }
}
