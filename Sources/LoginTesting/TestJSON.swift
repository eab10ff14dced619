// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTokens

/// JSON as a test writes it, good or bad, in the order given.
public enum TestJSON: Sendable {
    /// `null`
    case null
    /// `true` or `false`
    case boolean(Bool)
    /// A number, by its digits: `1e300` is one.
    case number(String)
    /// A string, escaped as far as JSON asks for it.
    case string(String)
    /// An array.
    case array([TestJSON])
    /// An object, its members in this order. Nothing stops you from giving one name twice.
    case object([(name: String, value: TestJSON)])
    /// Text that stands there as it is, JSON or not.
    case raw(String)

    /// The text.
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
    /// Setting replaces it where it stands, adds it at the end, or with nil removes it. What is not an object becomes one
    /// when a member is set.
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
    /// A string.
    public init(stringLiteral text: String) { self = .string(text) }
}

extension TestJSON: ExpressibleByIntegerLiteral {
    /// A whole number.
    public init(integerLiteral value: Int) { self = .number(String(value)) }
}

extension TestJSON: ExpressibleByFloatLiteral {
    /// A number with a fraction.
    public init(floatLiteral value: Double) { self = .number(String(value)) }
}

extension TestJSON: ExpressibleByBooleanLiteral {
    /// A truth value.
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
}

extension TestJSON: ExpressibleByArrayLiteral {
    /// An array.
    public init(arrayLiteral elements: TestJSON...) { self = .array(elements) }
}

extension TestJSON: ExpressibleByDictionaryLiteral {
    /// An object, its members in the order written.
    public init(dictionaryLiteral members: (String, TestJSON)...) {
        self = .object(members.map { (name: $0.0, value: $0.1) })
    }
}
