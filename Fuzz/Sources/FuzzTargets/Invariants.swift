// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTokens

/// Traps unless an invariant holds.
///
/// `fatalError`, because an optimized build leaves out the message of a precondition.
func expect(_ holds: Bool, _ message: @autoclosure () -> String) {
    guard holds else { fatalError("broken invariant: \(message())") }
}

/// Traps unless a text may be shown in a log: printable ASCII, one line, short, and without a long part of what it is about.
///
/// - Parameters:
///   - text: The text.
///   - hidden: What must not stand in it. Short parts, and parts of few different bytes, may be there by chance.
func expectShowable(_ text: String, hiding hidden: [[UInt8]] = []) {
    let bytes = Array(text.utf8)
    expect(bytes.allSatisfy { (0x20..<0x7F).contains($0) }, "an error text is not printable ASCII")
    // Four quotations, each of 96 characters that are escaped with up to ten each, and what stands around them.
    expect(bytes.count <= 4 * 96 * 10 + 1024, "an error text has \(bytes.count) bytes")
    for part in hidden where part.count >= 32 && Set(part).count >= 10 {
        expect(bytes.firstRange(of: part) == nil, "an error text shows part of the input")
    }
}

/// Asks for everything that a value has, at every depth.
///
/// - Returns: How many values there are, so that nothing of it is left out as unused.
@discardableResult
func walk(_ value: JSONValue) -> Int {
    expect(value == value, "a value is not equal to itself")
    let answers =
        [value.string == nil, value.boolean == nil, value.elements == nil, value.members == nil].count { !$0 }
    let isPlain = value.kind == .null || value.kind == .number
    expect(answers == (isPlain ? 0 : 1), "a value is of several types, or of none")
    if let integer = value.integer {
        expect(value.kind == .number, "an integer is no number")
        // Beyond 2⁵³ the nearest `Double` is another number.
        if integer.magnitude < 1 << 53 { expect(value.number == Double(integer), "an integer is another number") }
    }
    if let number = value.number { expect(number.isFinite && value.kind == .number, "a number is not finite") }
    if let members = value.members {
        for (name, member) in members { expect(value[name] == member, "a member is not found by its name") }
        return members.reduce(1) { $0 + walk($1.value) }
    }
    return (value.elements ?? []).reduce(1) { $0 + walk($1) }
}

/// Whether Foundation can say the same as we do.
///
/// It refuses numbers that no `Double` holds, and takes two names for one that differ in Unicode normalization alone.
func isComparable(_ value: JSONValue) -> Bool {
    if value.kind == .number { return value.number != nil }
    if let members = value.members {
        return Set(members.map(\.name)).count == members.count && members.allSatisfy { isComparable($0.value) }
    }
    return (value.elements ?? []).allSatisfy(isComparable)
}
