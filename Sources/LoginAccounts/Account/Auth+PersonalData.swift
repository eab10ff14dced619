// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders
internal import LoginText
internal import LoginTokens

extension Auth {
    /// Exports all personal data of an account as JSON, for a data subject's access request.
    ///
    /// It is for operators: it requires no session. ``Session/exportPersonalData()`` is for the user of the account.
    ///
    /// The export contains no secrets: of passwords and second factors, only their existence. It is personal data, so
    /// send it only to the user of the account.
    ///
    /// - Parameter account: The account.
    /// - Returns: A JSON object: the account, the IDs of the accounts that were merged into it, its logins with all
    ///   their subjects and with their stored claims (``AuthPolicy/storesProfiles``), its second factors, its sessions,
    ///   and its audit entries. Each list has at most 10,000 entries, those of the account before those of merged ones,
    ///   and the latest first; `isTruncated` says whether some are missing. Times are in UTC (ISO 8601). A login whose
    ///   stored claims no key opens has `hasUnreadableClaims`, and is exported without them.
    /// - Throws: ``AuthError``: `user-not-found`; `account-merged`, with the ID of the target account;
    ///   `too-many-requests` while this process makes another export.
    public func exportPersonalData(of account: AccountID) async throws(AuthError) -> [UInt8] {
        try await export { transaction in
            try transaction.personalDataReader.rows(of: account, longestList: 10_000)
        }
    }

    /// Makes an export after it was counted, unless this process makes another one: an export occupies a connection of
    /// the store for longer than other reads, and session checks need these too.
    fileprivate func export(
        after count: () async throws(AuthError) -> Void = {},
        _ read: @escaping @Sendable (TransactionSteps) throws -> PersonalDataRows
    ) async throws(AuthError) -> [UInt8] {
        try await exports.take { () async throws(AuthError) in
            try await count()
            // What needs no connection comes after the transaction.
            return try PersonalData(await self.read(read), secrets: secrets).json()
        }
    }
}

extension Session {
    /// Exports all personal data of the account of this session as JSON; see ``Auth/exportPersonalData(of:)``.
    ///
    /// Each list has at most 1,000 entries; an operator's export has more. The recent login is checked when the export
    /// is counted, and on the snapshot from which the data is read.
    ///
    /// - Returns: A JSON object.
    /// - Throws: ``AuthError``: `requires-recent-login`, `second-factor-required`, and others if the session is not
    ///   open; `too-many-requests` after five exports of the account in an hour, and, without counting, while this
    ///   process makes another export.
    public func exportPersonalData() async throws(AuthError) -> [UInt8] {
        let count = { () async throws(AuthError) in
            try await auth.transaction { transaction in
                let held = try transaction.held.holdRecent(self)
                try transaction.budgets.spend(
                    Budget(
                        purpose: "personal-data",
                        subject: held.account.id.rawValue,
                        limit: 5,
                        window: .seconds(3600)
                    )
                )
            }
        }
        return try await auth.export(after: count) { transaction in
            let held = try transaction.held.look(at: self)
            try transaction.held.requireRecentLogin(held)
            return try transaction.personalDataReader.rows(of: held.account.id, longestList: 1000)
        }
    }
}

/// The rows with the personal data of an account, and of those that were merged into it.
struct PersonalDataRows: Sendable {
    var account: AccountRecord
    var email: String?
    var mergedAccounts: [AccountID]
    var logins: [IdentityRecord]
    var names: [IdentityKeyRecord]
    var factors: [FactorRecord]
    var sessions: [SessionRecord]
    var events: [AuditRecord]
    var isTruncated: Bool
}

/// The steps that collect the personal data of an account.
struct PersonalDataReader {
    let accounts: Accounts
    let accountTable: AccountTable
    let sessions: SessionTable
    let entries: AuditTable
    let identities: IdentityTable
    let keys: IdentityKeyTable
    let factors: FactorTable
    let emails: EmailOwnership

    /// Collects the personal data of an account, and of those that were merged into it.
    ///
    /// - Parameters:
    ///   - id: The account.
    ///   - longestList: The maximum number of entries of each list, whatever the number of merged accounts.
    /// - Returns: The rows.
    /// - Throws: ``AuthError``: `user-not-found`, `account-merged`.
    func rows(of id: AccountID, longestList: Int) throws -> PersonalDataRows {
        let account = try accounts.inUse(id)
        var merged = BoundedList<AccountID>(longestList)
        try merged.add { limit in try accountTable.merged(into: id, limit: limit).map(\.id) }
        var (opened, events) = (BoundedList<SessionRecord>(longestList), BoundedList<AuditRecord>(longestList))
        for id in [id] + merged.elements {
            try opened.add { limit in try sessions.newest(of: id, limit: limit) }
            try events.add { limit in try entries.of(id, limit: limit, before: nil) }
        }
        var (logins, names) = (BoundedList<IdentityRecord>(longestList), BoundedList<IdentityKeyRecord>(longestList))
        try logins.add { limit in try identities.of(id, limit: limit) }
        for login in logins.elements { try names.add { limit in try keys.of(login, limit: limit) } }
        return PersonalDataRows(
            account: account,
            email: try emails.shown(of: account),
            mergedAccounts: merged.elements,
            logins: logins.elements,
            names: names.elements,
            factors: try factors.confirmed(of: id),
            sessions: opened.elements,
            events: events.elements,
            isTruncated: merged.isTruncated || opened.isTruncated || events.isTruncated || logins.isTruncated
                || names.isTruncated
        )
    }
}

/// A list that is filled by several queries, and knows whether its maximum length has cut it.
private struct BoundedList<Element> {
    var elements: [Element] = []
    private(set) var isTruncated = false
    private let longest: Int

    init(_ longest: Int) { self.longest = longest }

    /// Adds what a query returns.
    ///
    /// - Parameter query: The query, with its maximum number of rows: one more than there is room for. It is not sent
    ///   after the list was cut.
    mutating func add(_ query: (_ limit: Int) throws -> [Element]) rethrows {
        guard !isTruncated else { return }
        let room = longest - elements.count
        let found = try query(room + 1)
        isTruncated = found.count > room
        elements += found.prefix(room)
    }
}

/// The exported document.
///
/// Its member names are part of the API, so they are declared here rather than derived from rows.
struct PersonalData: Encodable {
    var account: Account
    var mergedAccounts: [String]
    var logins: [Login]
    var secondFactors: [Factor]
    var sessions: [Session]
    var events: [Event]
    var isTruncated: Bool

    /// Creates the document.
    ///
    /// - Parameters:
    ///   - rows: The rows of the account.
    ///   - secrets: The keys with which stored claims are decrypted.
    init(_ rows: PersonalDataRows, secrets: AccountSecrets) {
        let namesByLogin = Dictionary(grouping: rows.names, by: \.identityID)
        account = Account(rows.account, email: rows.email)
        mergedAccounts = rows.mergedAccounts.map(\.rawValue)
        logins = rows.logins.map { login in
            let subjects = (namesByLogin[login.id] ?? []).map(\.subject)
            return Login(
                login,
                names: subjects.filter { !isEqual($0, login.subject) },
                stored: StoredIdentity.identity(of: login, by: secrets)
            )
        }
        secondFactors = rows.factors.map { Factor($0) }
        sessions = rows.sessions.sorted { ($0.createdAt, $0.id.rawValue) > ($1.createdAt, $1.id.rawValue) }
            .map { Session($0) }
        // The time is the first part of an ID.
        events = rows.events.sorted { $0.id > $1.id }.map { Event($0) }
        isTruncated = rows.isTruncated
    }

    /// The document as JSON.
    func json() throws(AuthError) -> [UInt8] {
        do {
            return Array(try JSONText.encode(self).utf8)
        } catch {
            throw AuthError(error)
        }
    }

    struct Account: Encodable {
        var id: String
        var email: String?
        var isEmailVerified: Bool
        var displayName: String?
        var photoURL: String?
        var isAnonymous: Bool
        var createdAt: String
        var lastSignInAt: String?

        init(_ record: AccountRecord, email: String?) {
            id = record.id.rawValue
            self.email = email
            isEmailVerified = record.emailVerified
            displayName = record.displayName
            photoURL = record.photoURL
            isAnonymous = record.isAnonymous
            createdAt = record.createdAt.text
            lastSignInAt = record.lastSignInAt?.text
        }
    }

    struct Login: Encodable {
        var provider: String
        var uid: String
        var otherNames: [String]
        var email: String?
        var isEmailVerified: Bool
        var displayName: String?
        var photoURL: String?
        var phoneNumber: String?
        var permissions: GrantedPermissions?
        var claims: JSONValue?
        /// Whether claims are stored that are damaged, or were encrypted with an unknown key.
        var hasUnreadableClaims: Bool
        var linkedAt: String
        var lastSignInAt: String

        init(_ record: IdentityRecord, names: [String], stored: VerifiedIdentity?) {
            provider = record.providerID.rawValue
            uid = record.subject
            otherNames = names
            email = record.email
            isEmailVerified = record.emailVerified
            displayName = record.displayName
            photoURL = record.photoURL
            phoneNumber = record.phoneNumber
            permissions = record.permissions.flatMap { try? JSONText.decode($0) }
            claims = stored?.claims?.value
            hasUnreadableClaims = record.profile != nil && stored == nil
            linkedAt = record.linkedAt.text
            lastSignInAt = record.lastSignInAt.text
        }
    }

    struct Factor: Encodable {
        var kind: String
        var displayName: String?
        var phoneNumberSuffix: String?
        var enrolledAt: String?

        init(_ record: FactorRecord) {
            kind = record.kind
            displayName = record.displayName
            phoneNumberSuffix = record.hint
            enrolledAt = record.confirmedAt?.text
        }
    }

    struct Session: Encodable {
        var id: String
        var device: String?
        var addressPrefix: String?
        var openedAt: String
        var lastSeenAt: String
        var closedAt: String?

        init(_ record: SessionRecord) {
            id = record.id.rawValue
            device = record.device
            addressPrefix = record.addressPrefix
            openedAt = record.createdAt.text
            lastSeenAt = record.lastSeenAt.text
            closedAt = record.closedAt?.text
        }
    }

    struct Event: Encodable {
        var at: String
        var action: String
        var session: String?

        init(_ record: AuditRecord) {
            at = record.at.text
            action = record.action
            session = record.sessionID?.rawValue
        }
    }
}
