// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import HostileInput

@testable internal import LoginTokens

extension FuzzTarget {
    /// The fast readers compared with the slow, simple ones: the same result, or the same error at the same byte.
    static let differential = FuzzTarget(
        "differential",
        maximumBytes: Limits.tokenBytes + 1024,
        seeds: { vectors in try FuzzTarget.json.seeds(vectors) + FuzzTarget.token.seeds(vectors) },
        mutate: { input, seed, plain in
            // An input that begins like JSON is mutated as JSON, because its dots do not separate segments.
            let mutate =
                [UInt8(ascii: "{"), UInt8(ascii: "[")].contains(input.first)
                ? FuzzTarget.json.mutate : FuzzTarget.token.mutate
            return mutate?(input, seed, plain) ?? plain(input, Limits.tokenBytes)
        },
        run: { input in
            for text in [input[...]] + input.split(separator: UInt8(ascii: ".")) {
                expectNone(Difference.ofBase64URL(Array(text)))
            }
            // The second limits are low, so that they are reached sooner.
            for limits in [JSONLimits.token, JSONLimits(bytes: 256, depth: 3, members: 4)] {
                expectNone(Difference.ofJSON(input, limits: limits))
            }
            expectNone(Difference.ofForm(String(decoding: input, as: UTF8.self)))
        }
    )
}

private func expectNone(_ difference: String?) {
    expect(difference == nil, difference ?? "")
}
