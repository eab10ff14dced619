// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation

/// A goal for a number.
public enum Goal: Sendable, Hashable {
    /// An upper bound.
    case atMost(Double)
    /// A lower bound.
    case atLeast(Double)

    /// Whether a value meets it.
    public func isMet(by value: Double) -> Bool {
        switch self {
        case .atMost(let limit): value <= limit
        case .atLeast(let limit): value >= limit
        }
    }
}

/// A line of the table, and a JSON object for programs.
public struct Row: Codable, Sendable {
    /// The name of the measurement.
    public let name: String
    /// The median of the ratios, if the value is a ratio.
    public private(set) var ratio: Double?
    /// The amount, if the value is not a ratio.
    public private(set) var amount: Double?
    /// The unit of the amount.
    public private(set) var unit: String?
    /// The tenth percentile of the ratios.
    public private(set) var p10: Double?
    /// The ninetieth percentile of the ratios.
    public private(set) var p90: Double?
    /// The number of ratios.
    public private(set) var rounds: Int?
    /// The upper bound for the value.
    public private(set) var atMost: Double?
    /// The lower bound for the value.
    public private(set) var atLeast: Double?
    /// Whether the goal is met; nil if there is none.
    public private(set) var met: Bool?
    /// The median time of the measured work, on this machine, at this time.
    public var microseconds: Double? { didSet { microseconds = microseconds.map(rounded) } }
    /// The median time of the reference.
    public var referenceMicroseconds: Double? { didSet { referenceMicroseconds = referenceMicroseconds.map(rounded) } }
    /// A remark on the number.
    public var note: String?

    /// Creates a row with the median of several ratios.
    public init(_ name: String, ratios: Samples, goal: Goal? = nil) {
        self.init(name, value: ratios.median, goal: goal)
        self.ratio = rounded(ratios.median)
        self.p10 = rounded(ratios.quantile(0.1))
        self.p90 = rounded(ratios.quantile(0.9))
        self.rounds = ratios.count
    }

    /// Creates a row with a ratio that was measured once.
    public init(_ name: String, ratio: Double, goal: Goal? = nil) {
        self.init(name, value: ratio, goal: goal)
        self.ratio = rounded(ratio)
    }

    /// Creates a row with an amount.
    public init(_ name: String, amount: Double, of unit: String, goal: Goal? = nil) {
        self.init(name, value: amount, goal: goal)
        self.amount = rounded(amount)
        self.unit = unit
    }

    /// Creates a row for a measurement that failed.
    ///
    /// - Parameters:
    ///   - name: The name of the measurement.
    ///   - reason: The reason, and what to do about it.
    ///   - goal: The goal for the value; it counts as missed.
    public init(_ name: String, notMeasured reason: String, goal: Goal? = nil) {
        self.init(name, value: .nan, goal: goal)
        self.note = "not measured: " + reason
    }

    private init(_ name: String, value: Double, goal: Goal?) {
        self.name = name
        self.met = goal?.isMet(by: value)
        switch goal {
        case .atMost(let limit): self.atMost = limit
        case .atLeast(let limit): self.atLeast = limit
        case nil: break
        }
    }
}

extension Row {
    /// The row as one JSON object on one line.
    public func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }

    /// Reads rows, one JSON object per line, as the other programs of this package print them.
    public static func rows(ofLines text: String) throws -> [Row] {
        let decoder = JSONDecoder()
        return try text.split(separator: "\n").map { try decoder.decode(Row.self, from: Data($0.utf8)) }
    }
}

/// Rounds to the precision of the measurement.
///
/// Goals are compared with the unrounded value.
private func rounded(_ value: Double) -> Double {
    (value * 10_000).rounded() / 10_000
}
