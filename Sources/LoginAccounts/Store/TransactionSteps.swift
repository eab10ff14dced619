// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// A transaction: its tables, its context, and the steps of every use case, each with the tables that it may access.
///
/// The steps run on a thread of the store, so they must not take long: tokens are verified and passwords hashed before
/// the transaction, and messages are sent after it.
struct TransactionSteps {
    /// The tables.
    let tables: Tables

    /// The time, the configuration, the origin of the request, and the events to publish.
    let context: TransactionContext

    init(_ rows: any StoreTransaction, auth: Auth, now: StoreTime) {
        tables = Tables(rows: StoreRows(rows))
        context = TransactionContext(auth: auth, now: now)
    }

    /// The time of the transaction.
    var now: StoreTime { context.now }
}

// MARK: - Shared steps

extension TransactionSteps {
    var audit: AuditTrail { AuditTrail(audit: tables.audit, outbox: tables.outbox, context: context) }

    var budgets: Budgets { Budgets(budgets: tables.budgets, context: context) }

    var hooks: BoundHooks {
        BoundHooks(hooks: context.auth.hooks, rows: tables.rows.transaction, clock: context.auth.clock)
    }

    var accounts: Accounts { Accounts(accounts: tables.accounts, audit: audit, context: context) }

    var emails: EmailOwnership {
        EmailOwnership(
            accounts: tables.accounts,
            emails: tables.emails,
            identities: tables.identities,
            proofs: tables.proofs,
            audit: audit,
            context: context
        )
    }

    var pending: PendingOperations {
        PendingOperations(
            identities: tables.identities,
            keys: tables.identityKeys,
            proofs: tables.proofs,
            challenges: tables.challenges,
            signIns: tables.pendingSignIns,
            credentials: tables.pendingCredentials
        )
    }

    var identities: Identities {
        Identities(
            identities: tables.identities,
            keys: tables.identityKeys,
            passwords: tables.passwords,
            pending: pending,
            context: context
        )
    }

    var reader: AccountReader {
        AccountReader(
            accounts: tables.accounts,
            identities: tables.identities,
            passwords: tables.passwords,
            factors: tables.factors,
            emails: emails,
            context: context
        )
    }

    var sessions: Sessions {
        Sessions(
            accounts: tables.accounts,
            sessions: tables.sessions,
            families: tables.families,
            audit: audit,
            context: context
        )
    }

    var held: HeldSessions {
        HeldSessions(
            accounts: accounts,
            sessions: sessions,
            factors: tables.factors,
            reader: reader,
            context: context
        )
    }

    var requests: RepeatableRequests {
        RepeatableRequests(responses: tables.idempotency, held: held, context: context)
    }

    var factors: SecondFactors {
        SecondFactors(
            factors: tables.factors,
            recoveryCodes: tables.recoveryCodes,
            challenges: tables.challenges,
            pending: pending,
            audit: audit,
            secrets: FactorSecrets(secrets: context.secrets)
        )
    }

    var pendingCredentials: PendingCredentials {
        PendingCredentials(
            pending: tables.pendingCredentials,
            keys: tables.identityKeys,
            passwords: tables.passwords,
            sessions: sessions,
            context: context
        )
    }

    var passwords: Passwords {
        Passwords(passwords: tables.passwords, keys: tables.identityKeys, pending: pending, context: context)
    }

    var messages: EmailMessages { EmailMessages(proofs: tables.proofs, budgets: budgets, context: context) }

    var codes: CodeHashes { CodeHashes(secrets: context.secrets) }

    var pendingSignIns: PendingSignIns {
        PendingSignIns(signIns: tables.pendingSignIns, audit: audit, context: context)
    }

    var eviction: Eviction {
        Eviction(
            accounts: tables.accounts,
            sessionTable: tables.sessions,
            identities: identities,
            factors: factors,
            sessions: sessions,
            pending: pending,
            audit: audit
        )
    }
}

// MARK: - Use cases

extension TransactionSteps {
    var signIns: SignIns {
        SignIns(
            accounts: accounts,
            identities: identities,
            emails: emails,
            reader: reader,
            sessions: sessions,
            pendingSignIns: pendingSignIns,
            pendingCredentials: pendingCredentials,
            pending: pending,
            eviction: eviction,
            audit: audit,
            hooks: hooks,
            context: context
        )
    }

    var links: Links {
        Links(
            accounts: tables.accounts,
            identities: identities,
            factors: factors,
            emails: emails,
            reader: reader,
            sessions: sessions,
            held: held,
            pendingCredentials: pendingCredentials,
            pending: pending,
            audit: audit,
            hooks: hooks,
            context: context
        )
    }

    var credentialUse: CredentialUse {
        CredentialUse(
            attempts: tables.attempts,
            seenTokens: tables.seenTokens,
            pending: pendingCredentials,
            passwords: passwords,
            phoneCodes: phoneCodes,
            audit: audit,
            context: context
        )
    }

    var phoneCodes: PhoneCodes {
        PhoneCodes(
            proofs: tables.proofs,
            keys: tables.identityKeys,
            budgets: budgets,
            sessions: sessions,
            held: held,
            codes: codes,
            context: context
        )
    }

    var emailLogins: EmailLogins {
        EmailLogins(
            accounts: accounts,
            identityTable: tables.identities,
            identities: identities,
            passwords: passwords,
            messages: messages,
            emails: emails,
            sessions: sessions,
            held: held,
            signIns: signIns,
            eviction: eviction,
            pending: pending,
            audit: audit,
            context: context
        )
    }

    var accountPasswords: AccountPasswords {
        AccountPasswords(
            accounts: accounts,
            identities: identities,
            passwords: passwords,
            emails: emails,
            emailLogins: emailLogins,
            sessions: sessions,
            held: held,
            links: links,
            pending: pending,
            audit: audit,
            context: context
        )
    }

    var refreshes: SessionRefresh {
        SessionRefresh(
            accounts: tables.accounts,
            sessionTable: tables.sessions,
            families: tables.families,
            sessions: sessions,
            audit: audit,
            context: context
        )
    }

    var challenges: Challenges {
        Challenges(
            challenges: tables.challenges,
            budgets: budgets,
            codes: codes,
            secrets: factors.secrets,
            context: context
        )
    }

    var profileReseal: ProfileReseal { ProfileReseal(identities: tables.identities, secrets: context.secrets) }

    var reseal: FactorReseal { FactorReseal(factors: tables.factors, enrolled: factors, context: context) }

    var factorChecks: FactorChecks {
        FactorChecks(
            accounts: tables.accounts,
            factors: tables.factors,
            recoveryCodes: tables.recoveryCodes,
            challenges: challenges,
            reseal: reseal,
            budgets: budgets,
            sessions: sessions,
            audit: audit,
            secrets: factors.secrets,
            context: context
        )
    }

    var factorSignIns: FactorSignIns {
        FactorSignIns(
            accounts: accounts,
            signInTable: tables.pendingSignIns,
            challengeTable: tables.challenges,
            identities: identities,
            pendingSignIns: pendingSignIns,
            checks: factorChecks,
            challenges: challenges,
            signIns: signIns,
            sessions: sessions,
            held: held,
            reader: reader,
            audit: audit,
            context: context
        )
    }

    var enrollments: Enrollments {
        Enrollments(
            accounts: accounts,
            factors: tables.factors,
            recoveryCodes: tables.recoveryCodes,
            sessionTable: tables.sessions,
            identities: tables.identities,
            enrolled: factors,
            challenges: challenges,
            sessions: sessions,
            held: held,
            pending: pending,
            audit: audit,
            context: context
        )
    }

    var anonymous: AnonymousSignIns {
        AnonymousSignIns(
            accounts: accounts,
            sessions: sessions,
            held: held,
            reader: reader,
            budgets: budgets,
            hooks: hooks,
            context: context
        )
    }

    var merges: Merges {
        Merges(
            accounts: accounts,
            accountTable: tables.accounts,
            emailTable: tables.emails,
            identityTable: tables.identities,
            identities: identities,
            factors: factors,
            emails: emails,
            sessions: sessions,
            held: held,
            requests: requests,
            pending: pending,
            budgets: budgets,
            audit: audit,
            hooks: hooks,
            context: context
        )
    }

    var browserAttempts: BrowserAttempts { BrowserAttempts(attempts: tables.attempts, context: context) }

    var deliveries: EventDeliveries { EventDeliveries(outbox: tables.outbox, context: context) }

    var tweaks: TweakChanges { TweakChanges(tweaks: tables.tweaks, audit: audit, context: context) }

    var directory: AccountDirectory {
        AccountDirectory(accounts: tables.accounts, emails: tables.emails, keys: tables.identityKeys)
    }

    var revocations: Revocations {
        Revocations(
            accounts: accounts,
            identities: identities,
            table: tables.identities,
            emails: emails,
            keys: tables.identityKeys,
            sessions: sessions,
            pending: pending,
            audit: audit,
            context: context
        )
    }

    var removal: AccountRemoval {
        AccountRemoval(
            accounts: accounts,
            table: tables.accounts,
            emails: tables.emails,
            sessionTable: tables.sessions,
            responses: tables.idempotency,
            pendingCredentials: tables.pendingCredentials,
            identities: identities,
            factors: factors,
            sessions: sessions,
            pending: pending,
            audit: audit,
            context: context
        )
    }

    var profiles: Profiles {
        Profiles(
            accounts: tables.accounts,
            held: held,
            reader: reader,
            budgets: budgets,
            audit: audit,
            context: context
        )
    }

    var personalDataReader: PersonalDataReader {
        PersonalDataReader(
            accounts: accounts,
            accountTable: tables.accounts,
            sessions: tables.sessions,
            entries: tables.audit,
            identities: tables.identities,
            keys: tables.identityKeys,
            factors: tables.factors,
            emails: emails
        )
    }
}
