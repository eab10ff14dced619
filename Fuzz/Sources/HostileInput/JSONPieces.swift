// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// JSON, or text derived from JSON, as tokens that can be moved: strings, words, numbers and punctuation.
struct JSONPieces {
    private var pieces: [[UInt8]] = []

    /// Cuts any text into pieces.
    init(_ text: [UInt8]) {
        var position = 0
        while position < text.count {
            let start = position
            position += 1
            if text[start] == UInt8(ascii: "\"") {
                while position < text.count, text[position] != UInt8(ascii: "\"") {
                    position += text[position] == UInt8(ascii: "\\") ? 2 : 1
                }
                position = min(position + 1, text.count)
            } else if !Self.isSign(text[start]) {
                while position < text.count, !Self.isSign(text[position]) { position += 1 }
            }
            pieces.append(Array(text[start..<position]))
        }
    }

    /// The number of pieces.
    var count: Int { pieces.count }

    /// The pieces joined to a text.
    var joined: [UInt8] { Array(pieces.joined()) }

    /// Makes one of five changes: replaces a piece, removes it, doubles it, swaps it with another, or inserts a word
    /// before it.
    mutating func change(_ kind: Int, at index: Int, other: Int, word: String) {
        guard pieces.indices.contains(index), pieces.indices.contains(other) else {
            pieces.append(Array(word.utf8))
            return
        }
        switch kind {
        case 0: pieces[index] = Array(word.utf8)
        case 1: pieces.remove(at: index)
        case 2: pieces.insert(pieces[index], at: other)
        case 3: pieces.swapAt(index, other)
        default: pieces.insert(Array(word.utf8), at: index)
        }
    }

    private static func isSign(_ byte: UInt8) -> Bool {
        "{}[]:,\" \n\r\t".utf8.contains(byte)
    }

    /// Words that may change the meaning where they are inserted.
    static let words = [
        "null", "true", "false", "0", "-0", "1", "-1", "1e3", "1e999", "0.1", "1759999940", "1760003540.5",
        "9223372036854775807", "9223372036854775808", "253402300800", "\"\"", "\"RS256\"", "\"ES256\"", "\"none\"",
        "\"JWT\"",
        "\"https://www.facebook.com\"", "\"https://facebook.com\"", "\"1234509876543210\"", "[]", "{}",
        "[\"1234509876543210\"]",
        "[null]", "{\"min\":21}", "{\"id\":\"1\",\"name\":\"n\"}", "\"\\u0000\"", "\"\\ud83d\\ude00\"", "\"\\ud800\"",
        "\"\u{E9}\"",
        "\"06/09/1990\"", ",", ":", "{", "}", "[", "]", "\"", " ", "\"iss\":1,", "\"alg\":\"none\",",
        "\"crit\":[\"exp\"],",
        "\"b64\":false,", "\"events\":{},", "\"nonce\":\"x\",", "\"nbf\":1759999000,", "\"auth_time\":1759999000,",
        "\"azp\":\"1234509876543210\",", "\"aud\":[\"1234509876543210\",\"x\"],",
    ]
}
