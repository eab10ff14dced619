// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginTokens

/// The parameters of a callback, by name.
struct CallbackParameters {
    let values: [String: String]

    /// A parameter; one without a value counts as missing (RFC 6749 §3.1).
    subscript(name: String) -> String? {
        values[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// What a provider may give out in an answer.
    private static let grants = ["code", "id_token", "access_token"]

    /// The one thing that was asked for, where nothing else came.
    ///
    /// More than that would be the answer to another request: a code beside a token, an access token that nobody asked for.
    func only(_ grant: String) throws(LoginFailure) -> String {
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
        // Facebook may say the second and third alone.
        guard error != nil || self["error_code"] != nil || self["error_message"] != nil else { return false }
        guard Self.grants.allSatisfy({ self[$0] == nil }) else {
            throw LoginFailure(.callback, "it is an error and a success")
        }
        // Facebook tells by the reason whether it was the person (RFC 6749 §4.1.2.1 leaves that open).
        let isDenied = error.map { isEqual($0, "access_denied") } ?? false
        if isDenied, isEqual(self["error_reason"] ?? "user_denied", "user_denied") { return true }
        let name = error.map(ErrorName.shown) ?? "an error without a name"
        let number = self["error_code"].flatMap { Int($0) }.map { ", code \($0)" } ?? ""
        throw LoginFailure(.providerError, "the provider reports \(name)\(number)")
    }
}

// MARK: - Permissions

extension CallbackParameters {
    /// What the browser says was granted, as far as it can be so.
    ///
    /// Of what it says only that counts for which the person was asked; Facebook lists what was granted earlier too. And it may not
    /// contradict the token, whose claims show what was granted.
    ///
    /// - Parameters:
    ///   - requested: What the person was asked for. The public profile is part of every login.
    ///   - token: The token, proven.
    /// - Returns: What was granted and declined, and who says so.
    /// - Throws: ``LoginFailure`` with `permissions`.
    func permissions(
        requested: Set<Permission>,
        token: VerifiedToken
    ) throws(LoginFailure) -> (
        granted: Set<Permission>, declined: Set<Permission>, source: LoginSuccess.PermissionSource
    ) {
        let told = try list("granted_scopes")
        let declined = try list("denied_scopes") ?? []
        let shown = Permission.implied(by: token.claims)
        guard declined.isDisjoint(with: shown) else {
            throw LoginFailure(.permissions, "a permission is said to be declined, and the token has what it gives")
        }
        let asked = requested.union([.publicProfile])
        guard let told else {
            return (shown.intersection(asked), declined.intersection(requested), .token)
        }
        guard declined.isDisjoint(with: told) else {
            throw LoginFailure(.permissions, "a permission is said to be granted and declined")
        }
        guard shown.intersection(requested).subtracting([.publicProfile]).isSubset(of: told) else {
            throw LoginFailure(.permissions, "a permission is not said to be granted, and the token has what it gives")
        }
        return (told.intersection(asked), declined.intersection(requested), .callback)
    }

    /// The permissions of a list with commas; nil where there is no list.
    ///
    /// An empty one is a list.
    private func list(_ name: String) throws(LoginFailure) -> Set<Permission>? {
        guard let text = values[name] else { return nil }
        guard !text.isEmpty else { return [] }
        let permissions = text.split(separator: ",", omittingEmptySubsequences: false)
            .map { Permission(rawValue: String($0)) }
        guard permissions.allSatisfy(\.isWellFormed) else {
            throw LoginFailure(.permissions, "\(name) holds what is no permission")
        }
        return Set(permissions)
    }
}
