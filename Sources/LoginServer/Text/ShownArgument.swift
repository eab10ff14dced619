// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTokens

/// An argument of the command as its messages show it: quoted, unless it looks like a token or another secret.
///
/// Users sometimes pass a token instead of a file name, and error messages end up in logs and bug reports.
package struct ShownArgument: CustomStringConvertible {
    /// The replacement for an argument that is not shown.
    package static let placeholder = "(not shown: it looks like a token)"

    /// The advice for users who have passed a token as a file name.
    package static let advice = "Give the name of a file that contains the token"

    /// Whether the argument looks like a token or another secret.
    package let isWithheld: Bool

    /// Whether the argument has a token in it, whatever else it may be; a name that only looks random has none.
    package let hasToken: Bool

    /// The argument in quotation marks, or the placeholder.
    package let description: String

    /// The suffix of a message about an input file if the argument is withheld.
    package var alternative: String { isWithheld ? ", or - for standard input" : "" }

    package init(_ text: String) {
        isWithheld = Self.looksLikeToken(text)
        hasToken = text.utf8.split { !Self.isOfBase64URL($0) }.contains { Self.isOfHeader($0) || Self.isMarked($0) }
        description = isWithheld ? Self.placeholder : quoted(text)
    }

    /// The user and the password in a URL, and a password in a connection string.
    private static var password: Regex<Substring> { /:\/\/[^@\s\/:]*:(?!\d+\/)[^@\s]+@|password=\S+/.ignoresCase() }

    private static func looksLikeToken(_ text: String) -> Bool {
        let lowercased = text.lowercased()
        if introductions.contains(where: lowercased.contains) || text.contains(password) {
            return true
        }
        // File systems limit names to 255 bytes.
        if text.utf8.split(separator: UInt8(ascii: "/")).contains(where: { $0.count > 255 }) { return true }
        return text.utf8.split(whereSeparator: { !isOfBase64URL($0) }).contains(where: looksSecret)
            || text.utf8.split(whereSeparator: { !isOfBase64($0) }).contains {
                $0.contains(where: "+=".utf8.contains) && isRandom($0)
            }
    }

    /// Returns a message in which the placeholder replaces each word that looks like a token or another secret.
    ///
    /// - Parameter message: A message that may contain arguments or parts of them.
    /// - Returns: The message without secrets.
    package static func withholdingTokens(in message: String) -> String {
        let message = message.replacing(password, with: placeholder)
        let bytes = message.utf8
        var (result, rest) = ("", bytes[...])
        while let start = rest.firstIndex(where: isOfBase64URL) {
            let word = rest[start...].prefix { isOfBase64URL($0) || $0 == UInt8(ascii: ".") }
            let isSecret = word.split(separator: UInt8(ascii: ".")).contains(where: looksSecret)
            result += message[rest.startIndex..<start] + (isSecret ? placeholder[...] : message[start..<word.endIndex])
            rest = rest[word.endIndex...]
        }
        return result + message[rest.startIndex...]
    }

    private static func isOfBase64URL(_ byte: UInt8) -> Bool {
        CharacterClass(byte) != nil || "-_".utf8.contains(byte)
    }

    /// Returns whether a byte belongs to standard Base64, the encoding of encryption keys; its slash also separates
    /// path components.
    private static func isOfBase64(_ byte: UInt8) -> Bool {
        CharacterClass(byte) != nil || "+/=".utf8.contains(byte)
    }

    private static func looksSecret(_ run: Substring.UTF8View) -> Bool {
        isOfHeader(run) || isHexadecimal(run) || isRandom(run) || isMarked(run) || isBase32(run)
    }

    /// Returns whether the run has a prefix of this service's tokens or of Google's client secrets.
    private static func isMarked(_ run: Substring.UTF8View) -> Bool {
        run.count >= 16 && prefixes.contains { run.starts(with: $0.utf8) }
    }

    private static let prefixes = ["lls_", "llr_", "lle_", "llp_", "llm_", "llc_", "llv_", "GOCSPX-"]

    /// Returns whether the run is Base32 with digits, like the secret of an authenticator app.
    private static func isBase32(_ run: Substring.UTF8View) -> Bool {
        run.count >= 26 && run.allSatisfy { (0x41...0x5A).contains($0) || (0x32...0x37).contains($0) }
            && run.contains { (0x32...0x37).contains($0) }
    }

    /// The strings that precede a token in a header field, a form, a URL or JSON.
    private static let introductions =
        ["bearer ", "dpop ", "authorization:"]
        + ["id", "access", "refresh"].flatMap { ["\($0)_token=", "\($0)_token\"", "\($0)token\""] }

    /// Returns whether the run begins with `{"` in Base64, like the header and the payload of every token.
    private static func isOfHeader(_ run: Substring.UTF8View) -> Bool {
        run.count >= 8 && run.starts(with: "eyJ".utf8)
    }

    /// Returns whether the run is 128 bits or more in hexadecimal, like an app secret.
    private static func isHexadecimal(_ run: Substring.UTF8View) -> Bool {
        run.count >= 32 && run.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0 | 0x20) }
    }

    /// Returns whether the run alternates between cases, and between letters and digits, as often as random Base64
    /// text.
    ///
    /// Both thresholds are less than half of the expected value for random text. Names alternate less: ordinary words
    /// have few capitals, a UUID has letters of one case, and compound words have few digits.
    private static func isRandom(_ run: Substring.UTF8View) -> Bool {
        guard run.count >= 24 else { return false }
        let classes = run.map(CharacterClass.init)
        var (changesOfCase, changesToDigits) = (0, 0)
        for case (let first?, let second?) in zip(classes, classes.dropFirst()) where first != second {
            if first == .digit || second == .digit { changesToDigits += 1 } else { changesOfCase += 1 }
        }
        return changesOfCase * 8 >= run.count && changesToDigits * 12 >= run.count
    }
}

private enum CharacterClass {
    case capital, small, digit

    init?(_ byte: UInt8) {
        switch byte {
        case 0x30...0x39: self = .digit
        case 0x41...0x5A: self = .capital
        case 0x61...0x7A: self = .small
        default: return nil
        }
    }
}
