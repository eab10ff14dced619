// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders

/// The result of ``Auth/prove(_:for:from:)``: verified evidence, and the purpose of its attempt.
///
/// It authenticates the user only after ``CredentialUse/use(_:)`` has used up what can be used once.
struct Proof: Sendable {
    /// The evidence.
    let evidence: Evidence
    /// The purpose for which the credential was verified.
    let purpose: AttemptPurpose

    /// The kinds of verified evidence.
    enum Evidence: Sendable {
        /// A verified identity at a provider, with the attempt that it completes.
        case identity(VerifiedCredential, attempt: AttemptSecret, channel: AttemptRecord.Channel, once: OnceOnlyToken?)
        /// A correct password. It is valid while the stored hash is the one that it was compared with.
        case password(EmailAddress, hash: String, better: String?)
        /// A correct code that was sent to a phone number. It is valid until it is used or replaced.
        case phone(PhoneNumber, hash: [UInt8])
        /// The token of a pending credential, which was verified before.
        case pending(String, of: ProviderID)
    }

    /// The provider of the evidence; nil for a pending credential, whose provider is only the client's claim.
    var provider: ProviderID? {
        switch evidence {
        case .identity(let credential, _, _, _): credential.providerID
        case .password: .password
        case .phone: .phone
        case .pending: nil
        }
    }
}

/// The replay mark of an ID token without a nonce, which is accepted once.
struct OnceOnlyToken: Sendable {
    /// The SHA-256 of the token's payload.
    let hash: [UInt8]
    /// The time at which the token expires; after it, the mark is deleted.
    let expiresAt: StoreTime
}
