// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText

/// Mistakes of copying: another value, several tokens, or a token with characters that an editor added.
extension RecognizedInput {
    /// An authorization code, or the address of a callback with one.
    public static let authorizationCode = Self(
        "authorization-code",
        "This is an authorization code, not an ID token. Exchange it at the provider's token endpoint first, and send the "
            + "id_token of the response."
    )

    /// The word that a program prints for a missing value.
    public static let placeholder = Self(
        "placeholder",
        "This is the word for a missing value (nil, null, undefined), not a token: the app sent a variable that it never set."
    )

    /// An app access token of Facebook.
    public static let facebookAppAccessToken = Self(
        "facebook-app-access-token",
        "This is a Facebook app access token (app ID, \"|\", secret), not an ID token. It is a secret of your server: keep it "
            + "out of apps and logs. Send AuthenticationToken.current?.tokenString."
    )

    /// A page in HTML or XML.
    public static let html = Self(
        "html",
        "This is HTML or XML, not a token: probably an error page instead of the expected response."
    )

    /// Several tokens, one on each line.
    public static let severalTokens = Self(
        "several-tokens",
        "There are several tokens, one on each line. Send one token."
    )

    /// A token with a character that no token has.
    public static let strayCharacter = Self(
        "stray-character",
        "The token contains an invalid character, such as a curly quotation mark, a backtick, a zero-width space, a "
            + "byte order mark or a semicolon. Send the token without it."
    )

    /// A token in UTF-16.
    public static let utf16 = Self(
        "utf-16",
        "The token is in UTF-16, as PowerShell's \">\" writes it. Send it in ASCII or UTF-8."
    )

    /// A token with the algorithm `none` (RFC 7519 §6).
    public static let unsignedToken = Self(
        "unsigned-token",
        "This token is unsigned (alg none): anyone can write one. Send the ID token that the provider signed."
    )

    /// A description of what was found, where it is more precise than the failed check; nil for all other input.
    ///
    /// - Parameter text: The text that was recognized.
    /// - Returns: A clause for the operator.
    func finding(in text: String) -> String? {
        switch self {
        case .severalTokens:
            return "there are \(Self.lines(of: Array(text.utf8)).count) lines, and more than one begins like a token"
        case .strayCharacter, .utf16:
            let isMeant = self == .utf16 ? { $0 == "\0" } : Self.isStray
            guard let (offset, scalar) = text.unicodeScalars.enumerated().first(where: { isMeant($1) }) else {
                return nil
            }
            let digits = String(scalar.value, radix: 16, uppercase: true)
            let number = "U+" + String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
            let name = (scalar.properties.name ?? scalar.properties.nameAlias).map { " (\($0))" } ?? ""
            return "character \(offset + 1) is \(number)\(name)"
        default:
            return nil
        }
    }

    /// Recognizes several tokens, an address, and a value that is no token.
    ///
    /// - Parameters:
    ///   - beginning: The examined part of the text.
    ///   - text: The text.
    ///   - hasWhitespace: Whether there is white space in the examined part.
    /// - Returns: The kind; nil if it is none of these.
    static func pasted(_ beginning: [UInt8], of text: Span<UInt8>, hasWhitespace: Bool) -> RecognizedInput? {
        guard let start = beginning.firstIndex(where: { !$0.isWhitespace }),
            let end = beginning.lastIndex(where: { !$0.isWhitespace })
        else { return nil }
        if isSeveral(text.extracting(droppingFirst: start)) { return .severalTokens }
        let word = beginning[start...end]
        if word.count <= 16, placeholders.contains(String(decoding: word, as: UTF8.self).lowercased()) {
            return .placeholder
        }
        guard !hasWhitespace || !word.contains(where: \.isWhitespace) else { return nil }
        let digits = word.prefix { (0x30...0x39).contains($0) }
        let rest = word.dropFirst(digits.count)
        if !digits.isEmpty, rest.count > 1, rest.first == UInt8(ascii: "|") { return .facebookAppAccessToken }
        return isCode(word) ? .authorizationCode : address(word)
    }

    /// Recognizes a token in another encoding, or with a character that no token has.
    ///
    /// - Parameters:
    ///   - examined: The examined part of the text, which contains such a character.
    ///   - text: The text.
    /// - Returns: The kind; nil for a text that has not the form of a token.
    static func misread(_ examined: [UInt8], of text: Span<UInt8>) -> RecognizedInput? {
        guard isLikeToken(examined.lazy.filter { !$0.isStray }, of: text) else { return nil }
        return examined.contains(0) ? .utf16 : .strayCharacter
    }

    private static let placeholders: Set = [
        "nil", "null", "(null)", "<null>", "undefined", "none", "optional(nil)", "[object object]",
    ]

    /// Whether the character stands in no token, and is neither white space nor one of Base64 or of percent-encoding.
    private static func isStray(_ scalar: Unicode.Scalar) -> Bool {
        UInt8(exactly: scalar.value).map(\.isStray) ?? true
    }

    /// Returns whether the text begins as the header of every token, and has three parts.
    ///
    /// - Parameters:
    ///   - beginning: The beginning of the text, without characters that no token has.
    ///   - text: The text.
    /// - Returns: Whether it may be a token.
    static func isLikeToken(_ beginning: some Sequence<UInt8>, of text: Span<UInt8>) -> Bool {
        beginning.lazy.filter { !$0.isWhitespace }.starts(with: "eyJ".utf8) && dots(in: text, atMost: 3)?.count == 2
    }

    /// Returns whether the first line is a token, and another token begins below it.
    private static func isSeveral(_ text: Span<UInt8>) -> Bool {
        guard text.count > 3, isEqual(text.extracting(first: 3), "eyJ") else { return false }
        let breaks = [0x0A, 0x0D].compactMap { firstOffset(of: $0, in: text) }
        guard let end = breaks.min(), dots(in: text.extracting(..<end), atMost: 3)?.count == 2 else { return false }
        var next = end
        while next < text.count, next < end + Limits.recognizedBytes, text[next].isWhitespace { next += 1 }
        return isEqual(text.extracting(droppingFirst: next).extracting(first: 3), "eyJ")
    }

    /// The lines that are not empty, without white space.
    private static func lines(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        bytes.split { $0 == 0x0A || $0 == 0x0D }
            .map { line in line.drop(while: \.isWhitespace) }
            .filter { !$0.isEmpty }
    }

    /// Whether this has the form of the codes of Facebook or of Google.
    private static func isCode(_ word: ArraySlice<UInt8>) -> Bool {
        if word.starts(with: "4/0A".utf8) || word.starts(with: "4%2F0A".utf8) { return true }
        return word.starts(with: "AQ".utf8) && word.count >= 100 && word.allSatisfy(\.isBase64URL)
    }

    /// The maximum length of a URL's scheme: those of apps contain the domain, or the client ID at the provider.
    private static let schemeBytes = 128

    /// Recognizes a URL, or the query or the fragment of one, by the names of its parameters.
    private static func address(_ word: ArraySlice<UInt8>) -> RecognizedInput? {
        let scheme = word.prefix(schemeBytes).prefix { $0.isBase64URL || $0 == 0x2B || $0 == 0x2E }
        let isURL = !scheme.isEmpty && word.dropFirst(scheme.count).starts(with: "://".utf8)
        guard isURL || word.contains(UInt8(ascii: "=")) else { return nil }
        let parameters = word.split(maxSplits: Limits.recognizedParameters) { $0 == 0x26 || $0 == 0x3F || $0 == 0x23 }
        guard isURL || parameters.allSatisfy({ $0.contains(UInt8(ascii: "=")) }) else { return nil }
        var hasCode = false
        for parameter in parameters.dropFirst(isURL ? 1 : 0) {
            let name = parameter.prefix { $0 != UInt8(ascii: "=") }
            guard (4...8).contains(name.count) else { continue }
            switch String(decoding: name, as: UTF8.self).lowercased() {
            case "id_token": return .url
            case "code": hasCode = true
            default: break
            }
        }
        return hasCode ? .authorizationCode : isURL ? .url : nil
    }
}

extension UInt8 {
    /// Whether this is a character of base64url (RFC 4648 §5).
    var isBase64URL: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
        default: false
        }
    }

    /// Whether this is white space of ASCII.
    var isWhitespace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }

    /// Whether this stands in no token, and is neither white space nor a character of Base64 or of percent-encoding.
    var isStray: Bool {
        switch self {
        case 0x2E, 0x2B, 0x2F, 0x3D, 0x25: false
        default: !isBase64URL && !isWhitespace
        }
    }
}
