// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The address of something that another server answers for, for example its keys: absolute, and `https`.
///
/// It is read more strictly than by RFC 3986, so that whoever reads it after us cannot find another host in it: printable ASCII,
/// no user information, no fragment, no backslash, a host of plain characters that ends in a number only where it is an
/// address, and no port that is empty.
public struct EndpointURL: Sendable, Hashable {
    /// How the server is spoken to.
    public enum Scheme: String, Sendable {
        case https
        /// Without protection: only on this machine, and only where that was allowed by name.
        case http
    }

    /// How the server is spoken to.
    public let scheme: Scheme

    /// The host, in lower case: a name, an IPv4 address, or an IPv6 address without its brackets.
    public let host: String

    /// The port: the one named, or the scheme's.
    public let port: Int

    /// The path and the query, as they were written; at least `/`.
    public let target: String

    /// Whether the port is the one that goes without saying.
    private var hasUsualPort: Bool { port == (scheme == .https ? 443 : 80) }

    /// The scheme, the host and the port: who answers.
    public var origin: String {
        let host = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        return "\(scheme.rawValue)://\(host)\(hasUsualPort ? "" : ":\(port)")"
    }

    /// The address as a text for the operator may show it: a query may hold a secret, and is left out.
    package var withoutQuery: String { origin + String(target.prefix { $0 != "?" }) }

    /// Reads an address.
    ///
    /// - Parameters:
    ///   - text: The address.
    ///   - allowsLoopbackHTTP: Whether `http` will do for `localhost`, `127.0.0.0/8` and `[::1]`. For tests and development:
    ///     whoever else runs on the machine may answer.
    /// - Throws: ``TransportFailure`` with the code `url`, and what is wrong; a password in it is not quoted.
    public init(_ text: String, allowsLoopbackHTTP: Bool = false) throws(TransportFailure) {
        guard text.utf8.count <= Limits.urlBytes else {
            throw Self.refusal("it has more than \(Limits.urlBytes) bytes")
        }
        guard text.utf8.allSatisfy(Self.isAllowed) else {
            throw Self.refusal("it has a character that no URL has: printable ASCII, the rest percent-encoded")
        }
        guard let scheme = Self.scheme(of: text) else {
            throw Self.refusal("it does not begin with https://")
        }
        let afterScheme = text.utf8.dropFirst(scheme.rawValue.utf8.count + 3)
        let end = afterScheme.firstIndex { "/?#".utf8.contains($0) } ?? afterScheme.endIndex
        let rest = String(afterScheme[end...]) ?? ""
        guard !rest.utf8.contains(UInt8(ascii: "#")) else { throw Self.refusal("it has a fragment (#)") }
        guard Self.hasWholeEscapes(rest) else { throw Self.refusal("% is not followed by two hexadecimal digits") }
        (self.host, self.port) = try Self.authority(String(afterScheme[..<end]) ?? "", scheme: scheme)
        self.scheme = scheme
        self.target = rest.hasPrefix("/") ? rest : "/" + rest
        guard scheme == .https || (allowsLoopbackHTTP && Self.isLoopback(host)) else {
            let remedy = Self.isLoopback(host) ? "http was not allowed" : "http is only for this machine"
            throw Self.refusal("it begins with http: https is needed, and \(remedy)")
        }
    }

    /// Whether this is the same server: the same scheme, host and port (RFC 6454 §5).
    public func hasSameOrigin(as other: EndpointURL) -> Bool {
        scheme == other.scheme && host == other.host && port == other.port
    }
}

extension EndpointURL: CustomStringConvertible {
    /// The address, as it is asked: a query may hold a token, so give logs the ``origin``.
    public var description: String { origin + target }
}

extension EndpointURL {
    private static func refusal(_ detail: String) -> TransportFailure {
        TransportFailure(.url, "not an address that may be asked: \(detail)")
    }

    /// The characters of RFC 3986 §2, without the backslash and the quotation marks that some readers mend.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || "-._~:/?#[]@!$&'()*+,;=%".utf8.contains(byte)
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
    }

    /// The scheme; letter case does not count (RFC 3986 §3.1).
    private static func scheme(of text: String) -> Scheme? {
        let start = text.prefix(8).lowercased()
        if start == "https://" { return .https }
        return start.hasPrefix("http://") ? .http : nil
    }

    private static func hasWholeEscapes(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return bytes.indices.allSatisfy { index in
            bytes[index] != UInt8(ascii: "%")
                || (index + 2 < bytes.count && isHexadecimal(bytes[index + 1]) && isHexadecimal(bytes[index + 2]))
        }
    }

    /// The host and the port of what stands between the slashes.
    private static func authority(
        _ text: String,
        scheme: Scheme
    ) throws(TransportFailure) -> (host: String, port: Int) {
        guard !text.utf8.contains(UInt8(ascii: "@")) else {
            throw refusal("it names a user, or a password, before @")
        }
        let isBracketed = text.hasPrefix("[")
        let hostEnd: String.Index
        if isBracketed {
            guard let bracket = text.firstIndex(of: "]") else { throw refusal("[ is not followed by ]") }
            hostEnd = text.index(after: bracket)
        } else {
            hostEnd = text.firstIndex(of: ":") ?? text.endIndex
        }
        let host = String(text[..<hostEnd]).lowercased()
        let port = try port(text[hostEnd...], scheme: scheme)
        if isBracketed {
            let address = host.dropFirst().dropLast()
            guard address.utf8.contains(UInt8(ascii: ":")), address.utf8.count <= 45,
                address.utf8.allSatisfy({ isHexadecimal($0) || ":.".utf8.contains($0) })
            else { throw refusal("there is no IPv6 address between [ and ]") }
            return (String(address), port)
        }
        guard isName(host), !endsInNumber(host) || isIPv4Address(host) else {
            throw refusal("its host is neither a name nor an address")
        }
        return (host, port)
    }

    private static func port(_ text: Substring, scheme: Scheme) throws(TransportFailure) -> Int {
        if text.isEmpty { return scheme == .https ? 443 : 80 }
        let digits = text.dropFirst()
        guard text.first == ":", (1...5).contains(digits.utf8.count),
            digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = Int(digits), (1...65535).contains(port)
        else { throw refusal("what follows its host is no port") }
        return port
    }

    /// Whether this is a name, or an IPv4 address, of labels that are not empty (RFC 1123 §2.1, and the underscore).
    private static func isName(_ text: String) -> Bool {
        let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return text.utf8.count <= 253
            && labels.allSatisfy { label in
                (1...63).contains(label.count) && label.allSatisfy { isAlphanumeric($0) || "-_".utf8.contains($0) }
            }
    }

    /// Whether the last label is a number, in decimal or after `0x`.
    ///
    /// No name ends so, and where one seems to, some readers find an address in it: 127.0.0.1 in `127.1`, or in `0x7f.1`.
    private static func endsInNumber(_ host: String) -> Bool {
        guard let last = host.split(separator: ".").last else { return false }
        let isDecimal = last.utf8.allSatisfy { (0x30...0x39).contains($0) }
        return isDecimal || (last.hasPrefix("0x") && last.utf8.dropFirst(2).allSatisfy(isHexadecimal))
    }

    /// Whether these are four numbers up to 255, without zeros before them that some readers take for octal.
    private static func isIPv4Address(_ host: String) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0).map { "\($0)" } == String($0) }
    }

    /// Whether the host, as it is written, is this machine; whoever connects must see that its address is so too.
    private static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || host == "::1" || (host.hasPrefix("127.") && isIPv4Address(host))
    }
}
