// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
/// An authenticated operator, as the guard of a ``TweaksPage`` returns it.
public struct TweakOperator: Sendable, Hashable {
    /// The name in the history: 64 bytes at most.
    public let name: String

    /// The ID of the session, to which the forms of the page are bound.
    ///
    /// It is not a secret: no cookie or token.
    public let session: String

    /// Creates an operator.
    ///
    /// - Parameters:
    ///   - name: The name in the history.
    ///   - session: The ID of the session; nil to bind the forms to the name.
    public init(name: String, session: String? = nil) {
        self.name = name
        self.session = session ?? name
    }
}
#endif
