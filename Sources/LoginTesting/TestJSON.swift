// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTokens

/// JSON for tests, valid or invalid, with its members in the given order.
public enum TestJSON: Sendable {
    /// `null`
    case null
    /// `true` or `false`
    case boolean(Bool)
    /// A number by its source text, for example `1e300`.
    case number(String)
    /// A string, escaped as JSON requires.
    case string(String)
    /// An array.
    case array([TestJSON])
    /// An object with its members in this order; duplicate names are allowed.
    case object([(name: String, value: TestJSON)])
    /// Raw text, JSON or not.
    case raw(String)

    /// The JSON text.
    public var text: String {
        var json = JSONWriter()
        write(to: &json)
        return String(decoding: json.bytes, as: UTF8.self)
    }

    private func write(to json: inout JSONWriter) {
        switch self {
        case .null: json.add(json: "null".utf8)
        case .boolean(let value): json.add(json: String(value).utf8)
        case .string(let text): json.add(text)
        case .array(let elements): json.addArray { for element in elements { element.write(to: &$0) } }
        case .object(let members):
            json.addObject {
                for (name, value) in members {
                    $0.add(name: name)
                    value.write(to: &$0)
                }
            }
        case .number(let text), .raw(let text): json.add(json: text.utf8)
        }
    }

    /// The first member with this name.
    ///
    /// Setting a value replaces the first member with this name or appends one; setting nil removes it. Setting a
    /// member turns any other value into an object.
    public subscript(name: String) -> TestJSON? {
        get {
            guard case .object(let members) = self else { return nil }
            return members.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
        }
        set {
            var members: [(name: String, value: TestJSON)] = []
            if case .object(let present) = self { members = present }
            let index = members.firstIndex { $0.name.utf8.elementsEqual(name.utf8) }
            switch (index, newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append((name, value))
            case (nil, nil): break
            }
            self = .object(members)
        }
    }
}

extension TestJSON: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    /// Creates a string.
    public init(stringLiteral text: String) { self = .string(text) }
}

extension TestJSON: ExpressibleByIntegerLiteral {
    /// Creates an integer.
    public init(integerLiteral value: Int) { self = .number(String(value)) }
}

extension TestJSON: ExpressibleByFloatLiteral {
    /// Creates a number with a fraction.
    public init(floatLiteral value: Double) { self = .number(String(value)) }
}

extension TestJSON: ExpressibleByBooleanLiteral {
    /// Creates a Boolean.
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
}

extension TestJSON: ExpressibleByArrayLiteral {
    /// Creates an array.
    public init(arrayLiteral elements: TestJSON...) { self = .array(elements) }
}

extension TestJSON: ExpressibleByDictionaryLiteral {
    /// Creates an object with its members in the order written.
    public init(dictionaryLiteral members: (String, TestJSON)...) {
        self = .object(members.map { (name: $0.0, value: $0.1) })
    }
}
