// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import HTTPTypes
import LoginHTTP
import LoginTesting
import Testing

@testable import LoginPages

/// The ways in which a provider has the browser deliver its response.
enum CallbackMode: String, CaseIterable, Sendable {
    case query, fragment, form

    /// The name of the provider.
    var provider: String { self == .form ? "other" : "facebook" }

    /// Returns a service whose provider uses this mode.
    func bench() async throws -> PageBench {
        switch self {
        case .query: try await PageBench()
        case .fragment: try await PageBench.limited()
        case .form: try await PageBench(postsForm: true)
        }
    }
}

/// A callback that a browser has not delivered yet.
struct WaitingCallback: Sendable {
    /// The path, with the parameters of a provider that responds in the query or with a form.
    var path: String

    /// The parameters in the fragment.
    var fragment: [String: String]

    /// The parameters of the query.
    var fields: [String: String] { PageBrowser.decoded(String(path.drop { $0 != "?" }.dropFirst())) }

    /// Returns the callback with another parameter, so that its form has a length in bytes.
    func padded(to length: Int) -> Self {
        var callback = self
        let padding = length - PageBrowser.encoded(fields).utf8.count - "&padding=".utf8.count
        callback.path += "&padding=\(String(repeating: "p", count: padding))"
        return callback
    }
}

extension PageBrowser {
    /// Leaves for a provider in a tab, which stops when it returns.
    ///
    /// - Parameter action: The action of the form.
    /// - Returns: The callback.
    /// - Throws: ``Missing``
    func leave(by action: String) async throws -> WaitingCallback {
        stopsAtCallback = true
        defer { stopsAtCallback = false }
        try await submit(action)
        return WaitingCallback(path: path, fragment: fragment)
    }

    /// Begins a sign-in in a new tab.
    func leave(at provider: String, returnTo: String) async throws -> WaitingCallback {
        try await get(LocalPath("/login").returning(to: LocalPath(returnTo: returnTo)).text)
        return try await leave(by: "/login/\(provider)")
    }

    /// Delivers a callback, as the provider and the script of the page do.
    func arrive(with callback: WaitingCallback) async throws {
        fragment = callback.fragment
        let path = String(callback.path.prefix { $0 != "?" })
        if bench.postsForm, path == "/login/other/callback" {
            try await send(path, .post, callback.fields, "cross-site")
        } else {
            try await get(callback.path)
            if !callback.fragment.isEmpty, try !page().all("script").isEmpty { try await postFragment() }
        }
    }

    /// The logins in the browser's cookies.
    var logins: [PendingLogins.Login] {
        let sent = cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
        let request = ServerRequest(.get, "/", headers: [.cookie: sent])
        let logins = PendingLogins(of: request, secrets: PageBench.secrets, at: bench.clock.now)
        return SessionCookies.loginNames(in: request.headers).compactMap { name in
            logins[String(name.dropFirst("__Host-login-".count))]
        }
    }

    /// Whether one of the browser's cookies has a login that waits for its callback.
    var hasPendingLogin: Bool { logins.contains { if case .pending = $0 { true } else { false } } }
}
#endif
