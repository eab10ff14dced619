// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import HostileInput

/// Something that must bear any input: it returns, or it traps with a message because an invariant is broken.
public struct FuzzTarget: Sendable {
    /// What libFuzzer does to bytes: a change of at most so many bytes.
    public typealias PlainMutator = (_ input: [UInt8], _ maximumBytes: Int) -> [UInt8]

    /// The name, also of the folder of its found cases.
    public let name: String

    /// How long an input is worth trying: somewhat beyond where the library refuses by length.
    public let maximumBytes: Int

    /// Inputs to begin with.
    public let seeds: @Sendable (TestVectorFiles) throws -> [[UInt8]]

    /// Tries an input.
    public let run: @Sendable ([UInt8]) -> Void

    /// Changes an input by what is known of its form; nil where bytes have none.
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
        .token, .json, .base64URL, .keySet, .discovery, .freshness, .differential,
    ]
}
