// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText

/// The URL of an endpoint on another server, for example its key set: absolute, and `https`.
///
/// It is parsed more strictly than RFC 3986 requires, so that no other parser can find a different host in it. The URL
/// must be printable ASCII, without user information, fragment or backslash. The host consists of letters, digits,
/// hyphens, underscores and dots, or is a bracketed IPv6 address; its last label is a number only if the host is an
/// IPv4 address. The port must not be empty.
public struct EndpointURL: Sendable, Hashable {
    /// The scheme of an endpoint.
    public enum Scheme: String, Sendable {
        case https
        /// Unencrypted HTTP; only for loopback hosts and hosts that are named for it, and only if explicitly allowed.
        case http
    }

    /// The scheme.
    public let scheme: Scheme

    /// The host, in lower case: a name, an IPv4 address, or an IPv6 address without brackets.
    public let host: String

    /// The explicit port, or the default port of the scheme.
    public let port: Int

    /// The path and the query, as written; at least `/`.
    public let target: String

    /// Whether the port is the default port of the scheme.
    private var hasUsualPort: Bool { port == (scheme == .https ? 443 : 80) }

    /// The origin: scheme, host, and the port unless it is the default port.
    public var origin: String {
        let host = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        return "\(scheme.rawValue)://\(host)\(hasUsualPort ? "" : ":\(port)")"
    }

    /// The URL without its query, which may hold a secret; for messages to the operator.
    package var withoutQuery: String { origin + String(target.prefix { $0 != "?" }) }

    /// Parses an endpoint URL.
    ///
    /// - Parameters:
    ///   - text: The URL.
    ///   - allowsLoopbackHTTP: Whether `http` is allowed for `localhost`, `127.0.0.0/8` and `[::1]`. For tests and
    ///     development only: any other process on the machine may answer.
    ///   - cleartextHosts: The hosts, in lower case, for which `http` is allowed too. Whoever is on the way to such a host
    ///     can read and change the traffic.
    /// - Throws: ``TransportFailure`` with the code `url` and a description of the problem; a password in the URL is
    ///   not quoted.
    public init(
        _ text: String,
        allowsLoopbackHTTP: Bool = false,
        cleartextHosts: Set<String> = []
    ) throws(TransportFailure) {
        guard text.utf8.count <= Limits.urlBytes else {
            throw Self.refusal("more than \(Limits.urlBytes) bytes")
        }
        guard text.utf8.allSatisfy(Self.isAllowed) else {
            throw Self.refusal("forbidden character: use printable ASCII, and percent-encode all other characters")
        }
        guard let scheme = Self.scheme(of: text) else {
            throw Self.refusal("the URL must begin with https://")
        }
        let afterScheme = text.utf8.dropFirst(scheme.rawValue.utf8.count + 3)
        let end = afterScheme.firstIndex { "/?#".utf8.contains($0) } ?? afterScheme.endIndex
        let rest = String(afterScheme[end...]) ?? ""
        guard !rest.utf8.contains(UInt8(ascii: "#")) else { throw Self.refusal("the URL must not have a fragment (#)") }
        guard PercentEncoding.decode(rest.utf8) != nil else {
            throw Self.refusal("% is not followed by two hexadecimal digits")
        }
        (self.host, self.port) = try Self.authority(String(afterScheme[..<end]) ?? "", scheme: scheme)
        self.scheme = scheme
        self.target = rest.hasPrefix("/") ? rest : "/" + rest
        let allowsHTTP = cleartextHosts.contains(host) || (allowsLoopbackHTTP && Self.isLoopback(host))
        guard scheme == .https || allowsHTTP else {
            let remedy = Self.isLoopback(host) ? "http is not enabled" : "http is allowed only for loopback addresses"
            throw Self.refusal("https is required (\(remedy))")
        }
    }

    /// Returns whether both URLs have the same origin: the same scheme, host and port (RFC 6454 §5).
    public func hasSameOrigin(as other: EndpointURL) -> Bool {
        scheme == other.scheme && host == other.host && port == other.port
    }
}

extension EndpointURL: CustomStringConvertible {
    /// The complete URL; its query may hold a token, so log the ``origin`` instead.
    public var description: String { origin + target }
}

extension EndpointURL {
    static func refusal(_ detail: String) -> TransportFailure {
        TransportFailure(.url, "invalid URL: \(detail)")
    }

    /// Returns whether a byte is a character of RFC 3986 §2, which excludes backslashes and quotation marks that some
    /// parsers correct.
    static func isAllowed(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || "-._~:/?#[]@!$&'()*+,;=%".utf8.contains(byte)
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
    }

    /// Returns the scheme, compared case-insensitively (RFC 3986 §3.1).
    static func scheme(of text: String) -> Scheme? {
        let start = text.prefix(8).lowercased()
        if start == "https://" { return .https }
        return start.hasPrefix("http://") ? .http : nil
    }

    /// Parses the authority component into host and port.
    static func authority(
        _ text: String,
        scheme: Scheme
    ) throws(TransportFailure) -> (host: String, port: Int) {
        guard !text.utf8.contains(UInt8(ascii: "@")) else {
            throw refusal("the URL must not contain a user name or a password")
        }
        let isBracketed = text.hasPrefix("[")
        let hostEnd: String.Index
        if isBracketed {
            guard let bracket = text.firstIndex(of: "]") else { throw refusal("[ without ]") }
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
            else { throw refusal("the text between [ and ] is not an IPv6 address") }
            return (String(address), port)
        }
        guard isName(host), !endsInNumber(host) || isIPv4Address(host) else {
            throw refusal("the host is neither a name nor an address")
        }
        return (host, port)
    }

    private static func port(_ text: Substring, scheme: Scheme) throws(TransportFailure) -> Int {
        if text.isEmpty { return scheme == .https ? 443 : 80 }
        let digits = text.dropFirst()
        guard text.first == ":", (1...5).contains(digits.utf8.count),
            digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = Int(digits), (1...65535).contains(port)
        else { throw refusal("the port is not a number from 1 to 65535") }
        return port
    }

    /// Returns whether the text is a name or an IPv4 address made of labels that are not empty (RFC 1123 §2.1, plus
    /// underscores).
    private static func isName(_ text: String) -> Bool {
        let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return text.utf8.count <= 253
            && labels.allSatisfy { label in
                (1...63).contains(label.count) && label.allSatisfy { isAlphanumeric($0) || "-_".utf8.contains($0) }
            }
    }

    /// Returns whether the last label is a number, in decimal or after `0x`.
    ///
    /// No host name ends in a number. Some parsers find an address in such a host: 127.0.0.1 in `127.1` or in `0x7f.1`.
    private static func endsInNumber(_ host: String) -> Bool {
        guard let last = host.split(separator: ".").last else { return false }
        let isDecimal = last.utf8.allSatisfy { (0x30...0x39).contains($0) }
        return isDecimal || (last.hasPrefix("0x") && last.utf8.dropFirst(2).allSatisfy(isHexadecimal))
    }

    /// Returns whether the host is four numbers up to 255 without leading zeros, which some parsers read as octal.
    private static func isIPv4Address(_ host: String) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0).map { "\($0)" } == String($0) }
    }

    /// Returns whether the host, as written, is a loopback host; the transport must also check the resolved address.
    private static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || host == "::1" || (host.hasPrefix("127.") && isIPv4Address(host))
    }
}
