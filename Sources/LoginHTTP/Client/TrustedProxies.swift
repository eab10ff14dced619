// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import HTTPTypes
public import LoginKeys
internal import LoginTokens

/// The reverse proxies whose forwarding headers are trusted.
public struct TrustedProxies: Sendable {
    private let networks: [IPNetwork]
    private let isUnixSocketTrusted: Bool

    /// The maximum number of entries of `X-Forwarded-For` that are read, counted from the end.
    private static let longestRow = 16

    /// No proxies: the address of a connection is the client's address.
    public static let none = Self([], trustingUnixSocket: false)

    /// Creates a set of proxies.
    ///
    /// - Parameters:
    ///   - networks: The networks of the proxies. Keep them narrow: any client that connects from there can choose the
    ///     address to which limits apply.
    ///   - isUnixSocketTrusted: Whether a connection over a Unix socket is from a proxy.
    public init(_ networks: [IPNetwork], trustingUnixSocket isUnixSocketTrusted: Bool = true) {
        self.networks = networks
        self.isUnixSocketTrusted = isUnixSocketTrusted
    }

    /// Returns whether a connection is from a trusted proxy.
    ///
    /// - Parameter peer: The other end of the connection.
    /// - Returns: Whether its forwarding headers are trusted.
    public func isTrusted(_ peer: ServerRequest.Peer) -> Bool {
        switch peer {
        case .unixSocket: return isUnixSocketTrusted
        case .unknown: return false
        case .address(let text):
            guard !networks.isEmpty, let address = IPAddress(text).map(Self.unmapped) else { return false }
            return networks.contains { $0.contains(address) }
        }
    }

    /// Returns the address of the client that sent a request; nil for a Unix socket if no address is known.
    func client(of request: ServerRequest) -> String? {
        client(peer: request.peer, forwarded: request.headers[values: .xForwardedFor])
    }

    /// Returns the address of the client that sent a request.
    ///
    /// Each proxy appends the address of its peer to the list. The list is therefore read from its end, as long as the
    /// entries are trusted proxies. Entries before the first other address were written by the client and are ignored.
    ///
    /// - Parameters:
    ///   - peer: The other end of the connection.
    ///   - forwarded: The values of `X-Forwarded-For`, in order.
    /// - Returns: The address of the client, or of the last proxy if the list does not name a client; nil for a Unix
    ///   socket if no address is known.
    func client(peer: ServerRequest.Peer, forwarded: [String]) -> String? {
        var client: String? =
            switch peer {
            case .address(let address) where IPAddress(address) != nil: address
            case .unixSocket: nil
            // Clients without a usable address, such as those that reset their connections, share one network, so that
            // they escape no limit.
            case .address, .unknown: "0.0.0.0"
            }
        guard isTrusted(peer) else { return client }
        let entries = forwarded.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }
        for entry in entries.reversed().prefix(Self.longestRow) {
            guard let address = Self.address(entry) else { break }
            client = address.description
            guard networks.contains(where: { $0.contains(address) }) else { break }
        }
        return client
    }

    /// Returns the address in an entry, which may have a port; nil if the entry is malformed.
    private static func address(_ entry: Substring) -> IPAddress? {
        var text = entry.drop { $0 == " " || $0 == "\t" }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        guard text.utf8.count <= 64 else { return nil }
        if text.first == "[", let end = text.firstIndex(of: "]") {
            text = text[text.index(after: text.startIndex)..<end]
        } else if let colon = text.firstIndex(of: ":"), text.lastIndex(of: ":") == colon {
            text = text[..<colon]
        }
        return IPAddress(String(text)).map(unmapped)
    }

    /// Returns the IPv4 address in an IPv4-mapped IPv6 address (RFC 4291 §2.5.5.2), and any other address unchanged.
    ///
    /// A dual-stack socket reports IPv4 peers in that form.
    private static func unmapped(_ address: IPAddress) -> IPAddress {
        guard case .v6(let number) = address, number >> 32 == 0xFFFF else { return address }
        return .v4(UInt32(truncatingIfNeeded: number))
    }
}
#endif
