// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation

/// What a number should be.
public enum Goal: Sendable, Hashable {
    /// No more than this.
    case atMost(Double)
    /// No less than this.
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
    /// What was measured.
    public let name: String
    /// The median of the quotients, if it is one.
    public private(set) var ratio: Double?
    /// The amount, if it is not a quotient.
    public private(set) var amount: Double?
    /// What the amount is of.
    public private(set) var unit: String?
    /// A tenth of the quotients is below.
    public private(set) var p10: Double?
    /// A tenth of the quotients is above.
    public private(set) var p90: Double?
    /// How many quotients there are.
    public private(set) var rounds: Int?
    /// What the value must not exceed.
    public private(set) var atMost: Double?
    /// What the value must reach.
    public private(set) var atLeast: Double?
    /// Whether the goal is met; nil if there is none.
    public private(set) var met: Bool?
    /// The median time of what was measured, on this machine, in this hour.
    public var microseconds: Double? { didSet { microseconds = microseconds.map(rounded) } }
    /// The median time of what it is compared with.
    public var referenceMicroseconds: Double? { didSet { referenceMicroseconds = referenceMicroseconds.map(rounded) } }
    /// What the number does not say.
    public var note: String?

    /// A quotient.
    public init(_ name: String, ratios: Samples, goal: Goal? = nil) {
        self.init(name, value: ratios.median, goal: goal)
        self.ratio = rounded(ratios.median)
        self.p10 = rounded(ratios.quantile(0.1))
        self.p90 = rounded(ratios.quantile(0.9))
        self.rounds = ratios.count
    }

    /// A quotient that was measured once.
    public init(_ name: String, ratio: Double, goal: Goal? = nil) {
        self.init(name, value: ratio, goal: goal)
        self.ratio = rounded(ratio)
    }

    /// An amount.
    public init(_ name: String, amount: Double, of unit: String, goal: Goal? = nil) {
        self.init(name, value: amount, goal: goal)
        self.amount = rounded(amount)
        self.unit = unit
    }

    /// What could not be measured.
    ///
    /// - Parameters:
    ///   - name: What should have been measured.
    ///   - reason: Why it was not, and what to do.
    ///   - goal: What the value should have been; it counts as missed.
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

    /// Reads rows, one JSON object a line, as other programs of this package print them.
    public static func rows(ofLines text: String) throws -> [Row] {
        let decoder = JSONDecoder()
        return try text.split(separator: "\n").map { try decoder.decode(Row.self, from: Data($0.utf8)) }
    }
}

/// With as many places as were measured: whether a goal is met is judged before.
private func rounded(_ value: Double) -> Double {
    (value * 10_000).rounded() / 10_000
}
