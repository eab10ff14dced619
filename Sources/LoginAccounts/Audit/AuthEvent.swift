// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An event: an entry of an account's audit, which is also delivered to event handlers.
///
/// It contains IDs, names of providers, and reasons, but no address, token or code. The subject of a login is contained
/// only as an HMAC.
public struct AuthEvent: Sendable, Hashable, Codable, Identifiable {
    /// The actor of an event.
    public enum Actor: String, Sendable, Hashable, Codable {
        /// The user, in a session or by signing in.
        case user
        /// Your service: an operator, a sweep, or a policy.
        case service
        /// A person who was not authenticated as the user: for example, a login had the account's address, or an
        /// attempt was replayed.
        case stranger
    }

    /// The ID.
    ///
    /// IDs of later milliseconds sort later. An event that is delivered again has the same ID.
    public let id: String

    /// The time of the event, to the millisecond.
    public let at: Date

    /// The action.
    public let action: AuditAction

    /// The account; nil if none is affected.
    public let accountID: AccountID?

    /// The session; nil if there was none.
    public let sessionID: SessionID?

    /// The actor.
    public let actor: Actor

    /// The details, by name.
    ///
    /// Examples are `provider`, `subject` and `reason`.
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

    /// Creates the event of an entry whose subject is known.
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
