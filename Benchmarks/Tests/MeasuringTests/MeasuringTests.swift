// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Measuring
import Testing

@Suite(.serialized)
struct MeasuringTests {
    @Test func `the median lies between the two in the middle`() {
        #expect(samples([4, 1, 3, 2]).median == 2.5)
        #expect(samples([3, 1, 2]).median == 2)
        #expect(samples([7]).median == 7)
        #expect(Samples().median.isNaN)
    }

    @Test func `a quantile lies between its neighbours by their distance`() {
        let ten = samples((0...10).map(Double.init))
        #expect(ten.quantile(0) == 0)
        #expect(ten.quantile(0.1) == 1)
        #expect(ten.quantile(0.25) == 2.5)
        #expect(ten.quantile(1) == 10)
    }

    @Test func `a goal is met at its limit and missed beyond`() {
        #expect(Goal.atMost(1.08).isMet(by: 1.08))
        #expect(!Goal.atMost(1.08).isMet(by: 1.081))
        #expect(Goal.atLeast(0.97).isMet(by: 0.97))
        #expect(!Goal.atLeast(0.97).isMet(by: 0.969))
    }

    @Test func `what could not be measured misses its goal`() {
        #expect(!Goal.atMost(1).isMet(by: .nan))
        #expect(Row("a", notMeasured: "no reason", goal: .atMost(1)).met == false)
        #expect(Row("a", notMeasured: "no reason").met == nil)
    }

    @Test func `a row is what it was after it stood on a line`() throws {
        var row = Row("ours ÷ theirs", ratios: samples([1, 2, 3]), goal: .atMost(1.08))
        row.microseconds = 24.5
        row.note = "a note"
        let read = try #require(try Row.rows(ofLines: row.json() + "\n").first)
        #expect(read.name == "ours ÷ theirs")
        #expect(read.ratio == 2)
        #expect(read.rounds == 3)
        #expect(read.atMost == 1.08)
        #expect(read.met == false)
        #expect(read.microseconds == 24.5)
        #expect(read.note == "a note")
        #expect(try !row.json().contains("\n"))
    }

    @Test func `the table counts the goals and shows what is missed`() {
        let rows = [
            Row("good", ratio: 1, goal: .atMost(1.08)), Row("bad", ratio: 2, goal: .atMost(1.08)),
            Row("only told", ratio: 3),
        ]
        let text = Table([Table.Section(title: "one", rows: rows), Table.Section(title: "empty", rows: [])]).text
        let lines = text.split(separator: "\n")
        #expect(lines.last == "goals: 1 met, 1 missed")
        #expect(lines.filter { $0.contains("MISSED") }.count == 1)
        #expect(lines.contains { $0.hasPrefix("bad") && $0.contains("≤ 1.08") && $0.contains("MISSED") })
        #expect(!text.contains("empty"))
    }

    @Test func `work of twice the length costs twice as much`() async throws {
        let one = Work { use(slow(1)) }
        let two = Work { use(slow(2)) }
        let rows = try await Comparison.measure(
            [Comparison("two ÷ one", two, to: one), Comparison("one ÷ one", one, to: one)],
            rounds: 20,
            turn: .milliseconds(2)
        ).rows
        #expect(try abs(#require(rows[0].ratio) - 2) < 0.4)
        #expect(try abs(#require(rows[1].ratio) - 1) < 0.2)
    }

    @Test func `threads that work together take as long as the longest, and as much as all`() throws {
        let cost = try Threads.cost(2, prepare: { 20_000 }, { use(slow($0)) })
        #expect(cost.wallSeconds > 0)
        #expect(cost.processorSeconds > 0)
        #expect(throws: CancellationError.self) {
            try Threads.cost(2, prepare: { throw CancellationError() }, { (nothing: Int) in use(nothing) })
        }
    }

    @Test func `a program that fails is not measured`() throws {
        #expect(try Program(["true"]).run().peakBytes > 0)
        #expect(throws: Program.Failure.self) { try Program(["false"]).run() }
        #expect(throws: Program.Failure.self) { try Program(["/nowhere/at-all"]).run() }
        #expect(throws: Program.Failure.self) { try Program([]).run() }
    }

    private func samples(_ values: [Double]) -> Samples {
        values.reduce(into: Samples()) { $0.add($1) }
    }
}

/// Returns work that the compiler cannot optimize away.
@inline(never)
private func slow(_ amount: Int) -> Int {
    var number = amount
    for step in 0..<(amount * 2000) {
        number = number &* 6_364_136_223_846_793_005 &+ step
        use(number)
    }
    return number
}
