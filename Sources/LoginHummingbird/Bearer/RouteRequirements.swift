// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import LoginTokens

/// The requirements of a route for access tokens, in addition to those of the policy.
struct RouteRequirements: Sendable {
    /// The requirements of a route that accepts every token of the policy.
    static let none = Self()

    /// The scopes that a token must contain, all of them.
    let scopes: [String]

    /// The maximum time since the user was authenticated, `auth_time`; nil for no limit.
    let maximumAuthenticationAge: Duration?

    /// The accepted authentication context classes, `acr`; empty to accept any.
    let acceptedACRs: [String]

    /// Creates the requirements.
    ///
    /// - Parameters:
    ///   - scopes: The scopes.
    ///   - maximumAuthenticationAge: The maximum time since the authentication, one second or more; nil for no limit.
    ///   - acceptedACRs: The accepted classes; a challenge separates them by spaces, so they contain none.
    init(scopes: [String] = [], maximumAuthenticationAge: Duration? = nil, acceptedACRs: [String] = []) {
        precondition(scopes.allSatisfy { ScopeList.isScope($0.utf8) }, "a scope is printable ASCII (RFC 6749 §3.3)")
        precondition(maximumAuthenticationAge.map { $0 >= .seconds(1) } ?? true, "max_age is at least a second")
        precondition(acceptedACRs.allSatisfy(Self.isClass), "a class is printable ASCII without spaces")
        self.scopes = scopes
        self.maximumAuthenticationAge = maximumAuthenticationAge
        self.acceptedACRs = acceptedACRs
    }

    private static func isClass(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}
#endif
