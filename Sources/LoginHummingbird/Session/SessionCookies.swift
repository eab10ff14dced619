// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
package import HTTPTypes
public import Hummingbird
public import LoginAccounts

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The cookies in which a browser keeps a session.
///
/// Each begins with `__Host-` (RFC 6265bis §4.1.3.2): a browser takes it over HTTPS only, for this host only, and from no other; a
/// neighbouring host can neither read it nor put another in its place. No script reads it, and a page of another site sends it
/// only where a person follows a link (`SameSite=Lax`). Browsers take it over HTTP from `localhost` too.
public struct SessionCookies: Sendable {
    /// The cookie with the session token.
    public static let sessionName = "__Host-session"

    /// The cookie with the refresh token, where session tokens have a lifetime of their own.
    public static let refreshName = "__Host-refresh"

    /// The cookies of this service.
    public init() {}

    /// Gives a browser the tokens of a session, in place of those it had.
    ///
    /// - Parameters:
    ///   - tokens: The tokens.
    ///   - session: The session: the cookie ends when it does.
    ///   - date: What time it is.
    ///   - response: The answer that takes them along.
    public func set(_ tokens: SessionTokens, of session: Session, at date: Date, in response: inout Response) {
        let age = max(Int(session.expiresAt.timeIntervalSince(date)), 0)
        Self.set(Self.sessionName, tokens.sessionToken, maximumAge: age, in: &response.headers)
        // Tokens that live as long as their session are never refreshed, and what nobody needs is not sent around.
        if tokens.expiresAt < session.expiresAt {
            Self.set(Self.refreshName, tokens.refreshToken, maximumAge: age, in: &response.headers)
        }
    }

    /// Takes them back.
    ///
    /// - Parameter response: The answer that says so.
    public func clear(in response: inout Response) { clear(in: &response.headers) }

    /// Takes them back, by the headers of an answer that there is not yet.
    func clear(in headers: inout HTTPFields) {
        for name in [Self.sessionName, Self.refreshName] { Self.set(name, "", maximumAge: 0, in: &headers) }
    }

    /// Writes one cookie.
    ///
    /// - Parameters:
    ///   - name: Its name, which begins with `__Host-`.
    ///   - value: Its value: letters, digits, hyphens and underscores.
    ///   - maximumAge: When it ends, in seconds; nil for when the browser ends.
    ///   - isSentAcrossSites: Whether a form that another site posts carries it.
    ///   - headers: Those of the answer that takes it along.
    package static func set(
        _ name: String,
        _ value: String,
        maximumAge: Int? = nil,
        isSentAcrossSites: Bool = false,
        in headers: inout HTTPFields
    ) {
        let age = maximumAge.map { "; Max-Age=\($0)" } ?? ""
        let site = isSentAcrossSites ? "None" : "Lax"
        headers.append(
            HTTPField(name: .setCookie, value: "\(name)=\(value); Path=/; Secure; HttpOnly; SameSite=\(site)\(age)")
        )
    }

    /// Has the browser forget one cookie.
    package static func clear(_ name: String, in response: inout Response) {
        set(name, "", maximumAge: 0, in: &response.headers)
    }
}

extension HTTPFields {
    /// Whether an answer writes this cookie.
    func setsCookie(_ name: String) -> Bool {
        self[values: .setCookie].contains { $0.utf8.starts(with: "\(name)=".utf8) }
    }
}
#endif
