// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
public import Hummingbird
internal import LimitedLogin
internal import LoginAccounts
public import LoginHummingbird

/// Runs the routes behind it with the user's stored profile as `Profile.current`, if the session of the request was
/// opened with Facebook.
///
/// ```swift
/// router.group()
///     .add(middleware: login.requireSession)
///     .add(middleware: FacebookProfileMiddleware())
///     .get("welcome") { _, _ in "Welcome, \(Profile.current?.firstName ?? "reader")" }
/// ```
///
/// The profile is the one that is stored with the login, and is stored only if `AuthPolicy.storesProfiles` is set.
/// `AuthenticationToken.current` and `AccessToken.current` are nil, because accounts store no token of a provider.
/// Add the middleware after the authenticator, and only to the routes that use the profile: it reads one row for each
/// request of a session that was opened with a login. Other requests continue without a profile.
public struct FacebookProfileMiddleware<Context: LoginRequestContext>: RouterMiddleware {
    /// Creates the middleware.
    public init() {}

    /// Reads the profile, and calls the next responder with it.
    public func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard let profile = try await context.identity?.storedIdentity()?.profile else {
            return try await next(request, context)
        }
        return try await withIdentity(nil, accessToken: nil, profile: profile) { try await next(request, context) }
    }
}
#endif
