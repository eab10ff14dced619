// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import LoginAccounts
internal import LoginHTTP
internal import LoginProviders
internal import LoginTokens

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The logins at providers that a browser has begun, in a cookie each: logins in several tabs do not replace each other.
///
/// A cookie is named by its attempt, and encrypted for this name. After the callback it tells how the login ended.
struct PendingLogins: Sendable {
    /// The maximum number of cookies.
    static let most = 3

    /// The maximum length of all cookies in bytes.
    ///
    /// Servers and proxies limit the size of a request's header, often to 8 KiB.
    static let longest = 6 * 1024

    /// A login in one of the cookies.
    enum Login: Sendable, Codable, Hashable {
        case pending(PendingLogin)
        case finished(FinishedLogin)
    }

    /// The content of a cookie.
    struct Content: Sendable, Codable {
        let login: Login

        /// The time at which the login began, in seconds since 1970.
        let begunAt: Int64
    }

    /// A cookie of the browser.
    struct Cookie: Sendable {
        let name: String

        /// The length in bytes, as the browser sends it.
        let length: Int

        /// The time at which its login began; nil if the login has ended.
        let begunAt: Int64?
    }

    private let request: ServerRequest
    private let secrets: AccountSecrets
    private let now: Date

    /// Creates the logins of the browser that makes a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - secrets: The keys, which all servers share.
    ///   - now: The current time.
    init(of request: ServerRequest, secrets: AccountSecrets, at now: Date) {
        (self.request, self.secrets, self.now) = (request, secrets, now)
    }

    /// Returns the tag of an attempt, which names its cookie: the first 16 hexadecimal digits of its ID.
    ///
    /// The ID follows from the state, and nothing follows from the ID.
    static func tag(of attempt: SignInAttempt.ID) -> String { hexadecimal(attempt.bytes.prefix(8)) }

    /// Returns the tag of the attempt that a callback names; nil if it names none.
    static func tag(of callback: LoginCallback) -> String? { (try? callback.attemptID()).map { tag(of: $0) } }

    /// Returns the cookie of an attempt; nil for a malformed tag.
    static func cookie(_ tag: String) -> SealedCookie<Content>? {
        SessionCookies.loginName(tag).map { cookie(named: $0) }
    }

    private static func cookie(named name: String) -> SealedCookie<Content> {
        SealedCookie(name: name, purpose: "login that waits in a browser: \(name)")
    }

    /// Returns the login with a tag; nil if the browser has no valid cookie of it.
    subscript(tag: String) -> Login? { content(tag)?.login }

    private func content(_ tag: String) -> Content? {
        Self.cookie(tag)?.value(in: request, secrets: secrets, at: now)
    }

    /// Sets the cookie of a login, and deletes as many others as the limits require.
    ///
    /// - Parameters:
    ///   - login: The login.
    ///   - tag: The tag of its attempt.
    ///   - response: The response.
    ///   - isSentAcrossSites: Whether the cookie is `SameSite=None`, for a provider that responds with a posted form.
    func set(_ login: Login, _ tag: String, in response: inout ServerResponse, isSentAcrossSites: Bool) {
        guard let cookie = Self.cookie(tag) else { preconditionFailure("a tag has 16 hexadecimal digits") }
        let content = Content(login: login, begunAt: content(tag)?.begunAt ?? Int64(now.timeIntervalSince1970))
        let text = cookie.text(of: content, secrets: secrets, at: now)
        var others: [Cookie] = []
        for name in SessionCookies.loginNames(in: request.headers) where name != cookie.name {
            guard let value = request.headers.cookie(name),
                let content = Self.cookie(named: name).value(in: request, secrets: secrets, at: now)
            else {
                // It has expired, or is none of this service.
                SessionCookies.clear(name, in: &response.headers)
                continue
            }
            let isPending = if case .pending = content.login { true } else { false }
            others.append(
                Cookie(
                    name: name,
                    length: Self.length(name, value),
                    begunAt: isPending ? content.begunAt : nil
                )
            )
        }
        for name in Self.superfluous(others, besides: Self.length(cookie.name, text)) {
            SessionCookies.clear(name, in: &response.headers)
        }
        cookie.set(text, in: &response, isSentAcrossSites: isSentAcrossSites)
    }

    /// Returns the names of the cookies that must be deleted when another one is set: first those of logins that have
    /// ended, then those of the oldest logins.
    ///
    /// - Parameters:
    ///   - cookies: The cookies of the browser, in the order of the request: browsers send older ones first (RFC 6265
    ///     §5.4).
    ///   - length: The length in bytes of the other one.
    /// - Returns: The names.
    static func superfluous(_ cookies: [Cookie], besides length: Int) -> [String] {
        let ordered = cookies.enumerated().sorted { first, second in
            (first.element.begunAt ?? .min, first.offset) < (second.element.begunAt ?? .min, second.offset)
        }
        .map(\.element)
        var (number, total) = (ordered.count + 1, ordered.reduce(length) { $0 + $1.length })
        return ordered.prefix { cookie in
            guard number > most || total > longest else { return false }
            (number, total) = (number - 1, total - cookie.length)
            return true
        }
        .map(\.name)
    }

    /// Returns the length of a cookie in the header field: name, value and the characters between.
    private static func length(_ name: String, _ value: String) -> Int { name.utf8.count + value.utf8.count + 3 }
}
#endif
