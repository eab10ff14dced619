// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Hummingbird
internal import LoginAccounts
internal import LoginHummingbird
internal import LoginText
internal import LoginTokens

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A cookie in which a browser keeps a value from one page to the next, for ten minutes: sealed, so that only this service reads it.
///
/// Any server of the service reads what another wrote, and none has to remember it. What counts once is counted in the store.
struct SealedCookie<Value: Codable & Sendable>: Sendable {
    /// Its name, which begins with `__Host-`.
    let name: String

    /// What the value is for: what was sealed for something else does not open.
    let purpose: String

    /// How long a browser keeps it, in seconds: as long as the secrets in it are good.
    static var lifetime: Int { 600 }

    /// The longest that is read, in bytes: what a browser keeps at most.
    private static var longest: Int { 4096 }

    /// What is sealed: a browser that keeps a cookie for longer is not believed.
    private struct Content: Codable {
        let value: Value
        let expiresAt: Int64
    }

    /// What the browser of a request keeps.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - secrets: The keys that every server has.
    ///   - now: What time it is.
    /// - Returns: The value; nil where it is none, too old, or not of this service.
    func value(in request: Request, secrets: AccountSecrets, at now: Date) -> Value? {
        guard let text = request.headers.cookie(name), text.utf8.count <= Self.longest,
            let sealed = Base64URL.decode(text.utf8),
            let opened = secrets.open(sealed, purpose: purpose),
            let content = try? JSONDecoder().decode(Content.self, from: Data(opened)),
            content.expiresAt > Int64(now.timeIntervalSince1970)
        else { return nil }
        return content.value
    }

    /// Gives a value to a browser.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - response: The answer that takes it along.
    ///   - secrets: The keys that every server has.
    ///   - now: What time it is.
    ///   - isSentAcrossSites: Whether a provider has the browser post a form here, to which a cookie of this site alone does not go.
    func set(
        _ value: Value,
        in response: inout Response,
        secrets: AccountSecrets,
        at now: Date,
        isSentAcrossSites: Bool = false
    ) {
        let content = Content(value: value, expiresAt: Int64(now.timeIntervalSince1970) + Int64(Self.lifetime))
        let encoder = JSONEncoder()
        // A path of slashes would be twice as long.
        encoder.outputFormatting = .withoutEscapingSlashes
        guard let data = try? encoder.encode(content) else { preconditionFailure("texts can be encoded") }
        SessionCookies.set(
            name,
            Base64URL.encode(secrets.seal(Array(data), purpose: purpose)),
            maximumAge: Self.lifetime,
            isSentAcrossSites: isSentAcrossSites,
            in: &response.headers
        )
    }

    /// Has the browser forget it.
    ///
    /// - Parameter response: The answer that says so.
    func clear(in response: inout Response) { SessionCookies.clear(name, in: &response) }
}
#endif
