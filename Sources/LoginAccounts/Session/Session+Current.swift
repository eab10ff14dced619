// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// Runs an operation with a session as ``Session/current``.
///
/// It is a convenience for logs and views that have no access to the request. Authorization must use the session of the
/// request, because the current session depends on the task in which the code runs. The operation and its child tasks
/// see the session. A detached task does not, nor does a response body that is streamed after the handler has returned.
///
/// - Parameters:
///   - session: The session; nil for none, even if an outer session is current.
///   - operation: The operation.
/// - Returns: The result of `operation`.
/// - Throws: Rethrows the error of `operation`.
public func withIdentity<Success>(
    _ session: Session?,
    operation: () async throws -> Success
) async rethrows -> Success {
    try await Session.$current.withValue(session, operation: operation)
}

extension Session {
    /// The session of the current request; nil outside of `withIdentity`.
    ///
    /// It is a convenience. For authorization, use the session of the request.
    @TaskLocal public static var current: Session?
}
