// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import LoginAccounts

@testable import LoginHTTP

extension Schema {
    /// The shortest valid value, as JSON.
    var sample: String {
        switch self {
        case .text(let length, _): "\"\(String(repeating: "a", count: max(length.lowerBound, 1)))\""
        case .choice(let choices): "\"\(choices.first ?? "")\""
        case .integer(let range): "\(range.lowerBound)"
        case .boolean: "false"
        case .array: "[]"
        case .object(let fields): Self.sample(of: fields)
        case .oneOf(let variants):
            Self.sample(of: [.required("type", .choice(variants.map(\.type)), "")] + (variants.first?.fields ?? []))
        case .optional: "null"
        case .named(_, let schema): schema.sample
        case .time, .anyObject: "null"
        }
    }

    private static func sample(of fields: [Field]) -> String {
        let members = fields.filter(\.isRequired).map { "\"\($0.name)\":\($0.schema.sample)" }
        return "{\(members.joined(separator: ","))}"
    }
}

extension LoginHTTP.Operation {
    /// A path of the operation, and a valid body.
    var sample: (path: String, body: String?) {
        var parts = path.split(separator: "/").map { $0.hasPrefix("{") ? "aaaa" : String($0) }
        parts.insert("", at: 0)
        let needed = query.filter(\.isRequired).map { "\($0.name)=a" }
        let address = parts.joined(separator: "/") + (needed.isEmpty ? "" : "?" + needed.joined(separator: "&"))
        switch body {
        case .none: return (address, nil)
        case .json(let schema): return (address, schema.sample)
        case .form(let fields): return (address, fields.map { "\($0.name)=a" }.joined(separator: "&"))
        }
    }

    /// The content type of its body.
    var contentType: String? {
        switch body {
        case .none: nil
        case .json: "application/json"
        case .form: "application/x-www-form-urlencoded"
        }
    }
}
#endif
