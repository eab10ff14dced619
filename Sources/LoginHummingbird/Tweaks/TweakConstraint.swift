// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import LoginText

/// Which values of its kind a tweak takes.
public enum TweakConstraint: Sendable, Hashable {
    /// All: what is either yes or no needs no more.
    case any
    /// Numbers from one end to the other, in steps.
    case range(TweakRange)
    /// These texts.
    case choices([String])
    /// Texts of so many bytes at most, on one line.
    case text(bytes: Int)
}

/// Numbers of one kind, from one end to the other: it is made of two ends, and never has only one.
public struct TweakRange: Sendable, Hashable {
    /// The smallest.
    public let lower: TweakContent
    /// The greatest.
    public let upper: TweakContent
    /// What lies between one and the next, counted from the smallest; nil where all between them will do.
    public let step: TweakContent?

    init<Value: TweakNumber>(_ range: ClosedRange<Value>, step: Value?) {
        lower = range.lowerBound.tweakContent
        upper = range.upperBound.tweakContent
        self.step = step?.tweakContent
    }

    /// Whether all of another range lies within it.
    func contains(_ other: Self) -> Bool {
        lower.kind == other.lower.kind && !other.lower.isLess(than: lower) && !upper.isLess(than: other.upper)
    }
}

extension TweakConstraint {
    /// Why a value is not taken; nil where it is.
    func refusal(of content: TweakContent) -> String? {
        switch self {
        case .any: nil
        case .range(let range): range.refusal(of: content)
        case .choices(let choices):
            if case .text(let text) = content, choices.contains(where: { isEqual($0, text) }) {
                nil
            } else {
                "it is none of \(choices.joined(separator: ", "))"
            }
        case .text(let bytes):
            if case .text(let text) = content, text.utf8.count <= bytes,
                text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
            {
                nil
            } else {
                "it is no text of one line and \(bytes) bytes at most"
            }
        }
    }
}

extension TweakRange {
    fileprivate func refusal(of content: TweakContent) -> String? {
        guard content.kind == lower.kind, !content.isLess(than: lower), !upper.isLess(than: content) else {
            return "it is not within \(lower.text) and \(upper.text)"
        }
        guard let step, !isReached(content, by: step) else { return nil }
        return "it is not \(lower.text) and a multiple of \(step.text) more"
    }

    private func isReached(_ content: TweakContent, by step: TweakContent) -> Bool {
        switch (content, lower, step) {
        case (.integer(let value), .integer(let lower), .integer(let step)):
            // Between ends that lie far apart the difference may be no Int, but as it is not negative, it is always a UInt.
            return UInt(bitPattern: value &- lower).isMultiple(of: step.magnitude)
        case (.seconds(let value), .seconds(let lower), .seconds(let step)):
            return (value - lower).wholeMilliseconds.isMultiple(of: step.wholeMilliseconds)
        case (.decimal(let value), .decimal(let lower), .decimal(let step)):
            // In binary no multiple of a decimal fraction is exact.
            let count = (value - lower) / step
            return abs(count - count.rounded()) < 1e-6
        default: return false
        }
    }
}
#endif
