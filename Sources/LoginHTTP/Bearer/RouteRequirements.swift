// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import LoginTokens

/// The requirements of a route for access tokens, in addition to those of the policy.
public struct RouteRequirements: Sendable {
    /// The requirements of a route that accepts every token of the policy.
    static let none = Self()

    /// The ages in seconds that a query can state.
    static let ages = 1...31_536_000

    /// The scopes that a token must contain, all of them.
    let scopes: [String]

    /// The maximum time since the user was authenticated, `auth_time`; nil for no limit.
    let maximumAuthenticationAge: Duration?

    /// The accepted authentication context classes, `acr`; empty to accept any.
    let acceptedACRs: [String]

    /// Returns the requirement of scopes.
    ///
    /// - Parameter scopes: The scopes that a token must contain, all of them: printable ASCII without spaces. Another text
    ///   is a programming error.
    /// - Returns: The requirements.
    public static func scopes(_ scopes: String...) -> Self { Self(scopes: scopes) }

    /// Creates the requirements; a malformed scope or class, or an age below a second, is a programming error.
    ///
    /// - Parameters:
    ///   - scopes: The scopes that a token must contain, all of them: printable ASCII without spaces.
    ///   - maximumAuthenticationAge: The maximum time since the user was authenticated, `auth_time`, to which the leeway
    ///     of the policy is added; one second or more, nil for no limit.
    ///   - acceptedACRs: The accepted authentication context classes, `acr`, in order of preference: printable ASCII
    ///     without spaces. Empty to accept any that the policy accepts.
    public init(scopes: [String] = [], maximumAuthenticationAge: Duration? = nil, acceptedACRs: [String] = []) {
        precondition(scopes.allSatisfy { ScopeList.isScope($0.utf8) }, "a scope is printable ASCII (RFC 6749 §3.3)")
        precondition(maximumAuthenticationAge.map { $0 >= .seconds(1) } ?? true, "max_age is at least a second")
        precondition(acceptedACRs.allSatisfy(Self.isClass), "a class is printable ASCII without spaces")
        self.scopes = scopes
        self.maximumAuthenticationAge = maximumAuthenticationAge
        self.acceptedACRs = acceptedACRs
    }

    /// Reads the requirements that a proxy states in a query.
    ///
    /// The result is nil if a field is unknown, repeated, empty or malformed, or if there is none: a requirement that is
    /// not understood must not be dropped.
    ///
    /// - Parameter query: The fields `scope` (RFC 6749 §3.3), `max_age` and `acr_values` (RFC 9470 §3), each optional.
    init?(query: FormFields) {
        let names = ["scope", "max_age", "acr_values"]
        guard !query.all.isEmpty, query.all.allSatisfy({ names.contains($0.name) }),
            let scopes = Self.words("scope", in: query, isWord: { ScopeList.isScope($0.utf8) }),
            let classes = Self.words("acr_values", in: query, isWord: Self.isClass)
        else { return nil }
        var age: Duration?
        if query.has("max_age") {
            guard let text = query.only("max_age"), let seconds = Int(text), "\(seconds)" == text,
                Self.ages.contains(seconds)
            else { return nil }
            age = .seconds(seconds)
        }
        self.init(scopes: scopes, maximumAuthenticationAge: age, acceptedACRs: classes)
    }

    /// Returns the words of a field, none without the field; nil if it is repeated, empty or malformed.
    private static func words(_ name: String, in query: FormFields, isWord: (String) -> Bool) -> [String]? {
        guard query.has(name) else { return [] }
        let words = query.only(name)?.split(separator: " ").map(String.init) ?? []
        return !words.isEmpty && words.allSatisfy(isWord) ? words : nil
    }

    private static func isClass(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}
#endif
