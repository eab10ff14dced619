// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTokens

/// Resolves host names to addresses.
protocol NameResolver: Sendable {
    /// Returns all addresses of a host, in the order in which they should be tried.
    ///
    /// It ends promptly when the task is cancelled.
    ///
    /// - Parameter name: A host name.
    /// - Returns: Its addresses; empty if it has none.
    /// - Throws: `TransportFailure` if the resolution was interrupted.
    func addresses(of name: String) async throws(TransportFailure) -> [IPAddress]
}
