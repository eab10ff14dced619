// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTokens

/// Which network addresses the server of an endpoint may have.
///
/// Who can choose an endpoint, or what its name leads to, could otherwise have us ask machines that only we can reach.
struct AddressRule {
    let scheme: EndpointURL.Scheme
    let allowedNetworks: [IPNetwork]

    /// How many addresses of one name are tried at most.
    static let attempts = 4

    /// Says which addresses to try, in which order.
    ///
    /// One address that may not be asked is reason enough to ask none: a name that leads to both is a mistake, or an attempt.
    ///
    /// - Parameter addresses: All addresses of the host, in the order the system prefers.
    /// - Returns: The first few, IPv4 and IPv6 in turn, so that one kind that leads nowhere does not use up all attempts.
    /// - Throws: `TransportFailure` with the code `address`, or `name` if there are none.
    func choose(from addresses: [IPAddress]) throws(TransportFailure) -> [IPAddress] {
        if let refused = addresses.first(where: { !allows($0) }) {
            let wanted =
                scheme == .http
                ? "http is only for this machine" : "it is not public, and in no network that was allowed by name"
            throw TransportFailure(.address, "the host has the address \(refused): \(wanted)")
        }
        guard let first = addresses.first else { throw TransportFailure(.name, "the host's name has no address") }
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
        case .http: address.isLoopback
        case .https: address.isPublic || allowedNetworks.contains { $0.contains(address) }
        }
    }
}
