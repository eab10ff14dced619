// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Something that happened to an account: a row of its audit, and what is delivered to those who listen.
///
/// It holds IDs, names of providers and reasons: no address, token or code, and of what a provider calls a person only what a key of
/// this service makes of it.
public struct AuthEvent: Sendable, Hashable, Codable, Identifiable {
    /// Who did it.
    public enum Actor: String, Sendable, Hashable, Codable {
        /// The person, in a session or by signing in.
        case user
        /// Your service: an operator, a sweep, or a rule that it follows.
        case service
        /// Somebody who was not proven to be the person: a login met the account's address, or was shown twice.
        case stranger
    }

    /// What it is known by.
    ///
    /// Those of later milliseconds sort later; whoever gets an event twice knows it by this.
    public let id: String

    /// When it happened, to the millisecond.
    public let at: Date

    /// What happened.
    public let action: AuditAction

    /// To whose account.
    public let accountID: AccountID?

    /// In which session.
    public let sessionID: SessionID?

    /// Who did it.
    public let actor: Actor

    /// To what, by names of ours.
    ///
    /// `provider`, `subject` and `reason` are some.
    public let subject: [String: String]
}

extension AuthEvent {
    /// Creates the event of an entry of the audit.
    init(_ record: AuditRecord) throws(StoreError) {
        self.init(
            record,
            subject: try record.subject.map { text throws(StoreError) in try JSONText.decode(text) } ?? [:]
        )
    }

    /// Creates the event of an entry whose subject is at hand.
    init(_ record: AuditRecord, subject: [String: String]) {
        id = record.id
        at = record.at.date
        action = AuditAction(rawValue: record.action)
        accountID = record.accountID
        sessionID = record.sessionID
        actor = Actor(rawValue: record.actor) ?? .service
        self.subject = subject
    }
}
