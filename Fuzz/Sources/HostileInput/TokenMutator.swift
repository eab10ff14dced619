// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// Changes tokens as an attacker would to have an unsigned one accepted: in their text, in the contents of their
/// segments, and with parts of other tokens.
///
/// The same seed makes the same changes.
public struct TokenMutator {
    /// A kind of change.
    public enum Kind: String, CaseIterable, Sendable {
        /// Flips one bit of the text.
        case bit
        /// Replaces one byte of the text.
        case replacement
        /// Inserts one to eight bytes.
        case insertion
        /// Deletes one to eight bytes.
        case deletion
        /// Repeats a part of the text.
        case doubling
        /// Cuts off the end or the beginning.
        case truncation
        /// Swaps two segments.
        case swap
        /// Replaces a segment by one of another token.
        case exchange
        /// Joins the beginning of one token to the end of another.
        case splice
        /// Replaces the header by one that an attacker would write.
        case header
        /// Flips one bit of a decoded segment, and encodes it correctly.
        case decodedBit
        /// Inserts, deletes or replaces a byte of a decoded segment, and encodes it correctly.
        case decodedByte
        /// Replaces, removes, doubles or moves a value, a name or a member of the header or the claims.
        case json
        /// Encodes the same bytes differently: padding, the plain base64 alphabet, white space, non-zero trailing bits.
        case spelling
        /// Replaces the signature by one that is empty, too short, too long, or all zeros.
        case signature
        /// Adds or removes a segment.
        case segments
    }

    private var numbers: SeededNumbers

    /// Creates a mutator whose changes follow from `seed`.
    public init(seed: UInt64) {
        numbers = SeededNumbers(seed: seed)
    }

    /// Changes a token once, or several times.
    ///
    /// - Parameters:
    ///   - token: A valid or invalid token.
    ///   - other: Another token, the source of foreign parts.
    /// - Returns: The result, which may be unchanged, and the first kind of change.
    public mutating func mutate(_ token: [UInt8], other: [UInt8]) -> (text: [UInt8], kind: Kind) {
        let first = Kind.allCases[below(Kind.allCases.count)]
        var text = changed(token, by: first, other: other)
        while below(4) == 0 {
            text = changed(text, by: Kind.allCases[below(Kind.allCases.count)], other: other)
        }
        return (text, first)
    }

    /// Returns a number from 0 to below `bound`; 0 if `bound` is less than 1.
    public mutating func below(_ bound: Int) -> Int {
        bound < 2 ? 0 : Int.random(in: 0..<bound, using: &numbers)
    }

    private mutating func changed(_ token: [UInt8], by kind: Kind, other: [UInt8]) -> [UInt8] {
        guard !token.isEmpty else { return other }
        switch kind {
        case .bit: return withBit(of: token)
        case .replacement: return replacing(token, at: below(token.count), count: 1, with: [byte()])
        case .insertion: return replacing(token, at: below(token.count + 1), count: 0, with: bytes(1 + below(8)))
        case .deletion: return replacing(token, at: below(token.count), count: 1 + below(8), with: [])
        case .doubling:
            let start = below(token.count)
            return replacing(token, at: start, count: 0, with: Array(token[start...].prefix(1 + below(64))))
        case .truncation:
            return Array(below(2) == 0 ? token.prefix(below(token.count)) : token.suffix(below(token.count)))
        case .splice: return Array(token.prefix(below(token.count)) + other.suffix(below(other.count)))
        case .swap, .exchange, .header, .decodedBit, .decodedByte, .json, .spelling, .signature, .segments:
            return withSegments(of: token, by: kind, other: other)
        }
    }

    private mutating func withSegments(of token: [UInt8], by kind: Kind, other: [UInt8]) -> [UInt8] {
        var segments = Segments(token)
        let index = below(segments.texts.count)
        switch kind {
        case .swap: segments.texts.swapAt(index, below(segments.texts.count))
        case .exchange:
            let others = Segments(other).texts
            segments.texts[index] = others[min(index, others.count - 1)]
        case .header: segments.texts[0] = Segments.encode(header())
        case .decodedBit: segments.change(index) { withBit(of: $0) }
        case .decodedByte:
            segments.change(index) { bytes in
                replacing(bytes, at: below(bytes.count + 1), count: below(2), with: self.bytes(below(2)))
            }
        case .json: segments.change(below(min(2, segments.texts.count))) { edited($0) }
        case .spelling: segments.texts[index] = otherSpelling(of: segments.texts[index])
        case .signature:
            let lengths = [0, 1, 64, 255, 256, 257, 1024, 1025]
            let length = lengths[below(lengths.count)]
            let last = segments.texts.count - 1
            segments.texts[last] = Segments.encode([UInt8](repeating: below(2) == 0 ? 0 : byte(), count: length))
        default:
            if below(2) == 0 { segments.texts.remove(at: index) } else { segments.texts.insert([], at: index) }
        }
        return segments.joined
    }

    /// Changes JSON, a piece at a time.
    public mutating func edited(_ json: [UInt8]) -> [UInt8] {
        var pieces = JSONPieces(json)
        for _ in 0...below(3) {
            let word = JSONPieces.words[below(JSONPieces.words.count)]
            pieces.change(below(5), at: below(pieces.count), other: below(pieces.count), word: word)
        }
        return pieces.joined
    }

    private mutating func header() -> [UInt8] {
        let algorithms = ["none", "None", "HS256", "RS256", "ES256", "PS256", "EdDSA", "RS512", ""]
        let others = [
            "", #","typ":"JWT""#, #","typ":"at+jwt""#, #","crit":["b64"],"b64":false"#,
            #","jku":"https://e.example/k""#,
            #","jwk":{"kty":"oct","k":"AA"}"#, #","x5c":["MA"]"#, #","zip":"DEF""#, #","kid":"../../dev/null""#,
            #","kid":1"#,
            #","kid":null"#, #","alg":"none""#, #","cty":"JWT""#,
        ]
        let algorithm = algorithms[below(algorithms.count)]
        return Array(#"{"alg":"\#(algorithm)"\#(others[below(others.count)])\#(others[below(others.count)])}"#.utf8)
    }

    private mutating func otherSpelling(of text: [UInt8]) -> [UInt8] {
        switch below(5) {
        case 0: text + [UInt8](repeating: UInt8(ascii: "="), count: 1 + below(3))
        case 1:
            text.map { $0 == UInt8(ascii: "-") ? UInt8(ascii: "+") : $0 == UInt8(ascii: "_") ? UInt8(ascii: "/") : $0 }
        case 2: replacing(text, at: below(text.count + 1), count: 0, with: [UInt8(ascii: below(2) == 0 ? " " : "\n")])
        // Unless the length is a multiple of four, the last character has bits that encode nothing.
        case 3: text.isEmpty ? text : text.dropLast() + [Segments.alphabet[below(64)]]
        default: text + [UInt8(ascii: "A")]
        }
    }

    private mutating func withBit(of bytes: [UInt8]) -> [UInt8] {
        guard !bytes.isEmpty else { return bytes }
        var bytes = bytes
        bytes[below(bytes.count)] ^= 1 << UInt8(below(8))
        return bytes
    }

    private func replacing(_ bytes: [UInt8], at start: Int, count: Int, with new: [UInt8]) -> [UInt8] {
        var bytes = bytes
        bytes.replaceSubrange(start..<min(start + count, bytes.count), with: new)
        return bytes
    }

    /// Returns mostly a character that occurs in tokens.
    private mutating func byte() -> UInt8 {
        below(4) == 0 ? UInt8(below(256)) : below(8) == 0 ? UInt8(ascii: ".") : Segments.alphabet[below(64)]
    }

    private mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in byte() }
    }
}
