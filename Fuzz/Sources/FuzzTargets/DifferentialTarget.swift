// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import HostileInput

@testable internal import LoginTokens

extension FuzzTarget {
    /// The quick readers against the slow and clear ones: the same answer, or the same error at the same byte.
    static let differential = FuzzTarget(
        "differential",
        maximumBytes: Limits.tokenBytes + 1024,
        seeds: { vectors in try FuzzTarget.json.seeds(vectors) + FuzzTarget.token.seeds(vectors) },
        mutate: { input, seed, plain in
            // A token has dots outside of quotation marks; what begins like JSON is none.
            let mutate =
                [UInt8(ascii: "{"), UInt8(ascii: "[")].contains(input.first)
                ? FuzzTarget.json.mutate : FuzzTarget.token.mutate
            return mutate?(input, seed, plain) ?? plain(input, Limits.tokenBytes)
        },
        run: { input in
            for text in [input[...]] + input.split(separator: UInt8(ascii: ".")) {
                expectNone(Difference.ofBase64URL(Array(text)))
            }
            // The second meets its bounds sooner.
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
