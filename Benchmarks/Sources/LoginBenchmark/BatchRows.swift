// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation
import LoginCase
import Measuring

/// `verify-token batch` on a file of many tokens, compared with the floor on two threads.
struct BatchRows {
    private static let speed = (name: "batch on two threads ÷ floor on two threads", goal: Goal.atLeast(0.80))
    private static let memory = (name: "batch, peak memory", goal: Goal.atMost(64))

    private let input: BatchInput
    private let program: Program
    private let threads: ThreadRows
    private let floorTimes = 50_000

    init(_ login: LoginCase, _ options: Options, _ threads: ThreadRows) throws {
        self.threads = threads
        input = try BatchInput.kept(in: options.directory, tokens: options.batchTokens, login: login)
        program = Program([
            options.program, "batch", input.tokensFile.path, "--provider", "facebook", "--app-id",
            login.issuer.audience,
            "--nonce-unchecked", "a benchmark", "--keys", input.keysFile.path, "--at", input.time, "--quiet", "--jobs",
            "2",
        ])
    }

    /// Measures the batch, and the floor before and after it, which represents the machine's speed during the batch.
    func measure() throws -> [Row] {
        let before = try threads.verifyFloor(threads: 2, times: floorTimes)
        let run: Program.Run
        do throws(Program.Failure) {
            run = try program.run()
        } catch {
            let reason = "\(error); is a command with `batch` built? `make program`"
            return [
                Row(Self.speed.name, notMeasured: reason, goal: Self.speed.goal),
                Row(Self.memory.name, notMeasured: reason, goal: Self.memory.goal),
            ]
        }
        let after = try threads.verifyFloor(threads: 2, times: floorTimes)
        let floors = Double(4 * floorTimes)
        let tokens = Double(input.tokens)
        let floor = (
            wall: before.wallSeconds + after.wallSeconds, processor: before.processorSeconds + after.processorSeconds
        )

        var speed = Row(
            Self.speed.name,
            ratio: (tokens / run.wallSeconds) / (floors / floor.wall),
            goal: Self.speed.goal
        )
        speed.microseconds = run.wallSeconds / tokens * 1e6
        speed.referenceMicroseconds = floor.wall / floors * 1e6
        speed.note = String(
            format: "%d tokens in %.1f s, %.0f a second",
            input.tokens,
            run.wallSeconds,
            tokens / run.wallSeconds
        )
        var processor = Row(
            "batch ÷ floor, by processor time",
            ratio: (tokens / run.processorSeconds) / (floors / floor.processor)
        )
        processor.microseconds = run.processorSeconds / tokens * 1e6
        processor.referenceMicroseconds = floor.processor / floors * 1e6
        var memory = Row(Self.memory.name, amount: Double(run.peakBytes) / 1_048_576, of: "MB", goal: Self.memory.goal)
        memory.note = "no less than this program's, which Linux passes on to what it starts"
        return [speed, processor, memory]
    }
}

/// The input file: a thousand distinct tokens, repeated, so that neither a cache nor reading has an advantage.
///
/// Writing the file takes longer than verifying it. It is therefore kept for later runs, with its keys and the time at
/// which its tokens are valid.
struct BatchInput {
    private static let distinct = 1000

    let tokensFile: URL
    let keysFile: URL
    let time: String
    let tokens: Int

    /// Returns the file in this directory, created if it is missing.
    static func kept(in directory: URL, tokens: Int, login: LoginCase) throws -> Self {
        let timeFile = directory.appending(path: "batch-\(tokens).time")
        let kept = try? String(contentsOf: timeFile, encoding: .utf8)
        let input = Self(
            tokensFile: directory.appending(path: "batch-\(tokens).tokens"),
            keysFile: directory.appending(path: "batch-\(tokens).keys.json"),
            time: kept ?? String(Int(Date().timeIntervalSince1970)),
            tokens: tokens
        )
        if kept == nil {
            try input.write(login)
            // Written last: if this file exists, the others are complete.
            try Data(input.time.utf8).write(to: timeFile)
        }
        return input
    }

    private func write(_ login: LoginCase) throws {
        try Data(login.keySetText.utf8).write(to: keysFile)
        let lines = login.distinctTokens(min(Self.distinct, tokens)).map { Data(($0 + "\n").utf8) }
        let block = lines.reduce(into: Data()) { $0 += $1 }
        try Data().write(to: tokensFile)
        let file = try FileHandle(forWritingTo: tokensFile)
        for _ in 0..<(tokens / lines.count) { try file.write(contentsOf: block) }
        for line in lines.prefix(tokens % lines.count) { try file.write(contentsOf: line) }
        // Data not yet on the disk would be written during a later measurement.
        try file.synchronize()
        try file.close()
    }
}
