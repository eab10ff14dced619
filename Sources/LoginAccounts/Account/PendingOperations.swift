// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders

/// The steps that void operations which wait to be completed: codes, messages, sign-ins without their second factor, and credentials in
/// conflict.
///
/// An operation that began before an important change of an account must not end after it.
struct PendingOperations {
    let identities: IdentityTable
    let keys: IdentityKeyTable
    let sessions: SessionTable
    let proofs: ProofTable
    let challenges: ChallengeTable
    let signIns: PendingSignInTable
    let credentials: PendingCredentialTable

    /// Voids what waits for an account, and the credentials that came up in its sessions or are of its identities, wherever they came up.
    func void(of account: AccountID) throws(StoreError) {
        try proofs.removeAll(of: account)
        try voidFactorSteps(of: account)
        for identity in try identities.of(account) { try void(of: identity) }
        for session in try sessions.of(account) { try credentials.removeAll(in: session.id) }
    }

    /// Voids the credentials of an identity, under each of its subjects.
    func void(of identity: IdentityRecord) throws(StoreError) {
        for key in try keys.of(identity) { try credentials.removeAll(of: key) }
    }

    /// Voids the messages and codes that were sent to prove an address: the requester may not be the present holder of the account.
    ///
    /// A change of second factors voids nothing else: a sign-in that waits for a second factor finds out which count when one is shown.
    /// Messages that set a new password of an unproven address belong to no account, and stay.
    func voidProofs(of account: AccountID) throws(StoreError) { try proofs.removeAll(of: account) }

    /// Voids the sign-ins of an account that wait for a second factor, and the codes that were sent for it.
    func voidFactorSteps(of account: AccountID) throws(StoreError) {
        try challenges.removeAll(of: account)
        try signIns.removeAll(of: account)
    }

    /// Voids the codes that were sent to a phone number to sign in with it, link it, or prove it again.
    func voidPhoneCodes(to number: String) throws(StoreError) {
        for kind in AttemptPurpose.phoneKinds { try proofs.removeAll(kind, to: number) }
    }
}
