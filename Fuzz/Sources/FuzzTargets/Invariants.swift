// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTokens

/// Traps unless an invariant holds.
///
/// Uses `fatalError`, because an optimized build omits the message of a precondition.
func expect(_ holds: Bool, _ message: @autoclosure () -> String) {
    guard holds else { fatalError("broken invariant: \(message())") }
}

/// Traps unless a text is safe to log: printable ASCII, one line, short, and without a long part of the hidden values.
///
/// - Parameters:
///   - text: The text.
///   - hidden: Values that the text must not contain. Short parts, and parts of few distinct bytes, may occur by
///     chance.
func expectShowable(_ text: String, hiding hidden: [[UInt8]] = []) {
    let bytes = Array(text.utf8)
    expect(bytes.allSatisfy { (0x20..<0x7F).contains($0) }, "an error text is not printable ASCII")
    // Four quotations of 96 characters, each escaped with up to ten, and the text around them.
    expect(bytes.count <= 4 * 96 * 10 + 1024, "an error text has \(bytes.count) bytes")
    for part in hidden where part.count >= 32 && Set(part).count >= 10 {
        expect(bytes.firstRange(of: part) == nil, "an error text shows part of the input")
    }
}

/// Reads everything that a value contains, at every depth.
///
/// - Returns: The number of values, so that no access is optimized away as unused.
@discardableResult
func walk(_ value: JSONValue) -> Int {
    expect(value == value, "a value is not equal to itself")
    let answers =
        [value.string == nil, value.boolean == nil, value.elements == nil, value.members == nil].count { !$0 }
    let isPlain = value.kind == .null || value.kind == .number
    expect(answers == (isPlain ? 0 : 1), "a value has several types, or none")
    if let integer = value.integer {
        expect(value.kind == .number, "an integer is not a number")
        // Beyond 2⁵³ the nearest `Double` may be another number.
        if integer.magnitude < 1 << 53 { expect(value.number == Double(integer), "an integer differs from its number") }
    }
    if let number = value.number { expect(number.isFinite && value.kind == .number, "a number is not finite") }
    if let members = value.members {
        for (name, member) in members { expect(value[name] == member, "a member is not found by its name") }
        return members.reduce(1) { $0 + walk($1.value) }
    }
    return (value.elements ?? []).reduce(1) { $0 + walk($1) }
}

/// Whether Foundation can represent the value.
///
/// Foundation refuses numbers that no `Double` holds, and treats two names as equal that differ only in Unicode
/// normalization.
func isComparable(_ value: JSONValue) -> Bool {
    if value.kind == .number { return value.number != nil }
    if let members = value.members {
        return Set(members.map(\.name)).count == members.count && members.allSatisfy { isComparable($0.value) }
    }
    return (value.elements ?? []).allSatisfy(isComparable)
}
