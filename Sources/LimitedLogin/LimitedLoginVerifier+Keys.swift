// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTPClient
public import LoginKeys
public import LoginTokens

extension LimitedLoginVerifier {
    /// Creates a verifier for the tokens of one app, which fetches Facebook's keys.
    ///
    /// ```swift
    /// let facebook = try LimitedLoginVerifier(appID: "1234567890")
    /// let token = try await facebook.verify(text, nonce: .exactly(nonce))
    /// print(token.profile.userID)
    /// ```
    ///
    /// Create one verifier and share it: it has its own `KeyCache`. The first verification waits for the keys; later
    /// ones use the cache. A server that fetches keys before the first request, stores them, or logs their renewal
    /// creates the cache itself, and passes it to ``init(appIDs:keys:maximumAge:leeway:clock:cache:)``.
    ///
    /// - Parameters:
    ///   - appID: The ID of your app at Facebook.
    ///   - maximumAge: The maximum age of a token; nil to accept it until it expires, about an hour.
    ///   - transport: The transport that fetches the keys.
    ///   - clock: The clock used for the times in tokens.
    /// - Throws: `PolicyError` if the app ID is empty or the maximum age is not more than zero.
    public init(
        appID: String,
        maximumAge: Duration? = .seconds(600),
        transport: any HTTPTransport = AsyncHTTPClientTransport(),
        clock: any WallClock = .system
    ) throws {
        let keys = try KeyCache(providers: [.facebook], transport: transport, wallClock: clock)
        try self.init(appIDs: [appID], keys: keys, maximumAge: maximumAge, clock: clock)
    }
}
#endif
