// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginAccounts
internal import LoginProviders

/// The invariants of a store's rows, which hold even after concurrent transactions and killed processes.
///
/// ```swift
/// #expect(try await AccountInvariants.violations(in: store) == [])
/// ```
public enum AccountInvariants {
    /// Reads the whole store, and returns the violated invariants.
    ///
    /// It uses `AccountStore.read`, so servers can keep running.
    ///
    /// - Parameters:
    ///   - store: Any store. Its whole content is held in memory at once.
    ///   - secrets: The keys that must decrypt all second factors and stored profiles; nil to skip that.
    /// - Returns: Descriptions of the violations, which contain account IDs and no other values; empty if there are
    ///   none.
    /// - Throws: `StoreError`
    public static func violations(in store: any AccountStore, secrets: AccountSecrets? = nil) async throws -> [String] {
        let tables = try await store.read { rows in
            var tables: [String: [StoreRow]] = [:]
            for table in StoreSchema.tables {
                tables[table.name] = try rows.select(from: table, where: [], order: nil, limit: nil)
            }
            return tables
        }
        var snapshot = AccountSnapshot(tables)
        snapshot.checkTables(secrets)
        snapshot.checkAccounts()
        snapshot.checkIdentities()
        snapshot.checkEmails()
        snapshot.checkFactors()
        snapshot.checkSessions()
        return snapshot.violations
    }
}

/// All rows of a store at one moment.
private struct AccountSnapshot {
    private(set) var violations: [String] = []
    private let tables: [String: [StoreRow]]
    private let accounts: [StoreValue: StoreRow]
    private let identities: [StoreValue: [StoreRow]]

    init(_ tables: [String: [StoreRow]]) {
        self.tables = tables
        accounts = Dictionary((tables["login_account"] ?? []).map { ($0["id"], $0) }) { first, _ in first }
        identities = Dictionary(grouping: tables["login_identity"] ?? []) { $0["account_id"] }
    }

    private mutating func expect(_ holds: Bool, _ promise: @autoclosure () -> String) {
        if !holds { violations.append(promise()) }
    }

    private func rows(_ table: String) -> [StoreRow] { tables[table] ?? [] }

    /// Checks the constraints that a database enforces itself, but an in-memory store or a damaged file may violate.
    mutating func checkTables(_ secrets: AccountSecrets?) {
        for table in StoreSchema.tables {
            for row in rows(table.name) {
                do {
                    try table.check(row)
                    if let fault = StoreSchema.fault(of: row, in: table, secrets: secrets) { violations.append(fault) }
                } catch {
                    violations.append(error.detail)
                }
            }
            for group in [table.primaryKey] + table.uniques {
                let keys = rows(table.name).map { row in group.map { row[$0] } }.filter { !$0.contains(.null) }
                expect(Set(keys).count == keys.count, "two rows of \(table.name) have the same key")
            }
            for reference in table.references {
                let present = Set(rows(reference.table).map { row in reference.target.map { row[$0] } })
                for row in rows(table.name) {
                    let key = reference.columns.map { row[$0] }
                    expect(
                        key.contains(.null) || present.contains(key),
                        "a row of \(table.name) refers to a missing row of \(reference.table)"
                    )
                }
            }
        }
    }

    mutating func checkAccounts() {
        for (id, account) in accounts {
            let count = identities[id]?.count ?? 0
            switch account["state"] {
            case .text("active"):
                expect(account["merged_into"] == .null, "account \(Self.name(id)) is active and merged")
                let isAnonymous = account["is_anonymous"] == .integer(1)
                expect(
                    isAnonymous || count > 0 || account["disabled_at"] != .null,
                    "account \(Self.name(id)) is active, and no identity can sign in to it"
                )
                expect(!isAnonymous || count == 0, "account \(Self.name(id)) is anonymous and has an identity")
            case .text("merged"):
                let target = accounts[account["merged_into"]]
                expect(target != nil, "account \(Self.name(id)) is merged into a missing account")
                expect(
                    target.map { $0["state"] != .text("merged") } ?? true,
                    "account \(Self.name(id)) is merged into a merged account"
                )
                expect(count == 0, "account \(Self.name(id)) is merged and has an identity")
            case .text("deleted"):
                expect(count == 0, "account \(Self.name(id)) is deleted and has an identity")
                for column in ["email", "display_name", "display_name_source", "photo_url", "photo_source"] {
                    expect(account[column] == .null, "account \(Self.name(id)) is deleted and still has its \(column)")
                }
            default: violations.append("account \(Self.name(id)) has an unknown state")
            }
        }
    }

    mutating func checkIdentities() {
        let keys = Dictionary(grouping: rows("login_identity_key")) { $0["identity_id"] }
        let passwords = Set(rows("login_password").map { $0["identity_id"] })
        for identity in rows("login_identity") {
            let owner = Self.name(identity["account_id"])
            let own = keys[identity["id"]] ?? []
            expect(
                own.count { $0["provider_id"] == identity["provider_id"] && $0["subject"] == identity["subject"] } == 1,
                "an identity of account \(owner) has no row with its subject"
            )
            expect(
                own.allSatisfy { $0["provider_id"] == identity["provider_id"] },
                "an identity of account \(owner) has a subject at another provider"
            )
            expect(
                identity["single_key"] == .null || identity["single_key"] == identity["provider_id"],
                "an identity of account \(owner) has the single_key of another provider"
            )
            expect(
                !passwords.contains(identity["id"]) || identity["provider_id"] == .text(ProviderID.password.rawValue),
                "an identity of account \(owner) has a password, but a provider without passwords"
            )
        }
    }

    mutating func checkEmails() {
        for claim in rows("login_email") {
            let account = claim["account_id"]
            expect(
                accounts[account]?["state"] == .text("active"),
                "an address belongs to account \(Self.name(account)), which is not active"
            )
            let isProven = (identities[account] ?? []).contains { identity in
                identity["email"] == claim["email"] && identity["email_verified"] == .integer(1)
            }
            expect(
                isProven,
                "an address belongs to account \(Self.name(account)), and no identity of the account proves it"
            )
        }
        let owners = Dictionary(rows("login_email").map { ($0["email"], $0["account_id"]) }) { first, _ in first }
        for (id, account) in accounts where account["email_verified"] == .integer(1) {
            // Apple's relay addresses belong to no account.
            let isRelay =
                if case .text(let text) = account["email"] { text.hasSuffix("@privaterelay.appleid.com") } else {
                    false
                }
            expect(
                isRelay || owners[account["email"]].map { $0 == id } ?? true,
                "account \(Self.name(id)) shows a verified address that belongs to another account"
            )
            let isProven = (identities[id] ?? []).contains { identity in
                identity["email"] == account["email"] && identity["email_verified"] == .integer(1)
            }
            expect(
                isProven,
                "the address of account \(Self.name(id)) is verified, and no identity of the account proves it"
            )
        }
    }

    mutating func checkFactors() {
        let codes = Dictionary(grouping: rows("login_recovery_code")) { $0["account_id"] }
        for (account, codes) in codes {
            expect(codes.count <= 10, "account \(Self.name(account)) has more than ten recovery codes")
            expect(
                Set(codes.map { $0["batch"] }).count == 1,
                "account \(Self.name(account)) has recovery codes of two batches"
            )
        }
        let owners = Dictionary(rows("login_factor").map { ($0["id"], $0["account_id"]) }) { first, _ in first }
        for challenge in rows("login_challenge") {
            let account = challenge["account_id"]
            expect(
                owners[challenge["factor_id"]] == account,
                "a code of account \(Self.name(account)) belongs to a factor of another account"
            )
        }
        for table in ["login_challenge", "login_pending_sign_in", "login_proof"] {
            for row in rows(table) {
                let isNegative = if case .integer(let left) = row["attempts_left"] { left < 0 } else { true }
                expect(!isNegative, "a row of \(table) has fewer than zero attempts left")
            }
        }
    }

    mutating func checkSessions() {
        let families = Dictionary(rows("login_session_family").map { ($0["id"], $0) }) { first, _ in first }
        let owners = Dictionary(rows("login_identity").map { ($0["id"], $0["account_id"]) }) { first, _ in first }
        let guarded = Set(rows("login_factor").filter { $0["confirmed_at"] != .null }.map { $0["account_id"] })
        for session in rows("login_session") {
            let account = session["account_id"]
            if let family = families[session["family_id"]] {
                expect(
                    family["account_id"] == account,
                    "a session of account \(Self.name(account)) belongs to a device of another account"
                )
            }
            // A session of an earlier epoch counts as closed, even if its row does not say so.
            guard session["closed_at"] == .null, session["epoch"] == accounts[account]?["session_epoch"] else {
                continue
            }
            expect(
                accounts[account]?["state"] == .text("active"),
                "a session of account \(Self.name(account)) is open, and the account is not active"
            )
            expect(
                session["level"] != .integer(2) || guarded.contains(account),
                "a session of account \(Self.name(account)) has level 2, and the account has no second factor"
            )
            guard session["identity_id"] != .null else { continue }
            expect(
                owners[session["identity_id"]] == account,
                "a session of account \(Self.name(account)) is open, and its identity belongs to another account"
            )
        }
    }

    private static func name(_ value: StoreValue) -> String {
        if case .text(let text) = value { text } else { "without ID" }
    }
}

extension StoreRow {
    fileprivate subscript(name: String) -> StoreValue { values[name] ?? .null }
}
