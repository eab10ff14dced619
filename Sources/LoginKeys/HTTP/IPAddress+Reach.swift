// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTokens

extension IPAddress {
    /// Whether this is a public address of the Internet.
    ///
    /// Addresses that IANA's special-purpose registries (RFC 6890) do not list as globally reachable are not public.
    /// Addresses that contain another address are not public either, because a translator on the path could forward to
    /// that one.
    var isPublic: Bool {
        switch self {
        case .v4: !Self.specialV4.contains { $0.contains(self) }
        // Global unicast addresses are allocated from 2000::/3 (RFC 4291 §2.4). All others are loopback (::1),
        // link-local (fe80::/10), site-local (fec0::/10), unique local (fc00::/7) or multicast (ff00::/8), or contain
        // an IPv4 address (::ffff:0:0/96, 64:ff9b::/96).
        case .v6: Self.unicast.contains(self) && !Self.specialV6.contains { $0.contains(self) }
        }
    }

    /// Whether this is an address of a private network: RFC 1918, or unique local (RFC 4193).
    ///
    /// Link-local addresses are none, because the metadata services of clouds hand out credentials there; nor are the
    /// addresses of such services among the unique local ones. An address that contains another one (IPv4-mapped,
    /// NAT64, 6to4) is none either, whatever it contains.
    var isPrivate: Bool {
        Self.privateNetworks.contains { $0.contains(self) } && !Self.metadataServices.contains { $0.contains(self) }
    }

    private static let privateNetworks = ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"].map(network)

    /// The metadata services of clouds at unique local addresses.
    private static let metadataServices = [
        // Amazon EC2 User Guide: metadata at ::254, EKS Pod Identity at ::23; the whole network is Amazon's.
        network("fd00:ec2::/32"),
        network("fd20:ce::254"),  // Google Compute Engine: "About VM metadata"
        network("fd00:c1::a9fe:a9fe"),  // Oracle Cloud: the client libraries of OCI
        network("fd00:42::42"),  // Scaleway: cloud-init
        network("fd00:a9fe:a9fe::1"),  // Akamai (Linode): cloud-init
        network("fd00:100::100:200"),  // Alibaba Cloud: cloud-init
    ]

    /// The IPv4 networks that are not public.
    static let specialV4 = [
        network("0.0.0.0/8"),  // this network (RFC 791 §3.2)
        network("10.0.0.0/8"),  // private (RFC 1918)
        network("100.64.0.0/10"),  // carrier-grade NAT (RFC 6598)
        network("127.0.0.0/8"),  // loopback (RFC 1122 §3.2.1.3)
        network("169.254.0.0/16"),  // link-local (RFC 3927), with the metadata services of clouds
        network("172.16.0.0/12"),  // private (RFC 1918)
        network("192.0.0.0/24"),  // protocol assignments (RFC 6890 §2.1)
        network("192.0.2.0/24"),  // documentation (RFC 5737)
        network("192.88.99.0/24"),  // 6to4 relay anycast, deprecated (RFC 7526)
        network("192.168.0.0/16"),  // private (RFC 1918)
        network("198.18.0.0/15"),  // benchmarks (RFC 2544)
        network("198.51.100.0/24"),  // documentation (RFC 5737)
        network("203.0.113.0/24"),  // documentation (RFC 5737)
        network("224.0.0.0/4"),  // multicast (RFC 5771)
        network("240.0.0.0/4"),  // reserved, and broadcast (RFC 1112 §4, RFC 919)
    ]

    private static let unicast = network("2000::/3")

    /// The IPv6 networks within 2000::/3 that are not public.
    static let specialV6 = [
        network("2001::/23"),  // protocol assignments: Teredo, benchmarking, ORCHID (RFC 2928)
        network("2001:db8::/32"),  // documentation (RFC 3849)
        network("2002::/16"),  // 6to4, which contains an IPv4 address (RFC 3056)
        network("3fff::/20"),  // documentation (RFC 9637)
    ]

    private static func network(_ text: String) -> IPNetwork {
        guard let network = IPNetwork(text) else { preconditionFailure("the tables above hold networks: \(text)") }
        return network
    }
}
