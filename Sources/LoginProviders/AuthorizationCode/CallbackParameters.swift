// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText
internal import LoginTokens

/// The parameters of a callback, by name.
package struct CallbackParameters: Sendable {
    package let values: [String: String]

    /// Returns the value of a parameter; nil if it is missing or empty (RFC 6749 §3.1).
    package subscript(name: String) -> String? {
        values[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The credentials that an authorization response can contain.
    private static let grants = ["code", "id_token", "access_token"]

    /// Returns the requested credential of the response.
    ///
    /// A response with further ones answers another request, for example a code beside a token, or an access token that
    /// was not requested.
    ///
    /// - Throws: ``LoginFailure`` with the code `callback` if it is missing, or if there is another one.
    package func only(_ grant: String) throws(LoginFailure) -> String {
        guard let value = self[grant] else { throw LoginFailure(.callback, "it has no \(grant)") }
        if let other = Self.grants.first(where: { $0 != grant && self[$0] != nil }) {
            throw LoginFailure(.callback, "it has \(other), which was not requested")
        }
        return value
    }

    /// Returns whether the user cancelled the login.
    ///
    /// - Throws: ``LoginFailure`` with the code `provider-error` for any other error, and with `callback` for a
    ///   response that is both an error and a success.
    func isCancelled() throws(LoginFailure) -> Bool {
        let error = self["error"]
        // Some providers send `error_code` and `error_message` without `error`.
        guard error != nil || self["error_code"] != nil || self["error_message"] != nil else { return false }
        guard Self.grants.allSatisfy({ self[$0] == nil }) else {
            throw LoginFailure(.callback, "it has the parameters of both an error and a success")
        }
        // Some providers tell a refusal by the user from others by `error_reason` (RFC 6749 §4.1.2.1 has no such
        // distinction).
        let isDenied = error.map { isEqual($0, "access_denied") } ?? false
        if isDenied, isEqual(self["error_reason"] ?? "user_denied", "user_denied") { return true }
        let name = error.map(ErrorName.shown) ?? "an error without a name"
        let number = self["error_code"].flatMap { Int($0) }.map { ", code \($0)" } ?? ""
        throw LoginFailure(.providerError, "the provider reports \(name)\(number)")
    }
}
