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

    /// Checks that an error response repeats the state (RFC 6749 §4.1.2.1).
    ///
    /// Some providers omit it. Such a response belongs to no attempt, and anyone can make it up, so only the name of
    /// its error is used.
    ///
    /// - Throws: ``LoginFailure`` with the code `provider-error` for an error without a state.
    func checkStateOfError() throws(LoginFailure) {
        guard isError, self["state"] == nil else { return }
        let name = ErrorName.shownIfStandard(self["error"] ?? "")
        throw LoginFailure(.providerError, "the callback reports \(name), and has no state")
    }

    /// Returns the ID of the attempt that the response names.
    ///
    /// - Returns: The ID.
    /// - Throws: ``LoginFailure``: `provider-error` for an error without a state, `callback` for any other response
    ///   without one, `state-unknown` for a malformed state.
    func attemptID() throws(LoginFailure) -> SignInAttempt.ID {
        try checkStateOfError()
        guard let state = self["state"] else {
            // Browsers do not send the fragment to servers (RFC 9110 §7.1).
            let detail = values.isEmpty ? "parameters; a page has to post those in the fragment" : "state"
            throw LoginFailure(.callback, "it has no \(detail)")
        }
        // A malformed state is not looked up.
        guard state.utf8.count == 43, Base64URL.decode(state.utf8) != nil else {
            throw LoginFailure(.stateUnknown, "the state is malformed")
        }
        return SignInAttempt.ID(state: state)
    }

    /// Whether the response reports an error.
    private var isError: Bool {
        // Some providers send `error_code` and `error_message` without `error`.
        ["error", "error_code", "error_message"].contains { self[$0] != nil }
    }

    /// The errors of a user who cancels: that of RFC 6749 §4.1.2.1, and those of LinkedIn and Apple.
    private static let cancellations = ["access_denied", "user_cancelled_login", "user_cancelled_authorize"]

    /// Returns whether the user cancelled the login.
    ///
    /// - Throws: ``LoginFailure`` with the code `provider-error` for any other error, and with `callback` for a
    ///   response that is both an error and a success.
    func isCancelled() throws(LoginFailure) -> Bool {
        guard isError else { return false }
        let error = self["error"]
        guard Self.grants.allSatisfy({ self[$0] == nil }) else {
            throw LoginFailure(.callback, "it has the parameters of both an error and a success")
        }
        // Some providers tell a refusal by the user from others by `error_reason` (RFC 6749 §4.1.2.1 has no such
        // distinction).
        let isDenied = error.map { error in Self.cancellations.contains { isEqual($0, error) } } ?? false
        if isDenied, isEqual(self["error_reason"] ?? "user_denied", "user_denied") { return true }
        let name = error.map(ErrorName.shown) ?? "an error without a name"
        let number = self["error_code"].flatMap { Int($0) }.map { ", code \($0)" } ?? ""
        throw LoginFailure(.providerError, "the provider reports \(name)\(number)")
    }
}
