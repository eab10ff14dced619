// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import HostileInput

@testable internal import LoginText

extension FuzzTarget {
    /// Base64url: each byte string has one encoding, equal to Foundation's, and nothing else is decoded.
    static let base64URL = FuzzTarget(
        "base64url",
        maximumBytes: 512,
        seeds: { _ in
            [
                "", "A", "AA", "AB", "AAA", "AAB", "AAAA", "AA==", "A+/A", "A-_A", "AA AA", "AAAA\n", "AAAAA", "_w",
                "__8",
            ]
            .map { Array($0.utf8) }
        },
        run: { input in
            let decoded = Base64URL.decode(input)
            expect(decoded == Segments.decode(input), "Foundation decodes other bytes")
            if let decoded { expect(Array(Base64URL.encode(decoded).utf8) == input, "the bytes have another encoding") }
            let encoded = Base64URL.encode(input)
            expect(Array(encoded.utf8) == Segments.encode(input), "Foundation encodes differently")
            expect(Base64URL.decode(encoded.utf8) == input, "the encoding is decoded to other bytes")
        }
    )
}
