// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import LoginProviders

/// A place on this service: a path, perhaps with a query, and never another host.
///
/// Whoever is to be led on after a sign-in has said where to in a query, which anybody may have written. What browsers take for the
/// beginning of another host (`//`, `/\`, a tabulator or a line break in between) is refused, and so is every character that has no
/// business in a path.
struct LocalPath: Sendable, Hashable {
    /// The path as it stands in a header or an attribute.
    let text: String

    /// The account.
    static let home: LocalPath = "/"

    /// The longest that is taken, in bytes: longer ones are nobody's bookmark.
    private static let longest = 2048

    /// A path that somebody has sent; nil where it could lead elsewhere.
    init?(_ text: String) {
        // What a login leads back to is judged in one place, and here by what pages need besides.
        guard text.utf8.count <= Self.longest, ReturnPath.isLocal(text), text.utf8.allSatisfy(Self.isAllowed) else {
            return nil
        }
        self.text = text
    }

    private init(trusted text: String) { self.text = text }

    /// Whether a byte may stand in a path or a query (RFC 3986 §3.3, §3.4); of fragments servers know nothing.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        isUnreserved(byte) || "/?%!$&'()*+,;=:@".utf8.contains(byte)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "-._~".utf8.contains(byte)
        }
    }

    /// This path with a further segment, in which everything that could end it is encoded.
    func appending(_ segment: String) -> LocalPath {
        let separator = text.utf8.last == UInt8(ascii: "/") ? "" : "/"
        return LocalPath(trusted: text + separator + Self.encoded(segment))
    }

    /// This path with a further field in its query.
    func with(_ name: StaticString, _ value: String) -> LocalPath {
        let separator = text.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
        return LocalPath(trusted: text + separator + "\(name)=" + Self.encoded(value))
    }

    /// This path, with where to go on afterwards unless that is the account anyway.
    func returning(to path: LocalPath) -> LocalPath {
        path == .home ? self : with("returnTo", path.text)
    }

    private static func encoded(_ text: String) -> String {
        var result = ""
        for byte in text.utf8 {
            if isUnreserved(byte) {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                result += digits.utf8.count == 1 ? "%0" + digits : "%" + digits
            }
        }
        return result
    }
}

extension LocalPath: ExpressibleByStringLiteral {
    /// A path of this service, as it stands in the source.
    init(stringLiteral text: StaticString) {
        guard let path = LocalPath(text.description) else { preconditionFailure("\(text) is no path") }
        self = path
    }
}

extension LocalPath: Codable {
    /// Reads a path, which is looked at as one that somebody has sent.
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let path = LocalPath(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no path of this service")
        }
        self = path
    }

    /// Writes the path as a text.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
#endif
