// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import Foundation
internal import LoginAccounts
internal import LoginProviders
internal import LoginServer
internal import LoginTokens

/// An operator's view of an account.
///
/// It identifies the user only if ``showsClaims`` is true.
struct AccountReport {
    let account: Account
    let sessions: [SessionInfo]
    let showsClaims: Bool

    init(_ account: Account, sessions: [SessionInfo], showsClaims: Bool) {
        self.account = account
        self.sessions = sessions
        self.showsClaims = showsClaims
    }

    private var state: String {
        account.isDisabled ? "disabled" : account.isAnonymous ? "anonymous" : "in use"
    }

    var text: String {
        // The package makes the IDs, but any writer to the store may have put others there.
        var lines = ["account \(printable(account.id.rawValue)): \(state)"]
        if let earlier = account.resolvedFrom {
            lines.append("  merged from \(printable(earlier.rawValue))")
        }
        lines.append("  made         \(Self.time(account.createdAt))")
        lines.append("  last sign-in \(account.lastSignInAt.map(Self.time) ?? "never")")
        if showsClaims {
            lines.append("  name         \(account.displayName.map(printable) ?? "-")")
            lines.append("  e-mail       \(account.email.map(printable) ?? "-")")
        }
        lines.append("logins: \(account.providerData.count)")
        for login in account.providerData {
            let subject = Self.subject(of: login, showsClaims: showsClaims).map(printable) ?? "-"
            lines.append(
                "  \(printable(login.providerID.rawValue)) \(subject), linked \(Self.time(login.linkedAt)), last \(Self.time(login.lastSignInAt))"
            )
        }
        lines.append("second factors: \(account.enrolledFactors.count)")
        for factor in account.enrolledFactors {
            lines.append("  \(factor.factorID.rawValue), enrolled \(Self.time(factor.enrollmentDate))")
        }
        lines.append("open sessions: \(sessions.count)")
        return (lines + sessions.map { "  " + Self.line($0, showsClaims: showsClaims) }).joined(separator: "\n")
    }

    /// Returns the subject of a login, or a fingerprint of it.
    ///
    /// For a phone number or an e-mail address there is no fingerprint: it could be reversed by trying all values.
    private static func subject(of login: UserInfo, showsClaims: Bool) -> String? {
        if showsClaims { return login.uid }
        return login.providerID == .phone || login.providerID == .password ? nil : fingerprint(login.uid)
    }

    static func line(_ session: SessionInfo, showsClaims: Bool) -> String {
        let shown = showsClaims ? session.device : nil
        let device = shown.map { ", " + printable($0) } ?? ""
        return
            "\(printable(session.id.rawValue)), level \(session.level), opened \(time(session.createdAt)), last seen \(time(session.lastSeenAt))\(device)"
    }

    static func line(_ event: AuthEvent) -> String {
        let subject = event.subject.sorted { $0.key < $1.key }.map { " \(printable($0.key))=\(printable($0.value))" }
        let action = printable(event.action.rawValue)
        return "\(time(event.at)) \(action) by \(printable(event.actor.rawValue))\(subject.joined())"
    }

    private static func time(_ date: Date) -> String { timestamp(date.timeIntervalSince1970) }
}

extension AccountReport: Encodable {
    private enum Key: String, CodingKey {
        case id, state, resolvedFrom, createdAt, lastSignInAt, displayName, email, isEmailVerified, logins, factors,
            sessions
    }

    private struct Login: Encodable {
        let provider: String
        let subject: String?
        let email: String?
        let linkedAt: String
        let lastSignInAt: String
    }

    private struct Factor: Encodable {
        let kind: String
        let enrolledAt: String
    }

    private struct OpenSession: Encodable {
        let id: String
        let level: Int
        let createdAt: String
        let lastSeenAt: String
    }

    /// Encodes an object.
    ///
    /// Its times are in ISO 8601.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(account.id.rawValue, forKey: .id)
        try container.encode(state, forKey: .state)
        try container.encode(account.resolvedFrom?.rawValue, forKey: .resolvedFrom)
        try container.encode(Self.time(account.createdAt), forKey: .createdAt)
        try container.encode(account.lastSignInAt.map(Self.time), forKey: .lastSignInAt)
        if showsClaims {
            try container.encode(account.displayName, forKey: .displayName)
            try container.encode(account.email, forKey: .email)
            try container.encode(account.isEmailVerified, forKey: .isEmailVerified)
        }
        try container.encode(
            account.providerData.map { login in
                Login(
                    provider: login.providerID.rawValue,
                    subject: Self.subject(of: login, showsClaims: showsClaims),
                    email: showsClaims ? login.email : nil,
                    linkedAt: Self.time(login.linkedAt),
                    lastSignInAt: Self.time(login.lastSignInAt)
                )
            },
            forKey: .logins
        )
        try container.encode(
            account.enrolledFactors.map {
                Factor(kind: $0.factorID.rawValue, enrolledAt: Self.time($0.enrollmentDate))
            },
            forKey: .factors
        )
        try container.encode(
            sessions.map { session in
                OpenSession(
                    id: session.id.rawValue,
                    level: session.level,
                    createdAt: Self.time(session.createdAt),
                    lastSeenAt: Self.time(session.lastSeenAt)
                )
            },
            forKey: .sessions
        )
    }
}
#endif
