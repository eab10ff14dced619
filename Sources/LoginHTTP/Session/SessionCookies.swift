// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
public import HTTPTypes
public import LoginAccounts

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The cookies that hold the tokens of a session in a browser.
///
/// The names begin with `__Host-` (RFC 6265bis §4.1.3.2). Browsers accept such a cookie only over HTTPS and only for
/// the host that sets it: another host of the domain can neither read nor replace it. Scripts cannot read it
/// (`HttpOnly`). Another site can send it only by navigation, such as a link (`SameSite=Lax`). Browsers also accept it
/// over HTTP from `localhost`.
public enum SessionCookies {
    /// The cookie with the session token.
    public static let sessionName = "__Host-session"

    /// The cookie with the refresh token, set only if the session token expires before the session.
    public static let refreshName = "__Host-refresh"

    /// The cookie that identifies a browser while nobody is signed in.
    package static let visitorName = "__Host-visitor"

    /// The beginning of the names of cookies with logins at providers, one for each login.
    private static let loginPrefix = "__Host-login-"

    /// The cookie with the pending step of a page.
    package static let stepName = "__Host-step"

    /// The cookie with the language that the user has chosen.
    package static let languageName = "__Host-language"

    /// The names of the cookies that the service sets for users, besides those of logins.
    ///
    /// Proxies keep all of them, and those of logins, from the application behind them, and a repeated one is deleted.
    static let names = [sessionName, refreshName, visitorName, stepName, languageName]

    /// The maximum number of ``loginNames(in:)``.
    ///
    /// The service sets three. An application of the host can set any number, and the response deletes what it cannot
    /// read: proxies limit the size of its header.
    private static let mostLoginNames = 8

    /// Returns the name of the cookie with a login.
    ///
    /// - Parameter tag: The tag of its attempt: 16 hexadecimal digits in lower case.
    /// - Returns: The name; nil for another text.
    package static func loginName(_ tag: String) -> String? {
        guard tag.utf8.count == 16, tag.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
        else { return nil }
        return loginPrefix + tag
    }

    /// Returns the names of the cookies with logins that a request has, each once, in their order: at most eight.
    package static func loginNames(in request: HTTPFields) -> [String] {
        var found: [String] = []
        for cookie in request.cookies where cookie.name.starts(with: loginPrefix.utf8) {
            guard found.count < mostLoginNames else { break }
            let tag = String(Substring(cookie.name.dropFirst(loginPrefix.utf8.count)))
            if let name = loginName(tag), !found.contains(name) { found.append(name) }
        }
        return found
    }

    /// Sets the cookies of a session, which replace earlier ones.
    ///
    /// - Parameters:
    ///   - tokens: The tokens.
    ///   - session: The session. The cookies expire with it.
    ///   - date: The current time.
    ///   - headers: The headers of the response that sets the cookies.
    public static func set(
        _ tokens: SessionTokens,
        of session: Session,
        at date: Date,
        in headers: inout HTTPFields
    ) {
        let age = max(Int(session.expiresAt.timeIntervalSince(date)), 0)
        set(sessionName, tokens.sessionToken, maximumAge: age, in: &headers)
        // Tokens with the lifetime of their session are never refreshed, so their refresh token is not sent.
        guard tokens.expiresAt < session.expiresAt else { return }
        set(refreshName, tokens.refreshToken, maximumAge: age, in: &headers)
    }

    /// Deletes the cookies of a session in the browser.
    ///
    /// - Parameter headers: The headers of the response that deletes them.
    public static func clear(in headers: inout HTTPFields) {
        for name in [sessionName, refreshName] { clear(name, in: &headers) }
    }

    /// Sets one cookie.
    ///
    /// - Parameters:
    ///   - name: Its name, which begins with `__Host-`.
    ///   - value: Its value: letters, digits, hyphens and underscores.
    ///   - maximumAge: Its lifetime in seconds; nil for a cookie that ends with the browser session.
    ///   - isSentAcrossSites: Whether the cookie is sent with requests of other sites, such as a form post
    ///     (`SameSite=None`).
    ///   - headers: The headers of the response.
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

    /// Returns the cookies of the service that a request has more than once.
    package static func repeated(in request: HTTPFields) -> [String] {
        guard request.contains(.cookie) else { return [] }
        let sent = request.cookies
        return (names + loginNames(in: request)).filter { name in
            sent.count { $0.name.elementsEqual(name.utf8) } > 1
        }
    }

    /// Deletes the cookies of the service that a request has more than once, in both of their forms.
    ///
    /// A second cookie of the same name is a partitioned one (CHIPS), which another application of the host has set, or
    /// a script in it. It would lock the browser out for as long as it lives. A cookie that the response itself sets
    /// replaces the one that is not partitioned.
    ///
    /// - Parameters:
    ///   - request: The headers of the request.
    ///   - response: The headers of the response.
    static func clearRepeated(in request: HTTPFields, by response: inout HTTPFields) {
        for name in repeated(in: request) {
            let deletion = "\(name)=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0"
            if !response.setsCookie(name) { response.append(HTTPField(name: .setCookie, value: deletion)) }
            let partitioned = "\(deletion); Partitioned"
            guard !response[values: .setCookie].contains(partitioned) else { continue }
            response.append(HTTPField(name: .setCookie, value: partitioned))
        }
    }

    /// Deletes one cookie in the browser.
    package static func clear(_ name: String, in headers: inout HTTPFields) {
        set(name, "", maximumAge: 0, in: &headers)
    }
}

extension HTTPFields {
    /// Returns whether the headers set a cookie of this name.
    func setsCookie(_ name: String) -> Bool {
        self[values: .setCookie].contains { $0.utf8.starts(with: "\(name)=".utf8) }
    }
}
#endif
