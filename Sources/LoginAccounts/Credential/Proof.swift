// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders

/// What ``Auth/prove(_:for:)`` has found out before the transaction: it counts only once ``TransactionSteps/use(_:)`` has consumed what
/// may be used once.
struct Proof: Sendable {
    let evidence: Evidence
    let purpose: AttemptPurpose

    enum Evidence: Sendable {
        /// An identity at a provider was verified, in answer to an attempt.
        case identity(VerifiedCredential, attempt: AttemptSecret, channel: AttemptRecord.Channel, once: OnceOnlyToken?)
        /// A password is right: it counts as long as its hash is the one it was compared with.
        case password(EmailAddress, hash: String, better: String?)
        /// A code that was sent to a number is right: it counts as long as it was not used or replaced since.
        case phone(PhoneNumber, hash: [UInt8])
        /// What was proven before, by its secret.
        case pending(String, of: ProviderID)
    }

    /// The provider of what was proven; nil for a pending credential, of which a client names it.
    var provider: ProviderID? {
        switch evidence {
        case .identity(let credential, _, _, _): credential.providerID
        case .password: .password
        case .phone: .phone
        case .pending: nil
        }
    }
}

/// A token without a nonce, which is taken once by what it says.
struct OnceOnlyToken: Sendable {
    /// The SHA-256 of what is signed.
    let hash: [UInt8]
    /// When it ends, and need not be remembered.
    let expiresAt: StoreTime
}
