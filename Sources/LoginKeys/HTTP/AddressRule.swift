// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTokens

/// The rule for the IP addresses to which an endpoint may resolve.
///
/// It prevents server-side request forgery (SSRF): otherwise anyone who controls an endpoint, or the DNS records of its
/// host, could direct requests to internal machines.
struct AddressRule {
    let scheme: EndpointURL.Scheme
    let allowedNetworks: [IPNetwork]
    /// Whether the host is named for `http` in a private network.
    var isCleartextHost = false

    /// The maximum number of addresses of a host that are tried.
    static let attempts = 4

    /// Returns the addresses to try, in order.
    ///
    /// One forbidden address makes the whole host forbidden: a name that resolves to both kinds is a mistake or an
    /// attack.
    ///
    /// - Parameter addresses: All addresses of the host, in the order of the system's preference.
    /// - Returns: The first few, alternating between IPv4 and IPv6, so that an unreachable address family does not use
    ///   up all attempts.
    /// - Throws: `TransportFailure` with the code `address`, or `name` if there are no addresses.
    func choose(from addresses: [IPAddress]) throws(TransportFailure) -> [IPAddress] {
        if let refused = addresses.first(where: { !allows($0) }) {
            let wanted =
                switch (scheme, isCleartextHost) {
                case (.https, _): "it is not public, and not in an allowed network"
                case (.http, true): "http is allowed only for loopback and private addresses"
                case (.http, false): "http is allowed only for loopback addresses"
                }
            throw TransportFailure(.address, "the host has the address \(refused): \(wanted)")
        }
        guard let first = addresses.first else { throw TransportFailure(.name, "the host name has no addresses") }
        var preferred = addresses.filter { $0.bitWidth == first.bitWidth }[...]
        var others = addresses.filter { $0.bitWidth != first.bitWidth }[...]
        var chosen: [IPAddress] = []
        while chosen.count < Self.attempts, let next = preferred.popFirst() ?? others.popFirst() {
            if !chosen.contains(next) { chosen.append(next) }
            if !others.isEmpty { swap(&preferred, &others) }
        }
        return chosen
    }

    private func allows(_ address: IPAddress) -> Bool {
        switch scheme {
        case .http: address.isLoopback || (isCleartextHost && address.isPrivate)
        case .https: address.isPublic || allowedNetworks.contains { $0.contains(address) }
        }
    }
}
