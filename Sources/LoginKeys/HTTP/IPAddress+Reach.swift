// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTokens

extension IPAddress {
    /// Whether this is an address of the open Internet.
    ///
    /// Whatever IANA's registries of special addresses (RFC 6890) do not call globally reachable is not. Nor are addresses that
    /// hold another one, which a translator on the way would unpack behind our back.
    var isPublic: Bool {
        switch self {
        case .v4: !Self.specialV4.contains { $0.contains(self) }
        // All that was ever given out (RFC 4291 §2.4); what lies elsewhere is this machine, this link or this site (::1,
        // fe80::/10, fec0::/10, fc00::/7), many machines (ff00::/8), or holds an IPv4 address (::ffff:0:0/96, 64:ff9b::/96).
        case .v6: Self.unicast.contains(self) && !Self.specialV6.contains { $0.contains(self) }
        }
    }

    /// The networks of IPv4 that are not public.
    static let specialV4 = [
        network("0.0.0.0/8"),  // this network (RFC 791 §3.2)
        network("10.0.0.0/8"),  // private (RFC 1918)
        network("100.64.0.0/10"),  // behind a provider's translator (RFC 6598)
        network("127.0.0.0/8"),  // this machine (RFC 1122 §3.2.1.3)
        network("169.254.0.0/16"),  // this link (RFC 3927); clouds give their secrets here
        network("172.16.0.0/12"),  // private (RFC 1918)
        network("192.0.0.0/24"),  // protocol assignments (RFC 6890 §2.1)
        network("192.0.2.0/24"),  // documentation (RFC 5737)
        network("192.88.99.0/24"),  // relays of 6to4, withdrawn (RFC 7526)
        network("192.168.0.0/16"),  // private (RFC 1918)
        network("198.18.0.0/15"),  // benchmarks (RFC 2544)
        network("198.51.100.0/24"),  // documentation (RFC 5737)
        network("203.0.113.0/24"),  // documentation (RFC 5737)
        network("224.0.0.0/4"),  // many machines (RFC 5771)
        network("240.0.0.0/4"),  // reserved, and broadcast (RFC 1112 §4, RFC 919)
    ]

    private static let unicast = network("2000::/3")

    /// The networks of IPv6 inside 2000::/3 that are not public.
    static let specialV6 = [
        network("2001::/23"),  // protocol assignments: Teredo, benchmarks, ORCHID (RFC 2928)
        network("2001:db8::/32"),  // documentation (RFC 3849)
        network("2002::/16"),  // 6to4, which holds an IPv4 address (RFC 3056)
        network("3fff::/20"),  // documentation (RFC 9637)
    ]

    private static func network(_ text: String) -> IPNetwork {
        guard let network = IPNetwork(text) else { preconditionFailure("the tables above hold networks: \(text)") }
        return network
    }
}
