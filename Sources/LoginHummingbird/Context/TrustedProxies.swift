// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
public import LoginKeys
internal import LoginTokens

/// The proxies that stand before this service, and are believed when they say for whom they ask.
public struct TrustedProxies: Sendable {
    private let networks: [IPNetwork]
    private let isUnixSocketTrusted: Bool

    /// How many entries of `X-Forwarded-For` are looked at: more proxies than that stand in no row.
    private static let longestRow = 16

    /// No proxy: the address of a connection is the client's.
    public static let none = Self([], trustingUnixSocket: false)

    /// Proxies by their addresses.
    ///
    /// - Parameters:
    ///   - networks: Where they are. Name them narrowly: whoever connects from there chooses whose limits apply.
    ///   - isUnixSocketTrusted: Whether a connection over a Unix socket is from a proxy.
    public init(_ networks: [IPNetwork], trustingUnixSocket isUnixSocketTrusted: Bool = true) {
        self.networks = networks
        self.isUnixSocketTrusted = isUnixSocketTrusted
    }

    /// Whether a connection is from a proxy.
    ///
    /// - Parameter peer: The address of the connection; nil of a Unix socket.
    /// - Returns: Whether it is one that is believed.
    func isTrusted(_ peer: String?) -> Bool {
        guard let peer else { return isUnixSocketTrusted }
        guard !networks.isEmpty, let address = IPAddress(peer).map(Self.unmapped) else { return false }
        return networks.contains { $0.contains(address) }
    }

    /// The client for whom a request was made.
    ///
    /// Each proxy adds the address that it was asked from to the end of the list. So the list is read from its end, as long as what is
    /// named there is a proxy too: what stands before the first stranger, the stranger wrote.
    ///
    /// - Parameters:
    ///   - peer: The address of the connection; nil of a Unix socket.
    ///   - forwarded: The values of `X-Forwarded-For`, in order.
    /// - Returns: The address of the client; of the last proxy where it does not name one, nil where nobody has an address.
    func client(peer: String?, forwarded: [String]) -> String? {
        guard isTrusted(peer) else { return peer }
        var client = peer
        let entries = forwarded.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }
        for entry in entries.reversed().prefix(Self.longestRow) {
            guard let address = Self.address(entry) else { break }
            client = address.description
            guard networks.contains(where: { $0.contains(address) }) else { break }
        }
        return client
    }

    /// Reads an entry: an address, with or without a port.
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

    /// An IPv4 address inside an IPv6 one (RFC 4291 §2.5.5.2) is that machine's: a socket that takes both shows it so.
    private static func unmapped(_ address: IPAddress) -> IPAddress {
        guard case .v6(let number) = address, number >> 32 == 0xFFFF else { return address }
        return .v4(UInt32(truncatingIfNeeded: number))
    }
}
#endif
