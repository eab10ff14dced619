// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import LoginTokens
internal import Synchronization

/// The places that the clients of a server hold, counted per network: its connections, or the bodies that it reads.
package struct NetworkPlaces: Sendable {
    /// The maximum number of places of one network.
    private var maximum: Int
    /// The maximum number of places of one network while many are taken.
    private var maximumWhenBusy: Int
    /// The number of taken places from which ``maximumWhenBusy`` applies.
    private var busy: Int
    /// The number of places.
    private var total: Int

    private var taken = 0
    /// The number of places of each network that has any, bounded by the number of taken places.
    private var byNetwork: [String: Int] = [:]

    /// Returns the places of connections.
    ///
    /// Their total is enforced by the listener.
    ///
    /// - Parameters:
    ///   - maximum: The maximum number of connections of one network.
    ///   - total: The maximum number of connections of the server; nil if it has none.
    /// - Returns: The places.
    package static func connections(maximum: Int, total: Int?) -> Self {
        // A browser opens fewer than ten.
        Self(maximum: maximum, maximumWhenBusy: 10, busy: total.map { $0 / 2 } ?? .max, total: .max)
    }

    /// Returns the places of request bodies.
    ///
    /// A server that limits its connections also limits how many of them wait for their clients, and with it the bodies.
    ///
    /// - Parameter connections: The maximum number of connections of the server; nil if it has none.
    /// - Returns: The places.
    static func bodies(connections: Int?) -> Self {
        Self(
            maximum: Limits.bodiesPerNetwork,
            maximumWhenBusy: Limits.bodiesPerNetworkWhenBusy,
            busy: (connections.map { max($0 / 2, 1) } ?? Limits.bodies) / 2,
            total: connections == nil ? Limits.bodies : .max
        )
    }

    private init(maximum: Int, maximumWhenBusy: Int, busy: Int, total: Int) {
        (self.maximum, self.maximumWhenBusy, self.busy, self.total) = (maximum, maximumWhenBusy, busy, total)
    }

    /// Takes a place, unless its network or the server has reached the maximum.
    ///
    /// - Parameter network: The network; nil for a client without an address, for which only the total applies.
    /// - Returns: Whether the place was taken.
    mutating func take(_ network: String?) -> Bool {
        guard taken < total else { return false }
        if let network {
            let count = byNetwork[network, default: 0]
            guard count < (taken < busy ? maximum : min(maximum, maximumWhenBusy)) else { return false }
            byNetwork[network] = count + 1
        }
        taken += 1
        return true
    }

    /// Applies the maximums of other places.
    ///
    /// Places that are taken stay so.
    mutating func resize(to other: Self) {
        (maximum, maximumWhenBusy) = (other.maximum, other.maximumWhenBusy)
        (busy, total) = (other.busy, other.total)
    }

    /// Frees a place that was taken.
    ///
    /// - Parameter network: The network.
    mutating func free(_ network: String?) {
        taken -= 1
        guard let network, let count = byNetwork[network] else { return }
        byNetwork[network] = count > 1 ? count - 1 : nil
    }
}

/// The places of one server, which its connections and requests share.
package final class SharedPlaces: Sendable {
    private let places: Mutex<NetworkPlaces>

    package init(_ places: NetworkPlaces) { self.places = Mutex(places) }

    /// Creates the places of the request bodies of a server whose number of connections is not known.
    package static func bodies() -> SharedPlaces { SharedPlaces(.bodies(connections: nil)) }

    /// Changes the number of the server's connections, and with it the places of bodies.
    ///
    /// - Parameter connections: The maximum number of connections of the server; nil if it has none.
    func resize(toConnections connections: Int?) {
        places.withLock { $0.resize(to: .bodies(connections: connections)) }
    }

    /// Takes a place; see ``NetworkPlaces/take(_:)``.
    package func take(_ network: String?) -> Bool { places.withLock { $0.take(network) } }

    /// Frees a place that was taken.
    package func free(_ network: String?) { places.withLock { $0.free(network) } }
}
#endif
