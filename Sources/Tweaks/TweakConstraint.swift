// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// A constraint on the values of a tweak.
public enum TweakConstraint: Sendable, Hashable {
    /// No constraint: a Boolean, or any number.
    case any
    /// Numbers within a range, optionally in steps.
    case range(TweakRange)
    /// One of these texts.
    case choices([String])
    /// A single line of at most this many bytes of UTF-8, without control characters.
    case text(bytes: Int)
}

/// A closed range of numbers of one kind.
public struct TweakRange: Sendable, Hashable {
    /// The smallest number.
    public let lower: TweakContent
    /// The largest number.
    public let upper: TweakContent
    /// The distance between two allowed numbers, counted from the smallest; nil if every number in the range is
    /// allowed.
    public let step: TweakContent?

    init<Value: TweakNumber>(_ range: ClosedRange<Value>, step: Value?) {
        lower = range.lowerBound.tweakContent
        upper = range.upperBound.tweakContent
        self.step = step?.tweakContent
    }
}

extension TweakConstraint {
    /// The maximum length of a text: 1 KiB, more than a line on the page.
    static let textBytes = 1024

    /// Returns the reason why a value does not meet the constraint; nil if it does.
    func refusal(of content: TweakContent) -> String? {
        switch self {
        case .any: nil
        case .range(let range): range.refusal(of: content)
        case .choices(let choices):
            if case .text(let text) = content, choices.contains(where: { $0.utf8.elementsEqual(text.utf8) }) {
                nil
            } else {
                "it must be one of: \(choices.joined(separator: ", "))"
            }
        case .text(let bytes):
            if case .text(let text) = content, text.utf8.count <= bytes,
                text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
            {
                nil
            } else {
                "it must be a single line of at most \(bytes) bytes"
            }
        }
    }
}

extension TweakRange {
    fileprivate func refusal(of content: TweakContent) -> String? {
        guard content.kind == lower.kind, !content.isLess(than: lower), !upper.isLess(than: content) else {
            return "it must be between \(lower.text) and \(upper.text)"
        }
        guard let step, !isReached(content, by: step) else { return nil }
        return "it must be \(lower.text) plus a multiple of \(step.text)"
    }

    private func isReached(_ content: TweakContent, by step: TweakContent) -> Bool {
        switch (content, lower, step) {
        case (.integer(let value), .integer(let lower), .integer(let step)):
            // The difference of distant numbers may overflow an Int. It is not negative, so it always fits a UInt.
            return UInt(bitPattern: value &- lower).isMultiple(of: step.magnitude)
        case (.seconds(let value), .seconds(let lower), .seconds(let step)):
            let difference = value.wholeMilliseconds &- lower.wholeMilliseconds
            return UInt64(bitPattern: difference).isMultiple(of: step.wholeMilliseconds.magnitude)
        case (.decimal(let value), .decimal(let lower), .decimal(let step)):
            // Multiples of a decimal fraction are not exact in binary.
            let count = (value - lower) / step
            return abs(count - count.rounded()) < 1e-6
        default: return false
        }
    }
}
