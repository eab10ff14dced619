// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// Runs `operation` with this as ``Session/current``.
///
/// It is a convenience for logs and views, which are far from the request. Authorisation asks the request for its own session: what
/// is current depends on where the code runs. What `operation` calls and awaits sees it, and its child tasks; a detached task does
/// not, nor does the body of an answer that is streamed after its handler has returned.
///
/// - Parameters:
///   - session: The session; nil for nobody's, whatever was current outside.
///   - operation: What runs as this person.
/// - Returns: What `operation` returns.
/// - Throws: What `operation` throws.
public func withIdentity<Success>(
    _ session: Session?,
    operation: () async throws -> Success
) async rethrows -> Success {
    try await Session.$current.withValue(session, operation: operation)
}

extension Session {
    /// The session of the current request; nil outside of `withIdentity`.
    ///
    /// A convenience: where it matters who it is, ask the request.
    @TaskLocal public static var current: Session?
}
