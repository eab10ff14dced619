// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText
internal import LoginTokens

/// The parameters of a callback, by name.
package struct CallbackParameters: Sendable {
    package let values: [String: String]

    /// A parameter; one without a value counts as missing (RFC 6749 §3.1).
    package subscript(name: String) -> String? {
        values[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// What a provider may give out in an answer.
    private static let grants = ["code", "id_token", "access_token"]

    /// The one thing that was asked for, where nothing else came.
    ///
    /// More than that would be the answer to another request: a code beside a token, an access token that nobody asked for.
    package func only(_ grant: String) throws(LoginFailure) -> String {
        guard let value = self[grant] else { throw LoginFailure(.callback, "it has no \(grant)") }
        if let other = Self.grants.first(where: { $0 != grant && self[$0] != nil }) {
            throw LoginFailure(.callback, "it has \(other), which was not asked for")
        }
        return value
    }

    /// Whether the person refused.
    ///
    /// - Throws: ``LoginFailure`` with `provider-error` where something else went wrong; with `callback` for an error beside what
    ///   only a success has.
    func isCancelled() throws(LoginFailure) -> Bool {
        let error = self["error"]
        // Some providers send the second and third alone.
        guard error != nil || self["error_code"] != nil || self["error_message"] != nil else { return false }
        guard Self.grants.allSatisfy({ self[$0] == nil }) else {
            throw LoginFailure(.callback, "it is an error and a success")
        }
        // Some providers tell by a reason whether it was the user (RFC 6749 §4.1.2.1 leaves that open).
        let isDenied = error.map { isEqual($0, "access_denied") } ?? false
        if isDenied, isEqual(self["error_reason"] ?? "user_denied", "user_denied") { return true }
        let name = error.map(ErrorName.shown) ?? "an error without a name"
        let number = self["error_code"].flatMap { Int($0) }.map { ", code \($0)" } ?? ""
        throw LoginFailure(.providerError, "the provider reports \(name)\(number)")
    }
}
