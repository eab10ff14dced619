// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import HostileInput

/// A function that must handle any input: it returns, or traps with a message when an invariant is broken.
public struct FuzzTarget: Sendable {
    /// libFuzzer's own mutation, with an upper bound for the length of the result.
    public typealias PlainMutator = (_ input: [UInt8], _ maximumBytes: Int) -> [UInt8]

    /// The name, also of the directory with its found cases.
    public let name: String

    /// The maximum length of an input: slightly more than the library accepts.
    public let maximumBytes: Int

    /// Creates the initial inputs.
    public let seeds: @Sendable (TestVectorFiles) throws -> [[UInt8]]

    /// Runs one input.
    public let run: @Sendable ([UInt8]) -> Void

    /// Changes an input according to its format; nil for formats without a structure.
    public let mutate: (@Sendable (_ input: [UInt8], _ seed: UInt64, _ plain: PlainMutator) -> [UInt8])?

    init(
        _ name: String,
        maximumBytes: Int,
        seeds: @escaping @Sendable (TestVectorFiles) throws -> [[UInt8]],
        mutate: (@Sendable (_ input: [UInt8], _ seed: UInt64, _ plain: PlainMutator) -> [UInt8])? = nil,
        run: @escaping @Sendable ([UInt8]) -> Void
    ) {
        self.name = name
        self.maximumBytes = maximumBytes
        self.seeds = seeds
        self.run = run
        self.mutate = mutate
    }

    /// All targets.
    public static let all: [FuzzTarget] = [
        .token, .proof, .introspection, .json, .base64URL, .keySet, .discovery, .freshness, .differential,
    ]
}
