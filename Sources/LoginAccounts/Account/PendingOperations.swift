// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders

/// The steps that void pending operations: codes, messages, sign-ins without their second factor, and credentials in
/// conflict.
///
/// An operation that began before a security-relevant change of an account must not be completed after it.
struct PendingOperations {
    let identities: IdentityTable
    let keys: IdentityKeyTable
    let proofs: ProofTable
    let challenges: ChallengeTable
    let signIns: PendingSignInTable
    let credentials: PendingCredentialTable

    /// Voids the pending operations of an account, and the credentials from its sessions or of its identities.
    func void(of account: AccountID) throws(StoreError) {
        try proofs.removeAll(of: account)
        try voidFactorSteps(of: account)
        for identity in try identities.of(account) { try void(of: identity) }
        try credentials.removeAll(inSessionsOf: account)
    }

    /// Voids the credentials of an identity, under each of its subjects.
    func void(of identity: IdentityRecord) throws(StoreError) {
        for key in try keys.of(identity) { try credentials.removeAll(of: key) }
    }

    /// Voids the messages and codes that verify an address, because they may have been requested by a previous holder
    /// of the account.
    ///
    /// A change of second factors voids nothing else: a pending sign-in reads the valid factors when one is presented.
    /// Messages that reset the password of an unverified address belong to no account, and stay valid.
    func voidProofs(of account: AccountID) throws(StoreError) { try proofs.removeAll(of: account) }

    /// Voids the sign-ins of an account that wait for a second factor, and the codes that were sent for it.
    func voidFactorSteps(of account: AccountID) throws(StoreError) {
        try challenges.removeAll(of: account)
        try signIns.removeAll(of: account)
    }

    /// Voids the codes that were sent to a phone number for a sign-in, a link, or a reauthentication.
    func voidPhoneCodes(to number: String) throws(StoreError) {
        for kind in AttemptPurpose.phoneKinds { try proofs.removeAll(kind, to: number) }
    }
}
