// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
public import LoginTokens

/// An attempt to sign in by browser, as a store keeps it: its provider, purpose and browser, and the encrypted state for the callback.
public struct SignInAttempt: Sendable {
    /// The SHA-256 of the parameter `state`, by which the callback names the attempt.
    public struct ID: Sendable, Hashable {
        /// The 32 bytes of the hash.
        public let bytes: [UInt8]

        /// Creates an ID from its bytes, as a store has kept them.
        ///
        /// - Parameter bytes: The ``bytes`` of an ID; nil if there are not 32.
        public init?(bytes: [UInt8]) {
            guard bytes.count == Digest.sha256.byteCount else { return nil }
            self.bytes = bytes
        }

        init(state: String) {
            bytes = Digest.sha256.hash(state.utf8)
        }
    }

    /// The ID, by which the callback names the attempt.
    public let id: ID

    /// The provider whose answer completes the attempt.
    public let provider: ProviderID

    /// The purpose of the login.
    public let purpose: NoncePurpose

    /// The browser that began: the SHA-256 of the secret in its cookie.
    public let binding: NonceBinding

    /// What the callback will need, encrypted with a key that only the secret gives; at most some KiB.
    public let sealed: [UInt8]

    /// The lifetime, within `Limits.nonceLifetime`.
    public let lifetime: Duration

    /// Creates an attempt as a store has kept it, or one to test a store with.
    ///
    /// ``LoginManager`` creates those of logins, and opens only what it encrypted itself.
    ///
    /// - Parameters:
    ///   - id: The ID.
    ///   - provider: The provider whose answer completes the attempt.
    ///   - purpose: The purpose of the login.
    ///   - binding: The browser that began.
    ///   - sealed: What the callback will need.
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
