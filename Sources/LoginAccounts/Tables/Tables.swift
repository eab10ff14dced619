// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The tables of a transaction.
///
/// Each type of steps gets the tables that it may access in its initializer; see ``TransactionSteps``.
struct Tables {
    let rows: StoreRows

    var accounts: AccountTable { AccountTable(rows: rows) }
    var emails: EmailTable { EmailTable(rows: rows) }
    var identities: IdentityTable { IdentityTable(rows: rows) }
    var identityKeys: IdentityKeyTable { IdentityKeyTable(rows: rows) }
    var passwords: PasswordTable { PasswordTable(rows: rows) }
    var factors: FactorTable { FactorTable(rows: rows) }
    var recoveryCodes: RecoveryCodeTable { RecoveryCodeTable(rows: rows) }
    var challenges: ChallengeTable { ChallengeTable(rows: rows) }
    var pendingSignIns: PendingSignInTable { PendingSignInTable(rows: rows) }
    var pendingCredentials: PendingCredentialTable { PendingCredentialTable(rows: rows) }
    var proofs: ProofTable { ProofTable(rows: rows) }
    var sessions: SessionTable { SessionTable(rows: rows) }
    var families: SessionFamilyTable { SessionFamilyTable(rows: rows) }
    var budgets: BudgetTable { BudgetTable(rows: rows) }
    var idempotency: IdempotencyTable { IdempotencyTable(rows: rows) }
    var attempts: AttemptTable { AttemptTable(rows: rows) }
    var seenTokens: SeenTokenTable { SeenTokenTable(rows: rows) }
    var audit: AuditTable { AuditTable(rows: rows) }
    var tweaks: TweakTable { TweakTable(rows: rows) }
    var outbox: OutboxTable { OutboxTable(rows: rows) }
}
