// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText
public import LoginTokens

/// A proxy on the way to other servers, through which `https` requests are sent in tunnels (`CONNECT`, RFC 9110 §9.3.6).
///
/// The proxy sees the names of hosts and the sizes of messages, not what is sent: TLS is between this process and the
/// host, whose certificate is checked as without a proxy. But the proxy resolves the names, so it decides to which
/// addresses requests go: configure it to refuse private ones. Requests with `http` are sent directly.
public struct OutgoingProxy: Sendable, Hashable {
    /// The host of the proxy: a name or an address.
    let host: String

    /// The port of the proxy.
    let port: Int

    /// The user name and the password for the proxy; nil for none.
    let credentials: Credentials?

    struct Credentials: Sendable, Hashable {
        let userName: String
        let password: String

        /// Creates credentials from a user name, a colon and a password; nil if there is no colon, or a control character.
        init?(_ text: String) {
            let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return nil }
            (userName, password) = (String(parts[0]), String(parts[1]))
        }
    }

    /// The hosts that are reached directly.
    private let exceptions: [String]

    /// Creates a proxy.
    ///
    /// - Parameters:
    ///   - url: The URL, `http://host:port`. It may have a user name and a password, percent-encoded.
    ///   - credentials: The user name and the password, separated by a colon; nil for those in the URL, or none.
    ///   - exceptions: The hosts that are reached directly: names, which include the names below them, addresses or
    ///     networks; `*` for all.
    /// - Throws: `TransportFailure` with the code `url`, which quotes neither the URL nor a password.
    public init(_ url: String, credentials: String? = nil, exceptions: [String] = []) throws(TransportFailure) {
        let scheme = "http://"
        guard url.lowercased().hasPrefix(scheme) else {
            throw TransportFailure(
                .url,
                "the outgoing proxy must be an http:// URL; TLS to the host is inside the tunnel"
            )
        }
        var place = url.dropFirst(scheme.count)
        if place.hasSuffix("/") { place.removeLast() }
        var text = credentials
        if let mark = place.lastIndex(of: "@") {
            let decoded = PercentEncoding.decode(place[..<mark].utf8).flatMap { String(validating: $0, as: UTF8.self) }
            guard let decoded, credentials == nil else {
                throw TransportFailure(.url, "the outgoing proxy has two pairs of credentials, or malformed ones")
            }
            text = decoded
            place = place[place.index(after: mark)...]
        }
        self.credentials = text.flatMap(Credentials.init)
        guard (text == nil) == (self.credentials == nil) else {
            throw TransportFailure(.url, "the credentials of the outgoing proxy are no user name, colon and password")
        }
        let endpoint = try EndpointURL("https://\(place)")
        guard endpoint.target == "/", place.hasSuffix(":\(endpoint.port)") else {
            throw TransportFailure(
                .url,
                "the outgoing proxy needs a port and has no path, for example http://proxy:3128"
            )
        }
        (host, port) = (endpoint.host, endpoint.port)
        self.exceptions = exceptions.map { $0.lowercased() }
    }

    /// Returns whether a request is sent through the proxy.
    ///
    /// This machine (RFC 6761 §6.3) is always reached directly: the proxy would reach its own.
    func isUsed(for url: EndpointURL) -> Bool {
        let address = IPAddress(url.host)
        let isThisMachine = ".\(url.host)".hasSuffix(".localhost") || address?.isLoopback == true
        guard url.scheme == .https, !isThisMachine else { return false }
        return !exceptions.contains { exception in
            if exception == "*" { return true }
            if let address { return IPNetwork(exception)?.contains(address) == true }
            let name = exception.hasPrefix(".") ? exception.dropFirst() : exception[...]
            return !name.isEmpty && (url.host == name || url.host.hasSuffix(".\(name)"))
        }
    }
}

extension OutgoingProxy: Redacted {
    /// The host and the port, without credentials.
    public var description: String { "\(host):\(port)" }
}
