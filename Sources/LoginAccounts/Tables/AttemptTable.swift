// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders

/// An attempt to sign in, to link, or to reauthenticate.
///
/// Only the holder of its secret can complete it, and only once.
///
/// An app completes it with one transaction, which sets ``usedAt``. A browser's callback first claims it
/// (``claimedAt``), before any request to the provider; the transaction that completes it requires the claim.
struct AttemptRecord: ExpiringRecord {
    /// The SHA-256 of the secret.
    var hash: [UInt8]
    /// The SHA-256 of the parameter `state`; nil for an app.
    var stateHash: [UInt8]?
    /// The provider whose token or response completes it.
    var providerID: ProviderID
    /// The channel: an app or a browser.
    var channel: Channel
    /// The purpose, and the SHA-256 of its session: `NoncePurpose.storageKey`.
    var purpose: String
    /// The content for a browser's callback, encrypted with a key that is derived from the secret; nil for an app, and
    /// after the claim.
    var sealed: [UInt8]?
    /// The time at which it began.
    var createdAt: StoreTime
    /// The time at which it expires.
    var expiresAt: StoreTime
    /// The time at which a browser's callback claimed it.
    var claimedAt: StoreTime? = nil
    /// The time at which it was used.
    var usedAt: StoreTime? = nil

    /// The channel through which the client reaches the provider.
    ///
    /// An attempt of one channel is never completed through the other.
    enum Channel: String, TextColumnValue {
        case app, browser
    }

    enum Column {
        static let hash = StoreColumn.bytes("hash")
        static let stateHash = StoreColumn.bytes("state_hash").orNull
        static let providerID = StoreColumn.text("provider_id")
        static let channel = StoreColumn.text("channel")
        static let purpose = StoreColumn.text("purpose")
        static let sealed = StoreColumn.bytes("sealed").orNull
        static let createdAt = StoreColumn.integer("created_at")
        static let expiresAt = StoreColumn.integer("expires_at")
        static let claimedAt = StoreColumn.integer("claimed_at").orNull
        static let usedAt = StoreColumn.integer("used_at").orNull
    }

    static let schema = RecordSchema(
        "login_attempt",
        AttemptRecord.init,
        (Column.hash, \.hash),
        (Column.stateHash, \.stateHash),
        (Column.providerID, \.providerID),
        (Column.channel, \.channel),
        (Column.purpose, \.purpose),
        (Column.sealed, \.sealed),
        (Column.createdAt, \.createdAt),
        (Column.expiresAt, \.expiresAt),
        (Column.claimedAt, \.claimedAt),
        (Column.usedAt, \.usedAt),
        primaryKey: [Column.hash],
        uniques: [[Column.stateHash]],
        indexes: [[Column.expiresAt]]
    )
}

/// The table of attempts.
struct AttemptTable {
    let rows: StoreRows

    private typealias Column = AttemptRecord.Column

    /// Adds an attempt, unless one with its hash or the hash of its state exists.
    ///
    /// - Returns: Whether it was added.
    func insert(_ attempt: AttemptRecord) throws(StoreError) -> Bool { try rows.insert(attempt) }

    /// Reads an attempt in any state; nil if there is none.
    func find(_ hash: [UInt8]) throws(StoreError) -> AttemptRecord? { try rows.first(where: Column.hash.equals(hash)) }

    /// Reads the attempt of a browser by the hash of its state; nil if there is none.
    func find(state: [UInt8]) throws(StoreError) -> AttemptRecord? {
        try rows.first(where: Column.stateHash.equals(state))
    }

    /// Claims the attempt of a browser, which can be claimed once, and deletes its encrypted content.
    ///
    /// - Returns: The attempt with its content; nil if it is unknown, of another purpose, claimed or expired.
    func claim(_ hash: [UInt8], state: [UInt8], purpose: String, at now: StoreTime) throws(StoreError) -> AttemptRecord?
    {
        let claimed: [AttemptRecord] = try rows.update(
            set: Column.claimedAt.becomes(now),
            where: Column.hash.equals(hash),
            Column.stateHash.equals(state),
            Column.purpose.equals(purpose),
            Column.claimedAt.isNull,
            validAt: now
        )
        guard let attempt = claimed.first else { return nil }
        try rows.update(
            AttemptRecord.self,
            set: Column.sealed.becomes(nil as [UInt8]?),
            where: Column.hash.equals(hash)
        )
        return attempt
    }

    /// Uses up an attempt, which can be used once.
    ///
    /// That of a browser must have been claimed.
    ///
    /// - Returns: The attempt; nil if it is unknown, of another purpose, provider or channel, used or expired.
    func use(
        _ hash: [UInt8],
        purpose: String,
        provider: ProviderID,
        channel: AttemptRecord.Channel,
        at now: StoreTime
    ) throws(StoreError) -> AttemptRecord? {
        try rows.change(
            set: Column.usedAt.becomes(now),
            where: Column.hash.equals(hash),
            Column.purpose.equals(purpose),
            Column.providerID.equals(provider),
            Column.channel.equals(channel.rawValue),
            channel == .browser ? Column.claimedAt.isNotNull : Column.claimedAt.isNull,
            Column.usedAt.isNull,
            validAt: now
        )
    }
}
