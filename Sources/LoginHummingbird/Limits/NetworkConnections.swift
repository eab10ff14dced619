// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Synchronization

/// The number of open connections of each network of one server.
final class NetworkConnections: Sendable {
    private let maximum: Int
    /// The networks with open connections; the server's total bounds their number.
    private let counts = Mutex<[String: Int]>([:])

    /// Creates a count.
    ///
    /// - Parameter maximum: The maximum number of connections of one network.
    init(maximum: Int) {
        self.maximum = maximum
    }

    /// Counts a new connection, unless its network has the maximum already.
    ///
    /// - Parameter network: The network.
    /// - Returns: Whether the connection was counted.
    func open(_ network: String) -> Bool {
        counts.withLock { counts in
            let count = counts[network, default: 0]
            guard count < maximum else { return false }
            counts[network] = count + 1
            return true
        }
    }

    /// Removes a connection that was counted.
    ///
    /// - Parameter network: The network.
    func close(_ network: String) {
        counts.withLock { counts in
            let count = counts[network, default: 0]
            counts[network] = count > 1 ? count - 1 : nil
        }
    }
}
#endif
