// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import LoginTokens

/// The time that a client has to send the body of a request.
package enum BodyPace {
    /// Returns the time for the body from its head on, of which only the time counts in which the server waits.
    ///
    /// - Parameter bytes: The number of received bytes.
    /// - Returns: The time after which the body is too slow, if no more bytes arrive.
    package static func allowance(received bytes: Int) -> Duration {
        // Whole milliseconds of a rate of at least one byte per second cannot overflow.
        Limits.bodyGrace + .milliseconds(Int64(bytes) * 1000 / Int64(Limits.bodyBytesPerSecond))
    }
}
#endif
