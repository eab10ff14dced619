// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The value of a tweak, of any kind, with its text form in the store, in files and on the page.
public enum TweakContent: Sendable, Hashable {
    /// A Boolean value: `true` or `false`.
    case boolean(Bool)
    /// A whole number, in decimal: every `Int`, up to 19 digits.
    case integer(Int)
    /// A number, in decimal; very small and very large numbers have an exponent: `0.25` or `1e-05`.
    case decimal(Double)
    /// A duration in seconds, with millisecond precision: `30` or `0.5`.
    case seconds(Duration)
    /// A text.
    case text(String)

    /// The kind of a value.
    public enum Kind: String, Sendable, Hashable {
        /// ``TweakContent/boolean(_:)``.
        case boolean
        /// ``TweakContent/integer(_:)``.
        case integer
        /// ``TweakContent/decimal(_:)``.
        case decimal
        /// ``TweakContent/seconds(_:)``.
        case seconds
        /// ``TweakContent/text(_:)``.
        case text
    }

    /// The kind of this value.
    public var kind: Kind {
        switch self {
        case .boolean: .boolean
        case .integer: .integer
        case .decimal: .decimal
        case .seconds: .seconds
        case .text: .text
        }
    }

    /// The text form of this value.
    public var text: String {
        switch self {
        case .boolean(let value): value ? "true" : "false"
        case .integer(let value): String(value)
        case .decimal(let value): value == value.rounded() && abs(value) < 1e15 ? String(Int(value)) : "\(value)"
        case .seconds(let value): Self.text(ofMilliseconds: value.wholeMilliseconds)
        case .text(let value): value
        }
    }

    /// Creates a value from its text form; nil if the text is not a value of this kind.
    ///
    /// - Parameters:
    ///   - text: The text. A number may have a leading `-`, and no spaces, no other sign, and no exponent but the one
    ///     in ``text``.
    ///   - kind: The kind of the value.
    public init?(_ text: String, as kind: Kind) {
        switch kind {
        case .boolean:
            switch text {
            case "true": self = .boolean(true)
            case "false": self = .boolean(false)
            default: return nil
            }
        case .integer:
            guard Self.isDecimal(text, fraction: 0), let value = Int(text) else { return nil }
            self = .integer(value)
        case .decimal:
            guard let value = Double(text), value.isFinite else { return nil }
            self = .decimal(value)
            guard Self.isDecimal(text, fraction: 17) || text == self.text else { return nil }
        case .seconds:
            guard Self.isDecimal(text, fraction: 3) else { return nil }
            let parts = text.split(separator: ".")
            let fraction = parts.count > 1 ? parts[1] + String(repeating: "0", count: 3 - parts[1].count) : "000"
            guard let milliseconds = Int64(parts[0] + fraction) else { return nil }
            self = .seconds(.milliseconds(milliseconds))
        case .text: self = .text(text)
        }
    }

    /// Returns whether a text has an optional `-`, up to 19 digits, which every `Int` fits in, and optionally a point
    /// and up to `fraction` more digits.
    ///
    /// `Double` parses other notations too, such as `0x1p3` and `inf`, which are invalid here.
    private static func isDecimal(_ text: String, fraction: Int) -> Bool {
        let digits = text.hasPrefix("-") ? text.dropFirst() : Substring(text)
        let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
        let areDigits = parts.allSatisfy { part in
            !part.isEmpty && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
        }
        guard areDigits, (1...2).contains(parts.count), (1...19).contains(parts[0].utf8.count) else { return false }
        return parts.count == 1 || parts[1].utf8.count <= fraction
    }

    private static func text(ofMilliseconds milliseconds: Int64) -> String {
        let sign = milliseconds < 0 ? "-" : ""
        let (seconds, rest) = milliseconds.magnitude.quotientAndRemainder(dividingBy: 1000)
        guard rest > 0 else { return "\(sign)\(seconds)" }
        var fraction = String(1000 + rest).dropFirst()
        while fraction.hasSuffix("0") { fraction.removeLast() }
        return "\(sign)\(seconds).\(fraction)"
    }
}

extension TweakContent {
    /// Returns whether this number is less than another number of the same kind.
    func isLess(than other: Self) -> Bool {
        switch (self, other) {
        case (.integer(let first), .integer(let second)): first < second
        case (.decimal(let first), .decimal(let second)): first < second
        case (.seconds(let first), .seconds(let second)): first < second
        default: false
        }
    }
}

extension Duration {
    /// The duration in milliseconds, truncated to a whole number; the nearest one of an `Int64` for a longer duration.
    var wholeMilliseconds: Int64 {
        let (seconds, isLonger) = components.seconds.multipliedReportingOverflow(by: 1000)
        let (sum, isSumLonger) = seconds.addingReportingOverflow(components.attoseconds / 1_000_000_000_000_000)
        return isLonger || isSumLonger ? (self < .zero ? .min : .max) : sum
    }
}

/// A type of values that a tweak may have.
public protocol TweakValue: Sendable, Hashable {
    /// Creates a value from a content; nil if the content is of another kind.
    init?(_ content: TweakContent)

    /// The value as a content.
    var tweakContent: TweakContent { get }
}

/// A type of numbers that a tweak may have.
public protocol TweakNumber: TweakValue, Comparable {}

extension Bool: TweakValue {
    /// Creates a value from a content; nil if the content is not a Boolean.
    public init?(_ content: TweakContent) {
        guard case .boolean(let value) = content else { return nil }
        self = value
    }

    /// The value as a content.
    public var tweakContent: TweakContent { .boolean(self) }
}

extension Int: TweakNumber {
    /// Creates a value from a content; nil if the content is not a whole number.
    public init?(_ content: TweakContent) {
        guard case .integer(let value) = content else { return nil }
        self = value
    }

    /// The value as a content.
    public var tweakContent: TweakContent { .integer(self) }
}

extension Double: TweakNumber {
    /// Creates a value from a content; nil if the content is not a decimal number.
    public init?(_ content: TweakContent) {
        guard case .decimal(let value) = content else { return nil }
        self = value
    }

    /// The value as a content.
    public var tweakContent: TweakContent { .decimal(self) }
}

extension Duration: TweakNumber {
    /// Creates a value from a content; nil if the content is not a duration.
    public init?(_ content: TweakContent) {
        guard case .seconds(let value) = content else { return nil }
        self = value
    }

    /// The value as a content.
    public var tweakContent: TweakContent { .seconds(self) }
}

extension String: TweakValue {
    /// Creates a value from a content; nil if the content is not a text.
    public init?(_ content: TweakContent) {
        guard case .text(let value) = content else { return nil }
        self = value
    }

    /// The value as a content.
    public var tweakContent: TweakContent { .text(self) }
}
