// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTokens

/// Finds the addresses of a host.
protocol NameResolver: Sendable {
    /// All addresses of a name, in the order in which they should be tried.
    ///
    /// Ends promptly when the task is cancelled.
    ///
    /// - Parameter name: A host name.
    /// - Returns: Its addresses; none if it has none.
    /// - Throws: `TransportFailure` if nobody could be asked.
    func addresses(of name: String) async throws(TransportFailure) -> [IPAddress]
}
