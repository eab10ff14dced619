// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// A policy under which clients may have ID tokens verified.
///
/// Clients select it by name.
///
/// A client never sends an issuer, a URL or an algorithm.
public struct VerificationPolicy: Sendable {
    /// The check of a token's nonce.
    public enum Nonce: String, Sendable, Hashable, CaseIterable {
        /// The client sends the expected nonce, or the attempt that it began.
        case required
        /// The token must have no nonce.
        case absent
        /// The nonce is not checked.
        ///
        /// The holder of a token can replay it.
        case unchecked
    }

    /// The name that clients send.
    public let name: String

    /// The provider whose tokens are accepted.
    public let provider: ProviderID

    /// The accepted client IDs; nil for those of the provider.
    public var audiences: [String]?

    /// The maximum age of tokens; nil for that of the provider.
    ///
    /// With ``Nonce/required``, the limit of ``SignInProvider/AppNonce/absent`` applies too.
    public var maximumAge: Duration?

    /// The check of the nonce.
    public var nonce: Nonce

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - name: The name that clients send.
    ///   - provider: The provider whose tokens are accepted.
    ///   - audiences: The accepted client IDs; nil for those of the provider.
    ///   - maximumAge: The maximum age of tokens; nil for that of the provider.
    ///   - nonce: The check of the nonce.
    public init(
        _ name: String,
        provider: ProviderID,
        audiences: [String]? = nil,
        maximumAge: Duration? = nil,
        nonce: Nonce = .required
    ) {
        self.name = name
        self.provider = provider
        self.audiences = audiences
        self.maximumAge = maximumAge
        self.nonce = nonce
    }
}
