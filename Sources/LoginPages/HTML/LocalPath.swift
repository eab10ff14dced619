// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import LoginProviders
internal import LoginText

/// A path of this service, with an optional query; it never leads to another host.
///
/// Return paths come from queries, which anyone can write. Texts that browsers read as the beginning of another host
/// (`//`, `/\`, or a tab or line break in between) are refused, as are all characters that are invalid in paths.
struct LocalPath: Sendable, Hashable {
    /// The path, encoded for a header or an attribute.
    let text: String

    /// The account page.
    static let home: LocalPath = "/"

    /// The maximum length in bytes.
    private static let longest = 2048

    /// Creates a path from untrusted input; nil if it could lead to another host.
    init?(_ text: String) {
        // `ReturnPath` has the rules that all return paths share; this adds those of pages.
        guard text.utf8.count <= Self.longest, ReturnPath.isLocal(text), text.utf8.allSatisfy(Self.isAllowed) else {
            return nil
        }
        self.text = text
    }

    /// Creates a return path from untrusted input; the account page if it is missing or could lead to another host.
    init(returnTo text: String?) { self = text.flatMap { LocalPath($0) } ?? .home }

    /// Creates a return path from the target of a request; the account page if it is too long or could lead to another host.
    ///
    /// Browsers send some characters that are invalid in a path or a query as they are, for example `[` and `|` (URL
    /// Standard §1.3). They are encoded here, so that the user returns to the same target.
    init(target text: String) { self.init(returnTo: PercentEncoding.encode(text, except: Self.isAllowed)) }

    private init(trusted text: String) { self.text = text }

    /// Returns whether a byte is valid in a path or a query (RFC 3986 §3.3, §3.4).
    ///
    /// Servers receive no fragments.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        PercentEncoding.isUnreserved(byte) || "/?%!$&'()*+,;=:@".utf8.contains(byte)
    }

    /// Returns this path with a further segment, percent-encoded.
    func appending(_ segment: String) -> LocalPath {
        let separator = text.utf8.last == UInt8(ascii: "/") ? "" : "/"
        return LocalPath(trusted: text + separator + PercentEncoding.encode(segment))
    }

    /// Returns this path with a further field in its query.
    func with(_ name: StaticString, _ value: String) -> LocalPath {
        let separator = text.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
        return LocalPath(trusted: text + separator + "\(name)=" + PercentEncoding.encode(value))
    }

    /// Returns this path with a return path in its query, unless that is the account page.
    func returning(to path: LocalPath) -> LocalPath {
        path == .home ? self : with("returnTo", path.text)
    }

    /// Returns whether this path without its query is a path without a query.
    func isPage(_ path: LocalPath) -> Bool { text.prefix { $0 != "?" } == path.text }
}

extension LocalPath: ExpressibleByStringLiteral {
    /// Creates a path from a literal; traps if it is invalid.
    init(stringLiteral text: StaticString) {
        guard let path = LocalPath(text.description) else { preconditionFailure("\(text) is no path") }
        self = path
    }
}

extension LocalPath: Codable {
    /// Decodes a path, with the checks for untrusted input.
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let path = LocalPath(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no path of this service")
        }
        self = path
    }

    /// Encodes the path as a string.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
#endif
