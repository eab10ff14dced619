// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// Runs `operation` with these as `AuthenticationToken.current` and `Profile.current`.
///
/// ```swift
/// let response = try await withIdentity(token, profile: token.profile) {
///     try await respond(to: request)
/// }
/// ```
///
/// It is a convenience for logs and views, which are far from the request. Authorisation reads the request's own identity: what
/// is current depends on where the code runs.
///
/// - What `operation` calls and awaits sees them, and so do its child tasks and each `Task {}` that it begins, even after
///   `operation` has returned.
/// - A `Task.detached` does not see them, nor does what runs later in a task that others began: the body of a response that is
///   streamed after the responder has returned. Take along what you need there.
/// - An inner `withIdentity` replaces all of them while it runs. What it leaves nil is nil, whatever was current outside.
///
/// - Parameters:
///   - token: The token that the person signed in with.
///   - profile: What the person shared.
///   - operation: What runs as this person.
/// - Returns: What `operation` returns.
/// - Throws: What `operation` throws.
public func withIdentity<Success>(
    _ token: AuthenticationToken?,
    profile: Profile?,
    operation: () async throws -> Success
) async rethrows -> Success {
    try await Identity.$current.withValue(Identity(token: token, profile: profile), operation: operation)
}

/// Runs `operation` with these as `AuthenticationToken.current` and `Profile.current`, where nothing is awaited.
///
/// - Parameters:
///   - token: The token that the person signed in with.
///   - profile: What the person shared.
///   - operation: What runs as this person.
/// - Returns: What `operation` returns.
/// - Throws: What `operation` throws.
public func withIdentity<Success>(
    _ token: AuthenticationToken?,
    profile: Profile?,
    operation: () throws -> Success
) rethrows -> Success {
    try Identity.$current.withValue(Identity(token: token, profile: profile), operation: operation)
}

/// All that is current, in one: no request ever sees the token of one person and the profile of another.
private struct Identity: Sendable {
    @TaskLocal static var current = Identity(token: nil, profile: nil)

    let token: AuthenticationToken?
    let profile: Profile?
}

extension AuthenticationToken {
    /// The token that the current request was signed in with; nil outside of `withIdentity`.
    ///
    /// A convenience: where it matters who it is, ask the request.
    public static var current: AuthenticationToken? { Identity.current.token }
}

extension Profile {
    /// What the person of the current request shared; nil outside of `withIdentity`.
    ///
    /// A convenience: where it matters who it is, ask the request.
    public static var current: Profile? { Identity.current.profile }
}
