// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

package import LoginTokens

/// An IP network in CIDR notation, for example `10.0.0.0/8` or `fd00::/8`.
public struct IPNetwork: Sendable, Hashable {
    let base: IPAddress
    let prefix: Int

    /// Creates a network from its CIDR notation, or from a single address.
    ///
    /// Returns nil if the text is malformed, or if the address is not the first of the network: in `10.0.0.1/8`, one of
    /// the two numbers is a mistake. An IPv4 network contains no IPv6 addresses, not even IPv4-mapped ones
    /// (`::ffff:10.0.0.1`).
    ///
    /// - Parameter text: An address, or the first address of the network, a slash, and the prefix length: 0 to 32 for
    ///   IPv4, 0 to 128 for IPv6.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let base = IPAddress(String(parts[0])) else { return nil }
        self.base = base
        guard parts.count == 2 else {
            self.prefix = base.bitWidth
            return
        }
        // Each number has one spelling, without a sign or leading zeros.
        guard let prefix = Int(parts[1]), String(prefix) == parts[1], (0...base.bitWidth).contains(prefix) else {
            return nil
        }
        self.prefix = prefix
        guard contains(base), base == Self.first(base, prefix: prefix) else { return nil }
    }

    /// Returns whether the network contains an address.
    package func contains(_ address: IPAddress) -> Bool {
        switch (base, address) {
        case (.v4, .v4), (.v6, .v6): Self.first(address, prefix: prefix) == base
        case (.v4, .v6), (.v6, .v4): false
        }
    }

    /// The reason why an operator cannot mean this network, with the fix; nil if there is none.
    ///
    /// - A network of IPv4-mapped addresses (RFC 4291 §2.5.5.2) matches no client, because addresses of clients are
    ///   compared as IPv4 addresses.
    /// - A network with an IPv4 prefix shorter than 8, or an IPv6 prefix shorter than 16, contains more of the internet
    ///   than one operator has, except for unique local and link-local addresses.
    public var mistake: String? {
        let containsMuchOfInternet: Bool
        switch base {
        case .v4: containsMuchOfInternet = prefix < 8
        case .v6(let number) where number >> 32 == 0xFFFF: return "\(self) is IPv4-mapped; write the IPv4 network"
        case .v6(let number) where number >> 121 == 0xFC >> 1 || number >> 118 == 0xFE80 >> 6: return nil
        case .v6: containsMuchOfInternet = prefix < 16
        }
        return containsMuchOfInternet
            ? "\(self) contains a large part of the internet; name only networks of your own" : nil
    }

    /// Returns the first address of the network with this prefix length that contains an address.
    private static func first(_ address: IPAddress, prefix: Int) -> IPAddress {
        // In Swift, a shift by the whole bit width gives zero, which is the mask of prefix length 0.
        switch address {
        case .v4(let number): .v4(number & (UInt32.max << (UInt32.bitWidth - prefix)))
        case .v6(let number): .v6(number & (UInt128.max << (UInt128.bitWidth - prefix)))
        }
    }
}

extension IPNetwork: CustomStringConvertible {
    /// The CIDR notation of the network.
    public var description: String { "\(base)/\(prefix)" }
}
