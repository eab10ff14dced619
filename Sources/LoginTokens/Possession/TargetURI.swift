// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText

/// The target URI of an HTTP request (RFC 9110 §7.1) without query and fragment, normalized for comparison.
///
/// Two URLs that are equivalent by their syntax or by their scheme have the same form (RFC 3986 §6.2.2, §6.2.3): scheme
/// and host are in lower case, the default port and an empty port are omitted, unreserved characters are not
/// percent-encoded, other percent-encodings are in upper case, dot segments are removed, and an empty path is `/`.
struct TargetURI: Sendable, Hashable, CustomStringConvertible {
    /// The normalized URL.
    let description: String

    /// The normalized origin: the scheme, the host, and the port unless it is the default port.
    let origin: String

    /// Normalizes a URL.
    ///
    /// The URL is parsed as strictly as an ``EndpointURL``, so that no other parser finds another host in it.
    ///
    /// - Parameter text: An absolute URL with the scheme `https` or `http`. A query and a fragment are ignored,
    ///   whatever they contain (RFC 9449 §4.3, item 9).
    /// - Throws: ``TransportFailure`` with the code `url`.
    init(_ text: String) throws(TransportFailure) {
        let text = String(
            decoding: text.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") },
            as: UTF8.self
        )
        guard text.utf8.count <= Limits.urlBytes else {
            throw EndpointURL.refusal("more than \(Limits.urlBytes) bytes without its query")
        }
        guard text.utf8.allSatisfy(EndpointURL.isAllowed) else { throw EndpointURL.refusal("forbidden character") }
        guard let scheme = EndpointURL.scheme(of: text) else {
            throw EndpointURL.refusal("the URL must begin with https:// or http://")
        }
        let rest = text.utf8.dropFirst(scheme.rawValue.utf8.count + 3)
        let authority = rest.prefix { $0 != UInt8(ascii: "/") }
        let path = Array(rest.dropFirst(authority.count))
        guard PercentEncoding.decode(path) != nil else {
            throw EndpointURL.refusal("% is not followed by two hexadecimal digits")
        }
        // An empty port means the default port (RFC 3986 §3.2.3).
        let hasEmptyPort = authority.last == UInt8(ascii: ":")
        let (host, port) = try EndpointURL.authority(
            String(decoding: hasEmptyPort ? authority.dropLast() : authority, as: UTF8.self),
            scheme: scheme
        )
        let isDefault = port == (scheme == .https ? 443 : 80)
        let shownHost = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        origin = "\(scheme.rawValue)://\(shownHost)\(isDefault ? "" : ":\(port)")"
        description = origin + Self.withoutDotSegments(Self.normalizingEscapes(in: path))
    }

    /// Decodes the percent-encodings of unreserved characters, and writes all others in upper case.
    ///
    /// - Parameter path: A path in which `%` is always followed by two hexadecimal digits.
    /// - Returns: The path.
    private static func normalizingEscapes(in path: [UInt8]) -> String {
        var result: [UInt8] = []
        var index = 0
        while index < path.count {
            guard path[index] == UInt8(ascii: "%"), let byte = PercentEncoding.byte(in: path, at: index) else {
                result.append(path[index])
                index += 1
                continue
            }
            result += PercentEncoding.isUnreserved(byte) ? [byte] : Array(PercentEncoding.encode(byte))
            index += 3
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Removes the dot segments of an absolute or empty path (RFC 3986 §5.2.4).
    private static func withoutDotSegments(_ path: String) -> String {
        let segments = path.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        var kept: [Substring.UTF8View] = []
        for (index, segment) in segments.enumerated() {
            let isParent = segment.elementsEqual("..".utf8)
            guard isParent || segment.elementsEqual(".".utf8) else {
                kept.append(segment)
                continue
            }
            if isParent { _ = kept.popLast() }
            // A dot segment at the end names a directory, whose path ends with a slash.
            if index == segments.count - 1 { kept.append(""[...].utf8) }
        }
        return "/" + kept.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "/")
    }
}
