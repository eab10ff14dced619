// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders

/// The steps that issue and use the messages which verify an e-mail address.
struct EmailMessages {
    let proofs: ProofTable
    let budgets: Budgets
    let context: TransactionContext

    private var policy: PasswordPolicy { context.policy.passwords }

    /// The maximum number of valid messages of a kind, so that an attacker's request does not void the message that the
    /// account holder is about to open.
    private static let mostMessages = 5

    /// Creates a message.
    ///
    /// The last five of a kind are valid, each until it expires, and none after one of them was used.
    ///
    /// - Parameters:
    ///   - kind: The kind.
    ///   - address: The recipient.
    ///   - account: The account whose changes void the message; nil for a message that belongs to its address alone,
    ///     whichever account has it. The account that has the password of the address is locked.
    /// - Returns: The message, to be sent after the commit.
    /// - Throws: ``StoreError``
    func issue(_ kind: EmailMessage.Kind, to address: EmailAddress, of account: AccountID?) throws(StoreError)
        -> EmailMessage
    {
        let earlier = try proofs.sent(kind.rawValue, to: address.text)
        for proof in earlier.dropFirst(Self.mostMessages - 1) { try proofs.remove(proof.hash) }
        let token = OneTimeToken.message.make()
        let lifetime = kind == .resetPassword ? policy.resetLifetime : policy.verificationLifetime
        let proof = ProofRecord(
            hash: OneTimeToken.hash(token),
            kind: kind.rawValue,
            accountID: account,
            address: address.text,
            attemptsLeft: 1,
            createdAt: context.now,
            expiresAt: context.now + lifetime
        )
        try proofs.add(proof)
        return EmailMessage(kind: kind, address: address.text, token: token, expiresAt: proof.expiresAt.date)
    }

    /// Issues a message at the request of a caller who may not be the account holder.
    ///
    /// - Returns: The message; nil if one of its kind was sent to the address less than
    ///   ``PasswordPolicy/messageInterval`` ago.
    /// - Throws: ``StoreError``
    func issueSparingly(_ kind: EmailMessage.Kind, to address: EmailAddress, of account: AccountID?)
        throws(StoreError) -> EmailMessage?
    {
        guard try budgets.take(.interval(of: kind, to: address.text, policy)) else { return nil }
        return try issue(kind, to: address, of: account)
    }

    /// Deletes a message that could not be sent, so that the next may be sent at once.
    func forget(_ message: EmailMessage) throws(StoreError) {
        try proofs.remove(OneTimeToken.hash(message.token))
        try budgets.refill(.interval(of: message.kind, to: message.address, policy))
    }

    /// Reads a message that is valid.
    ///
    /// - Throws: ``AuthError``: `invalid-credential`.
    func find(_ token: String, kind: EmailMessage.Kind) throws -> ProofRecord {
        guard let hash = OneTimeToken.message.hashIfPossible(token),
            let proof = try proofs.valid(hash, kind: kind.rawValue, at: context.now)
        else { throw AuthError.noMessage }
        return proof
    }

    /// Takes a message.
    ///
    /// It can be taken once.
    ///
    /// - Throws: ``AuthError``: `invalid-credential`.
    func take(_ token: String, kind: EmailMessage.Kind) throws -> ProofRecord {
        guard let hash = OneTimeToken.message.hashIfPossible(token),
            let proof = try proofs.take(hash, kind: kind.rawValue, at: context.now)
        else { throw AuthError.noMessage }
        return proof
    }

    /// Reads the recipient of a message that is valid.
    ///
    /// - Throws: ``AuthError``: `invalid-credential`.
    func address(of token: String, kind: EmailMessage.Kind) throws -> EmailAddress {
        let stored = try find(token, kind: kind).address
        guard let address = try? EmailAddress(stored) else {
            throw StoreError(.damaged, "a message has no valid address")
        }
        return address
    }

    /// Voids the messages by which a new password can be set for an address.
    func voidResets(of address: String) throws(StoreError) {
        try proofs.removeAll(EmailMessage.Kind.resetPassword.rawValue, to: address)
    }

    /// Allows the next message for a new password at once.
    func allowReset(of address: String) throws(StoreError) {
        try budgets.refill(.interval(of: .resetPassword, to: address, policy))
    }
}

extension AuthError {
    static let noMessage = AuthError(.invalidCredential, "the token is unknown, used, or expired")
}
