// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// Two kinds of work that take turns, and the ratio of their costs.
///
/// The speed of a shared machine varies. Two measurements a moment apart are slow or fast together, so the ratio is
/// stable where the times are not.
public struct Comparison {
    /// The name of the row.
    public let name: String

    /// The goal for the ratio, if there is one.
    public let goal: Goal?

    private let subject: Work
    private let reference: Work

    /// Compares one kind of work with another.
    ///
    /// - Parameters:
    ///   - name: The name of the row.
    ///   - subject: The work to measure.
    ///   - reference: The work to compare it with.
    ///   - goal: The goal for the ratio; nil if it is only reported.
    public init(_ name: String, _ subject: Work, to reference: Work, goal: Goal? = nil) {
        self.name = name
        self.subject = subject
        self.reference = reference
        self.goal = goal
    }

    /// Measures all comparisons in one run: each has a turn in every round, and both kinds of work run in a turn.
    ///
    /// - Parameters:
    ///   - comparisons: The comparisons.
    ///   - rounds: The number of ratios for each.
    ///   - turn: The duration of one kind of work before the other follows.
    /// - Returns: One row per comparison, in the same order, and the ratio of wall-clock time to processor time.
    /// - Throws: Rethrows errors of the work.
    public static func measure(
        _ comparisons: [Self],
        rounds: Int,
        turn: Duration
    ) async throws -> (rows: [Row], wallRatio: Double) {
        var measured: [Measured] = []
        for comparison in comparisons { measured.append(try await Measured(comparison, turn: turn)) }
        for round in 0..<rounds {
            for index in measured.indices { try await measured[index].takeTurn(subjectFirst: round % 2 == 1) }
        }
        let wall = measured.reduce(0) { $0 + $1.wall }
        return (measured.map(\.row), wall / measured.reduce(0) { $0 + $1.processor })
    }

    /// The state of a comparison during a run.
    private struct Measured {
        private let comparison: Comparison
        private let subjectTimes: Int
        private let referenceTimes: Int
        private var subjectMicroseconds = Samples()
        private var referenceMicroseconds = Samples()
        private var ratios = Samples()
        private(set) var wall = 0.0
        private(set) var processor = 0.0

        init(_ comparison: Comparison, turn: Duration) async throws {
            self.comparison = comparison
            self.subjectTimes = try await comparison.subject.times(in: turn)
            self.referenceTimes = try await comparison.reference.times(in: turn)
        }

        /// Runs both kinds of work.
        ///
        /// The order alternates, so that neither always runs with the caches that the other left.
        mutating func takeTurn(subjectFirst: Bool) async throws {
            let early = subjectFirst ? try await comparison.subject.cost(times: subjectTimes) : nil
            let reference = try await comparison.reference.cost(times: referenceTimes)
            let late = subjectFirst ? nil : try await comparison.subject.cost(times: subjectTimes)
            guard let subject = early ?? late else { return }
            subjectMicroseconds.add(subject.microseconds)
            referenceMicroseconds.add(reference.microseconds)
            ratios.add(subject.microseconds / reference.microseconds)
            for cost in [subject, reference] {
                wall += cost.wallMicroseconds * Double(cost.times)
                processor += cost.microseconds * Double(cost.times)
            }
        }

        var row: Row {
            var row = Row(comparison.name, ratios: ratios, goal: comparison.goal)
            row.microseconds = subjectMicroseconds.median
            row.referenceMicroseconds = referenceMicroseconds.median
            return row
        }
    }
}
