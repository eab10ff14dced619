// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

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
            return "there are \(Self.lines(of: Array(text.utf8)).count) lines, each with a token"
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
    static func pasted(_ text: Span<UInt8>) -> RecognizedInput? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        for offset in text.indices { bytes.append(text[offset]) }
        guard let start = bytes.firstIndex(where: { !whitespace.contains($0) }),
            let end = bytes.lastIndex(where: { !whitespace.contains($0) })
        else { return nil }
        let word = bytes[start...end]
        if word.count <= 16, placeholders.contains(String(decoding: word, as: UTF8.self).lowercased()) {
            return .placeholder
        }
        guard !word.contains(where: whitespace.contains) else {
            let lines = lines(of: bytes)
            return lines.count > 1 && lines.allSatisfy(isLikeToken) ? .severalTokens : nil
        }
        let digits = word.prefix { (0x30...0x39).contains($0) }
        let rest = word.dropFirst(digits.count)
        if !digits.isEmpty, rest.count > 1, rest.first == UInt8(ascii: "|") { return .facebookAppAccessToken }
        return isCode(word) ? .authorizationCode : address(word)
    }

    /// Recognizes a token in another encoding, or with a character that no token has.
    static func misread(_ text: Span<UInt8>) -> RecognizedInput? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        for offset in text.indices { bytes.append(text[offset]) }
        let scalars = String(decoding: bytes, as: UTF8.self).unicodeScalars
        guard scalars.contains(where: isStray) else { return nil }
        let rest = scalars.filter { !isStray($0) && !$0.properties.isWhitespace }
        guard isLikeToken(Array(String(String.UnicodeScalarView(rest)).utf8)[...]) else { return nil }
        return bytes.contains(0) ? .utf16 : .strayCharacter
    }

    private static let placeholders: Set = [
        "nil", "null", "(null)", "<null>", "undefined", "none", "optional(nil)", "[object object]",
    ]

    /// Whether the character stands in no token, and is neither white space nor one of Base64 or of percent-encoding.
    private static func isStray(_ scalar: Unicode.Scalar) -> Bool {
        guard let byte = UInt8(exactly: scalar.value), byte < 0x80 else { return true }
        return !isOfBase64URL(byte) && !whitespace.contains(byte) && !".+/=%".utf8.contains(byte)
    }

    private static func isOfBase64URL(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || "-_".utf8.contains(byte)
    }

    /// Whether this has three parts, the first of which begins as the header of every token.
    private static func isLikeToken(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.starts(with: "eyJ".utf8) && bytes.count { $0 == UInt8(ascii: ".") } == 2
    }

    /// The lines that are not empty, without white space.
    private static func lines(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        bytes.split { $0 == 0x0A || $0 == 0x0D }
            .map { line in line.drop(while: whitespace.contains) }
            .filter { !$0.isEmpty }
    }

    /// Whether this has the form of the codes of Facebook or of Google.
    private static func isCode(_ word: ArraySlice<UInt8>) -> Bool {
        if word.starts(with: "4/0A".utf8) || word.starts(with: "4%2F0A".utf8) { return true }
        return word.starts(with: "AQ".utf8) && word.count >= 100 && word.allSatisfy(isOfBase64URL)
    }

    /// Recognizes a URL, or the query or the fragment of one, by the names of its parameters.
    private static func address(_ word: ArraySlice<UInt8>) -> RecognizedInput? {
        let scheme = word.prefix { isOfBase64URL($0) || "+.".utf8.contains($0) }
        let isURL = !scheme.isEmpty && word.dropFirst(scheme.count).starts(with: "://".utf8)
        let parameters = word.split { "?#&".utf8.contains($0) }
        guard isURL || parameters.allSatisfy({ $0.contains(UInt8(ascii: "=")) }) else { return nil }
        let names = Set(
            parameters.dropFirst(isURL ? 1 : 0)
                .map { String(decoding: $0.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self).lowercased() }
        )
        if names.contains("id_token") { return .url }
        if names.contains("code") { return .authorizationCode }
        return isURL ? .url : nil
    }
}
