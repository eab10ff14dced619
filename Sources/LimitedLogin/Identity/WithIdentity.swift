// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// Runs `operation` with these as `AuthenticationToken.current`, `AccessToken.current` and `Profile.current`.
///
/// ```swift
/// let response = try await withIdentity(token, accessToken: nil, profile: token.profile) {
///     try await respond(to: request)
/// }
/// ```
///
/// It is a convenience for logs and views, which are far from the request. Authorisation reads the request's own
/// identity: what is current depends on where the code runs.
///
/// - What `operation` calls and awaits sees them, and so do its child tasks and each `Task {}` that it begins, even
///   after `operation` has returned.
/// - A `Task.detached` does not see them, nor does what runs later in a task that others began: the body of a response
///   that is streamed after the responder has returned. Take along what you need there.
/// - An inner `withIdentity` replaces all of them while it runs. What it leaves nil is nil, whatever was current
///   outside.
///
/// - Parameters:
///   - token: The token that the person signed in with.
///   - accessToken: The access token that a login with tracking brought; nil for a Limited Login.
///   - profile: What the person shared.
///   - operation: What runs as this person.
/// - Returns: What `operation` returns.
/// - Throws: What `operation` throws.
public func withIdentity<Success>(
    _ token: AuthenticationToken?,
    accessToken: AccessToken?,
    profile: Profile?,
    operation: () async throws -> Success
) async rethrows -> Success {
    let identity = Identity(token: token, accessToken: accessToken, profile: profile)
    return try await Identity.$current.withValue(identity, operation: operation)
}

/// As the other, where nothing is awaited.
///
/// - Parameters:
///   - token: The token that the person signed in with.
///   - accessToken: The access token that a login with tracking brought; nil for a Limited Login.
///   - profile: What the person shared.
///   - operation: What runs as this person.
/// - Returns: What `operation` returns.
/// - Throws: What `operation` throws.
public func withIdentity<Success>(
    _ token: AuthenticationToken?,
    accessToken: AccessToken?,
    profile: Profile?,
    operation: () throws -> Success
) rethrows -> Success {
    let identity = Identity(token: token, accessToken: accessToken, profile: profile)
    return try Identity.$current.withValue(identity, operation: operation)
}

/// All that is current, in one: no request ever sees a token of one person and the profile of another.
private struct Identity: Sendable {
    @TaskLocal static var current = Identity(token: nil, accessToken: nil, profile: nil)

    let token: AuthenticationToken?
    let accessToken: AccessToken?
    let profile: Profile?
}

extension AuthenticationToken {
    /// The token that the current request was signed in with; nil outside of `withIdentity`.
    ///
    /// A convenience: where it matters who it is, ask the request.
    public static var current: AuthenticationToken? { Identity.current.token }
}

extension AccessToken {
    /// The access token of the current request's person; nil outside of `withIdentity`, and in a Limited Login.
    ///
    /// A convenience: where it matters who it is, ask the request.
    public static var current: AccessToken? { Identity.current.accessToken }
}

extension Profile {
    /// What the person of the current request shared; nil outside of `withIdentity`.
    ///
    /// A convenience: where it matters who it is, ask the request.
    public static var current: Profile? { Identity.current.profile }
}
