// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders
internal import LoginText

extension AccountTransaction {
    /// Writes what happened, for those who ask later, and as an event for those who listen; in this transaction.
    ///
    /// - Parameters:
    ///   - action: What.
    ///   - account: To whose account.
    ///   - session: In which session.
    ///   - actor: Who did it; nil for who does the whole transaction, or what follows from the action.
    ///   - subject: To what, without anything personal: an ID, a provider, a reason.
    /// - Throws: ``StoreError``
    func record(
        _ action: AuditAction,
        account: AccountID?,
        session: SessionID? = nil,
        actor: AuthEvent.Actor? = nil,
        subject: [String: String] = [:]
    ) throws {
        let entry = AuditRecord(
            id: makeID(),
            at: now,
            accountID: account,
            actor: (actor ?? self.actor ?? (session == nil ? action.actorWithoutSession : .user)).rawValue,
            action: action.rawValue,
            subject: subject.isEmpty ? nil : try JSONText.encode(subject),
            sessionID: session
        )
        try add(entry)
        let event = try AuthEvent(entry)
        try add(OutboxRecord(id: entry.id, event: try JSONText.encode(event), createdAt: now, nextAt: now))
        events.append(event)
    }

    /// Which login it is, for the audit: its provider, and what the newest key makes of what the provider calls the person.
    ///
    /// So whoever has an identity and the key finds what happened to it, and whoever has the audit alone finds nobody.
    func auditSubject(_ provider: ProviderID, _ subject: String) -> [String: String] {
        // No provider's name has a zero byte, so no two pairs have the same text.
        let text = Array(provider.rawValue.utf8) + [0] + Array(subject.utf8)
        let code = auth.secrets.authenticationCodes(of: text, purpose: "audit")[0]
        return ["provider": provider.rawValue, "subject": Base64URL.encode(code.prefix(16))]
    }

    /// The same, of an identity.
    func auditSubject(_ identity: IdentityRecord) -> [String: String] {
        auditSubject(identity.providerID, identity.subject)
    }
}
