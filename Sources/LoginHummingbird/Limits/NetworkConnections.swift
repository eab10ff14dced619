// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Synchronization

/// The counts of open connections per network of one server.
final class NetworkConnections: Sendable {
    /// The maximum number of connections of one network while more than half of the server's connections are open.
    ///
    /// A browser opens fewer.
    private static let maximumWhenBusy = 10

    private struct Open {
        var total = 0
        /// The number of connections of each network that has any, bounded by the server's total.
        var byNetwork: [String: Int] = [:]
    }

    private let maximum: Int
    /// The number of open connections at which the limit of a network is lowered.
    private let busy: Int
    private let open = Mutex(Open())

    /// Creates counts of zero.
    ///
    /// - Parameters:
    ///   - maximum: The maximum number of connections of one network.
    ///   - total: The maximum number of connections of the server; nil if it has none.
    init(maximum: Int, total: Int?) {
        self.maximum = maximum
        busy = total.map { $0 / 2 } ?? .max
    }

    /// Counts a new connection, unless its network has reached the maximum.
    ///
    /// - Parameter network: The network.
    /// - Returns: Whether the connection was counted.
    func open(_ network: String) -> Bool {
        open.withLock { open in
            let count = open.byNetwork[network, default: 0]
            let limit = open.total < busy ? maximum : min(maximum, Self.maximumWhenBusy)
            guard count < limit else { return false }
            open.byNetwork[network] = count + 1
            open.total += 1
            return true
        }
    }

    /// Removes a connection that was counted.
    ///
    /// - Parameter network: The network.
    func close(_ network: String) {
        open.withLock { open in
            let count = open.byNetwork[network, default: 0]
            open.byNetwork[network] = count > 1 ? count - 1 : nil
            open.total -= 1
        }
    }
}
#endif
