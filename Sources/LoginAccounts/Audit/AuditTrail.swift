// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders
internal import LoginText
internal import LoginTokens

/// The steps that record actions in the transaction in which they happen.
struct AuditTrail {
    let audit: AuditTable
    let outbox: OutboxTable
    let context: TransactionContext

    /// Records an action in the audit, and as an event for delivery.
    ///
    /// - Parameters:
    ///   - action: The action.
    ///   - account: The account that is affected.
    ///   - session: The session in which it happened.
    ///   - actor: The actor. Defaults to the transaction's actor, then to the action's default.
    ///   - subject: The details, without personal data: an ID, a provider, a reason.
    /// - Throws: ``StoreError``
    func record(
        _ action: AuditAction,
        account: AccountID?,
        session: SessionID? = nil,
        actor: AuthEvent.Actor? = nil,
        subject: [String: String] = [:]
    ) throws(StoreError) {
        let actor = actor ?? context.actor ?? (session == nil ? action.actorWithoutSession : .user)
        let entry = AuditRecord(
            id: context.makeID(),
            at: context.now,
            accountID: account,
            actor: actor.rawValue,
            action: action.rawValue,
            subject: subject.isEmpty ? nil : Self.text(of: subject),
            sessionID: session
        )
        try audit.add(entry)
        let event = AuthEvent(entry, subject: subject)
        let text = try JSONText.encode(event)
        try outbox.add(OutboxRecord(id: entry.id, event: text, createdAt: context.now, nextAt: context.now))
        context.events.append(event)
    }

    /// Returns the JSON of a subject, with its members in the order of their names.
    private static func text(of subject: [String: String]) -> String {
        let json = JSONWriter.object { json in
            let members = subject.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            for (name, value) in members { json.add(name, value) }
        }
        return String(decoding: json, as: UTF8.self)
    }

    /// Returns the subject of an entry about a login: its provider, and an HMAC of its subject at the provider.
    ///
    /// With the login and the key, its entries can be found. The audit alone identifies no user.
    func subject(_ provider: ProviderID, _ subject: String) -> [String: String] {
        // No provider's name has a zero byte, so no two pairs have the same text.
        let text = Array(provider.rawValue.utf8) + [0] + Array(subject.utf8)
        let code = context.secrets.authenticationCodes(of: text, purpose: "audit")[0]
        return ["provider": provider.rawValue, "subject": Base64URL.encode(code.prefix(16))]
    }

    /// Returns the subject of an entry about an identity.
    func subject(_ identity: IdentityRecord) -> [String: String] { subject(identity.providerID, identity.subject) }
}
