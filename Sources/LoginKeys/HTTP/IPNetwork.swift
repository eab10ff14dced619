// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

package import LoginTokens

/// A range of Internet addresses that begin alike, for example `10.0.0.0/8` or `fd00::/8`.
public struct IPNetwork: Sendable, Hashable {
    let base: IPAddress
    let prefix: Int

    /// Reads a network, or a single address.
    ///
    /// An IPv4 network has no address of IPv6, not even one that holds an IPv4 address (`::ffff:10.0.0.1`).
    ///
    /// - Parameter text: An address, or the first address of the network, a slash, and how many leading bits all its addresses
    ///   share: 0 to 32 for IPv4, 0 to 128 for IPv6. Nil if it is none, or if the address is not the first: in `10.0.0.1/8` one
    ///   of the two numbers is a mistake.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let base = IPAddress(String(parts[0])) else { return nil }
        self.base = base
        guard parts.count == 2 else {
            self.prefix = base.bitWidth
            return
        }
        // One spelling for each number: no sign and no leading zero.
        guard let prefix = Int(parts[1]), String(prefix) == parts[1], (0...base.bitWidth).contains(prefix) else {
            return nil
        }
        self.prefix = prefix
        guard contains(base), base == Self.first(base, prefix: prefix) else { return nil }
    }

    /// Whether an address is one of this network.
    package func contains(_ address: IPAddress) -> Bool {
        switch (base, address) {
        case (.v4, .v4), (.v6, .v6): Self.first(address, prefix: prefix) == base
        case (.v4, .v6), (.v6, .v4): false
        }
    }

    /// The first address of the network that an address is in.
    private static func first(_ address: IPAddress, prefix: Int) -> IPAddress {
        // A shift by the whole width gives zero in Swift, and so the mask of a prefix of 0.
        switch address {
        case .v4(let number): .v4(number & (UInt32.max << (UInt32.bitWidth - prefix)))
        case .v6(let number): .v6(number & (UInt128.max << (UInt128.bitWidth - prefix)))
        }
    }
}

extension IPNetwork: CustomStringConvertible {
    /// The network as it is read.
    public var description: String { "\(base)/\(prefix)" }
}
