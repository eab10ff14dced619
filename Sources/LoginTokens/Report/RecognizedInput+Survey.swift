// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

extension RecognizedInput {
    /// The findings of one pass over a text: a pass for each question would take longer than a signature.
    struct Survey {
        /// Whether there is white space of ASCII.
        private(set) var hasWhitespace = false

        /// Whether there is a character that no token has, other than white space.
        private(set) var hasStray = false

        private var hasSpace = false
        private var has309 = false
        private var found: Set<Words> = []

        /// Examines a text.
        ///
        /// - Parameter text: The examined part of the input.
        init(of text: [UInt8]) {
            var last: UInt32 = 0
            for offset in text.indices {
                let byte = text[offset]
                if byte.isStray {
                    hasStray = true
                } else if byte.isWhitespace {
                    hasWhitespace = true
                    if byte == 0x20 { hasSpace = true }
                }
                last = last << 8 | UInt32(Self.lowercased(byte))
                if last & 0xFF_FFFF == 0x33_3039 { has309 = true }
                if let words = Words(first: last), Self.begins(text[(offset - 3)...], with: words.rawValue) {
                    found.insert(words)
                }
            }
        }

        /// An error message of Facebook, in JSON or not; nil if no characteristic words occur.
        var facebookMessage: RecognizedInput? {
            if found.contains(.shimExpiry) { return .facebookShimToken }
            guard hasSpace else { return nil }
            if found.contains(.unparsed) { return .facebookUnparsedToken }
            if found.contains(.exception) || found.contains(.invalid) { return .facebookGraphError }
            if has309, found.contains(.sdk) { return .facebookSDKError }
            return found.contains(.blocked) ? .browserError : nil
        }

        /// Returns whether the text begins with `word`, which is in lower case; ASCII letters are compared
        /// case-insensitively.
        private static func begins(_ text: ArraySlice<UInt8>, with word: String) -> Bool {
            text.count >= word.utf8.count && zip(text, word.utf8).allSatisfy { lowercased($0) == $1 }
        }

        private static func lowercased(_ byte: UInt8) -> UInt8 {
            (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
        }
    }

    /// The characteristic words of messages, in lower case.
    private enum Words: String {
        case shimExpiry = "64092211200"
        case unparsed = "cannot parse access token"
        case exception = "oauthexception"
        case invalid = "error validating access token"
        case sdk = "com.facebook.sdk.core"
        case blocked = "blocked by cors policy"

        /// The words with these first four bytes, which differ.
        init?(first: UInt32) {
            switch first {
            case 0x3634_3039: self = .shimExpiry
            case 0x6361_6E6E: self = .unparsed
            case 0x6F61_7574: self = .exception
            case 0x6572_726F: self = .invalid
            case 0x636F_6D2E: self = .sdk
            case 0x626C_6F63: self = .blocked
            default: return nil
            }
        }
    }
}
