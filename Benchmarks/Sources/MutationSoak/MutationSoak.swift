// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation
import HostileInput
import LimitedLogin
import LoginTesting
import LoginTokens
import SoakSupport

/// Tries ten million times to have unsigned tokens accepted, through the public API.
///
/// Valid tokens of the test vectors are changed at random. An accepted token must equal one of them, byte for byte;
/// refusals are counted by code; and memory must not grow. Exits with 1 if a goal is missed. Run it in the root of the
/// project.
///
/// usage: MutationSoak [COUNT [SEED]]
@main
struct MutationSoak {
    /// The number of tokens in a chunk.
    ///
    /// The seed of each chunk is derived from the run's seed, so the tokens are the same on any number of processors.
    private static let chunk = 10_000

    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst().map { UInt64($0) }
        guard arguments.count <= 2, !arguments.contains(nil) else {
            print("usage: MutationSoak [COUNT [SEED]]")
            exit(64)
        }
        let count = Int(arguments.first.flatMap { $0 } ?? 10_000_000)
        let seed = arguments.dropFirst().first.flatMap { $0 } ?? 1
        let chunks = max(4, (count + chunk - 1) / chunk)
        let targets = try [MutationTarget.facebook(), MutationTarget.openID()]
        print("mutations of \(targets.map(\.valid.count).reduce(0, +)) valid tokens, seed \(seed)")

        var tally = Tally()
        var memory = MemoryRecord()
        let began = ContinuousClock.now
        try await withThrowingTaskGroup(of: Tally.self) { group in
            var next = 0
            func add() {
                let (number, size) = (next, count / chunks + (next < count % chunks ? 1 : 0))
                next += 1
                // A multiple of the first of SplitMix64's constants would repeat the numbers of another chunk.
                let mixed = (seed &+ UInt64(number)) &* 0xD134_2543_DE82_EF95
                group.addTask { targets[number % targets.count].run(size, seed: mixed) }
            }
            while next < min(chunks, ProcessInfo.processInfo.activeProcessorCount) { add() }
            while let part = try await group.next() {
                tally.add(part)
                try memory.sample()
                if next < chunks { add() }
            }
        }
        let isMet = tally.report(after: ContinuousClock.now - began) && memory.report()
        print(isMet ? "met" : "missed")
        exit(isMet ? 0 : 1)
    }
}

/// The outcomes of mutations.
struct Tally: Sendable {
    private var refusals: [String: Int] = [:]
    private var kinds: [String: Int] = [:]
    private var unchanged = 0
    private var accepted: [String] = []

    /// Counts the outcome of one mutation.
    mutating func count(_ code: String?, _ kind: TokenMutator.Kind, _ text: String, isValid: Bool) {
        kinds[kind.rawValue, default: 0] += 1
        switch code {
        case let code?: refusals[code, default: 0] += 1
        case nil where isValid: unchanged += 1
        case nil: accepted.append(text)
        }
    }

    /// Adds the outcomes of another tally.
    mutating func add(_ other: Tally) {
        refusals.merge(other.refusals, uniquingKeysWith: +)
        kinds.merge(other.kinds, uniquingKeysWith: +)
        unchanged += other.unchanged
        accepted += other.accepted
    }

    /// Prints all counts.
    ///
    /// - Returns: Whether no changed token was accepted.
    func report(after duration: Duration) -> Bool {
        let all = kinds.values.reduce(0, +)
        print("by kind of the first change:")
        for (kind, count) in kinds.sorted(by: { $0.key < $1.key }) { print("  \(kind): \(count)") }
        print("refused, by code:")
        for (code, count) in refusals.sorted(by: { $0.value > $1.value }) { print("  \(code): \(count)") }
        print("mutations: \(all) in \(duration.components.seconds) s, without a trap")
        print("the same as a valid token again, and accepted: \(unchanged)")
        print("accepted although changed: \(accepted.count) (goal: 0)")
        for text in accepted.prefix(5) { print("  \(text)") }
        return accepted.isEmpty
    }
}
