// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import HostileInput

@testable internal import LoginTokens

extension FuzzTarget {
    /// JSON: Foundation accepts what our reader accepts, with equal values; writing and reading it again changes
    /// nothing.
    static let json = FuzzTarget(
        "json",
        maximumBytes: 4096,
        seeds: { vectors in
            let texts = vectors.vectors.filter { $0.kind == "json" }.compactMap { $0.members["text"] as? String }
            return texts.compactMap { Data(base64Encoded: $0).map(Array.init) }
        },
        mutate: { input, seed, plain in
            var mutator = TokenMutator(seed: seed)
            return mutator.below(2) == 0 ? mutator.edited(input) : plain(input, 4096)
        },
        run: { input in tryJSON(input) }
    )
}

private func tryJSON(_ input: [UInt8]) {
    let root: JSONValue
    do throws(JSONError) {
        root = try JSONDocument.read(input).root
    } catch {
        expectShowable(error.description, hiding: [input])
        expect((0...input.count).contains(error.offset), "an error is outside the text")
        return
    }
    walk(root)
    guard isComparable(root) else { return }
    let values = PlainJSON(root)
    if let other = try? PlainJSON.foundation(input) {
        expect(other == values, "Foundation reads another value")
    } else {
        // Foundation's decoder refuses some numbers that the standard allows: 0e3, and those nearest to zero (1e-400).
        let other = try? JSONSerialization.jsonObject(with: Data(input), options: .fragmentsAllowed)
        expect(other != nil, "Foundation refuses the value")
    }
    guard let written = try? JSONEncoder().encode(root) else {
        fatalError("broken invariant: a value cannot be written")
    }
    // The written form of a number may be longer, so the result may exceed the limit.
    guard written.count <= Limits.tokenBytes else { return }
    let again = try? JSONDocument.read(Array(written)).root
    expect(again.map(PlainJSON.init) == values, "a value changes when it is written and read")
}
