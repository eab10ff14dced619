// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import LoginAccounts
internal import LoginHTTP
internal import LoginText
internal import LoginTokens

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// An encrypted cookie that stores a value in the browser for ten minutes, from one page to the next.
///
/// Any server of the service reads the cookie of another, and none stores anything. Single use is enforced by the store
/// of the accounts, not by the cookie.
struct SealedCookie<Value: Codable & Sendable>: Sendable {
    /// The name, with the prefix `__Host-`.
    let name: String

    /// The purpose of the value.
    ///
    /// A value that was encrypted for another purpose is refused.
    let purpose: String

    /// The maximum age of the cookie in seconds: the lifetime of the secrets in it.
    static var lifetime: Int { 600 }

    /// The maximum difference between the clocks of servers, in seconds.
    private static var clockTolerance: Int { 60 }

    /// The maximum length in bytes: the limit of browsers.
    private static var longest: Int { 4096 }

    /// The encrypted content.
    ///
    /// It has its own expiry, since a client can keep a cookie for longer.
    private struct Content: Codable {
        let value: Value
        let expiresAt: Int64
    }

    /// Returns the value in a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - secrets: The keys, which all servers share.
    ///   - now: The current time.
    /// - Returns: The value; nil if it is missing, invalid or expired, or was set in the future by a server whose clock
    ///   was ahead.
    func value(in request: ServerRequest, secrets: AccountSecrets, at now: Date) -> Value? {
        let seconds = Int64(now.timeIntervalSince1970)
        guard let text = request.headers.cookie(name), text.utf8.count <= Self.longest,
            let sealed = Base64URL.decode(text.utf8),
            let opened = secrets.open(sealed, purpose: purpose),
            let content = try? JSONDecoder().decode(Content.self, from: Data(opened)),
            content.expiresAt > seconds,
            content.expiresAt <= seconds + Int64(Self.lifetime + Self.clockTolerance)
        else { return nil }
        return content.value
    }

    /// Sets the cookie in a response.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - response: The response.
    ///   - secrets: The keys, which all servers share.
    ///   - now: The current time.
    ///   - isSentAcrossSites: Whether the cookie is `SameSite=None`, for a provider that responds with a posted form.
    func set(
        _ value: Value,
        in response: inout ServerResponse,
        secrets: AccountSecrets,
        at now: Date,
        isSentAcrossSites: Bool = false
    ) {
        set(text(of: value, secrets: secrets, at: now), in: &response, isSentAcrossSites: isSentAcrossSites)
    }

    /// Sets the cookie to the text of a value.
    ///
    /// - Parameters:
    ///   - text: The result of ``text(of:secrets:at:)``.
    ///   - response: The response.
    ///   - isSentAcrossSites: Whether the cookie is `SameSite=None`.
    func set(_ text: String, in response: inout ServerResponse, isSentAcrossSites: Bool) {
        SessionCookies.set(
            name,
            text,
            maximumAge: Self.lifetime,
            isSentAcrossSites: isSentAcrossSites,
            in: &response.headers
        )
    }

    /// Returns the text of a cookie: the value, encrypted and encoded.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - secrets: The keys, which all servers share.
    ///   - now: The current time.
    /// - Returns: Letters, digits, hyphens and underscores.
    func text(of value: Value, secrets: AccountSecrets, at now: Date) -> String {
        let content = Content(value: value, expiresAt: Int64(now.timeIntervalSince1970) + Int64(Self.lifetime))
        let encoder = JSONEncoder()
        // Escaped slashes would make paths longer.
        encoder.outputFormatting = .withoutEscapingSlashes
        guard let data = try? encoder.encode(content) else { preconditionFailure("texts can be encoded") }
        return Base64URL.encode(secrets.seal(Array(data), purpose: purpose))
    }

    /// Clears the cookie in a response.
    ///
    /// - Parameter response: The response.
    func clear(in response: inout ServerResponse) { SessionCookies.clear(name, in: &response.headers) }
}
#endif
