// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
public import LoginTokens

/// An attempt to sign in by browser, as stored: its provider, purpose and browser, and the encrypted content for the
/// callback.
public struct SignInAttempt: Sendable {
    /// The SHA-256 of the parameter `state`, which the callback contains.
    public struct ID: Sendable, Hashable {
        /// The 32 bytes of the hash.
        public let bytes: [UInt8]

        /// Creates an ID from stored bytes.
        ///
        /// - Parameter bytes: The ``bytes`` of an ID. The result is nil unless there are 32.
        public init?(bytes: [UInt8]) {
            guard bytes.count == Digest.sha256.byteCount else { return nil }
            self.bytes = bytes
        }

        init(state: String) {
            bytes = Digest.sha256.hash(state.utf8)
        }
    }

    /// The ID, which follows from the state of the callback.
    public let id: ID

    /// The provider that the user logs in at.
    public let provider: ProviderID

    /// The purpose of the login.
    public let purpose: NoncePurpose

    /// The browser that began the login: the SHA-256 of the secret in its cookie.
    public let binding: NonceBinding

    /// The content for the callback, encrypted with a key that is derived from the secret; at most some KiB.
    public let sealed: [UInt8]

    /// The lifetime, within `Limits.nonceLifetime`.
    public let lifetime: Duration

    /// Creates an attempt from stored values, or for a test of a store.
    ///
    /// ``LoginManager`` creates the attempts of logins, and decrypts only content that it encrypted itself.
    ///
    /// - Parameters:
    ///   - id: The ID.
    ///   - provider: The provider that the user logs in at.
    ///   - purpose: The purpose of the login.
    ///   - binding: The browser that began the login.
    ///   - sealed: The encrypted content for the callback.
    ///   - lifetime: The lifetime, within `Limits.nonceLifetime`.
    public init(
        id: ID,
        provider: ProviderID,
        purpose: NoncePurpose,
        binding: NonceBinding,
        sealed: [UInt8],
        lifetime: Duration
    ) {
        self.id = id
        self.provider = provider
        self.purpose = purpose
        self.binding = binding
        self.sealed = sealed
        self.lifetime = lifetime
    }
}

extension SignInAttempt: Redacted {
    /// The provider and the purpose, without anything secret.
    public var description: String { "attempt at \(provider), for \(purpose)" }
}

/// The parameters of an authorization request that the callback needs.
///
/// They are stored in the attempt, encrypted with a key that is derived from its secret.
package struct AttemptContent: Codable, Sendable {
    /// The client registration.
    ///
    /// The callback of another client's login does not match the attempt.
    let client: String
    /// The redirect URI, which the token request repeats (RFC 6749 §4.1.3).
    package let redirectURL: String
    /// The requested scopes or permissions.
    package let scopes: Set<String>
    /// The variant of the provider's flow; nil for a flow with one variant.
    package let variant: String?
    /// The maximum age of the user's authentication, in seconds; nil for any.
    let maximumAuthenticationAge: Double?
    /// The path for the browser after the login.
    package let returnTo: String?
    /// The subject that must log in; nil for any.
    let expectedUser: String?
}
