// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// Two kinds of work that take turns, and how much one costs of the other.
///
/// A machine that others use too is now fast and now slow. What is measured a moment apart on the same machine is slow or fast
/// together, so the quotient holds where the times do not.
public struct Comparison {
    /// What the row is called.
    public let name: String

    /// What the quotient should be, if that is promised.
    public let goal: Goal?

    private let subject: Work
    private let reference: Work

    /// Compares one kind of work with another.
    ///
    /// - Parameters:
    ///   - name: What the row is called.
    ///   - subject: What is measured.
    ///   - reference: What it is divided by.
    ///   - goal: What the quotient should be; nil if it is only reported.
    public init(_ name: String, _ subject: Work, to reference: Work, goal: Goal? = nil) {
        self.name = name
        self.subject = subject
        self.reference = reference
        self.goal = goal
    }

    /// Measures them all in one run: in each round every comparison has its turn, and in a turn both kinds of work.
    ///
    /// - Parameters:
    ///   - comparisons: What to compare.
    ///   - rounds: How many quotients each gets.
    ///   - turn: How long one kind of work goes on before the other follows.
    /// - Returns: A row each, in the same order; and how much longer it took by the clock on the wall than by the processors'.
    /// - Throws: What the work throws.
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

    /// A comparison under way.
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

        /// Who is first changes, so that neither always finds the processor as the other left it.
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
