// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// Runs an operation with task-local `AuthenticationToken.current`, `AccessToken.current` and `Profile.current`.
///
/// ```swift
/// let response = try await withIdentity(token, accessToken: nil, profile: token.profile) {
///     try await respond(to: request)
/// }
/// ```
///
/// It is a convenience for logs and views that are far from the request. Base authorization on the request's own
/// identity, since task-local values depend on where the code runs.
///
/// - The operation, its child tasks and each `Task {}` that it starts see the values, even after the operation has
///   returned.
/// - A `Task.detached` does not see them, nor does code that runs later in another task, for example a streamed body
///   after the responder has returned. Pass such code the values it needs.
/// - An inner `withIdentity` replaces all of them while it runs. A nil argument is nil inside, whatever the outer
///   value.
///
/// - Parameters:
///   - token: The ID token that the user signed in with.
///   - accessToken: The access token of a login with tracking; nil for a Limited Login.
///   - profile: The user's profile.
///   - operation: The operation.
/// - Returns: The result of the operation.
/// - Throws: Rethrows errors of the operation.
public func withIdentity<Success>(
    _ token: AuthenticationToken?,
    accessToken: AccessToken?,
    profile: Profile?,
    operation: () async throws -> Success
) async rethrows -> Success {
    let identity = Identity(token: token, accessToken: accessToken, profile: profile)
    return try await Identity.$current.withValue(identity, operation: operation)
}

/// Runs a synchronous operation with task-local `AuthenticationToken.current`, `AccessToken.current` and
/// `Profile.current`.
///
/// - Parameters:
///   - token: The ID token that the user signed in with.
///   - accessToken: The access token of a login with tracking; nil for a Limited Login.
///   - profile: The user's profile.
///   - operation: The operation.
/// - Returns: The result of the operation.
/// - Throws: Rethrows errors of the operation.
public func withIdentity<Success>(
    _ token: AuthenticationToken?,
    accessToken: AccessToken?,
    profile: Profile?,
    operation: () throws -> Success
) rethrows -> Success {
    let identity = Identity(token: token, accessToken: accessToken, profile: profile)
    return try Identity.$current.withValue(identity, operation: operation)
}

/// The task-local values.
///
/// One value holds all of them, so that they always belong to one user.
private struct Identity: Sendable {
    @TaskLocal static var current = Identity(token: nil, accessToken: nil, profile: nil)

    let token: AuthenticationToken?
    let accessToken: AccessToken?
    let profile: Profile?
}

extension AuthenticationToken {
    /// The ID token of the current request; nil outside of `withIdentity`.
    ///
    /// It is also nil in `Session.withStoredProfile(operation:)`, although `Profile.current` is not: a session is no
    /// evidence of a token, and accounts store no token of a provider.
    ///
    /// It is a convenience. Base authorization on the request's own identity.
    public static var current: AuthenticationToken? { Identity.current.token }
}

extension AccessToken {
    /// The access token of the current request; nil outside of `withIdentity`, and for a Limited Login.
    ///
    /// It is also nil in `Session.withStoredProfile(operation:)`, since accounts store no token of a provider.
    ///
    /// It is a convenience. Base authorization on the request's own identity.
    public static var current: AccessToken? { Identity.current.accessToken }
}

extension Profile {
    /// The profile of the current request's user; nil outside of `withIdentity`.
    ///
    /// It is a convenience. Base authorization on the request's own identity.
    public static var current: Profile? { Identity.current.profile }
}
