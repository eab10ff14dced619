// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A session, as it was when it was read: what one may do with an account.
///
/// Its methods read it again within their transaction, so a session that was closed meanwhile does nothing. Where one of them
/// returns a session, go on with that: this one is of the tokens before, may do what they may, and like them gains nothing by
/// what was proven since.
public struct Session: Sendable {
    /// What it is known by.
    public let id: SessionID

    /// Whose it is.
    public let accountID: AccountID

    /// Where it stands: open, with its first tokens or with later ones.
    public let state: SessionState

    /// 1, or 2 once a second factor was right, and not too long ago.
    public let level: Int

    /// Since when it has that level.
    public let levelAt: Date

    /// How the person was proven, and when: both methods where there was a second factor, the one shown last at the end.
    public let methods: [AuthenticationMethod]

    /// When the user was last authenticated, with all that was asked for.
    ///
    /// After a login at a provider whose token says when it authenticated the user (`auth_time`), that is this time, and not the
    /// time of the sign-in: a provider may answer from a session of its own, for whoever uses the browser. So a session can be new
    /// without being recent.
    ///
    /// A second factor that is shown in the open session does not change it; ``methods`` says when that was.
    public let authenticatedAt: Date

    /// When it was opened.
    public let createdAt: Date

    /// When it ends.
    public let expiresAt: Date

    /// What the device calls itself.
    public let device: String?

    /// The level that whoever read it asked for, which its methods ask for again.
    let requiredLevel: Int

    /// The generation of the token that it was read with, or got: it may do what that may do.
    let generation: Int64

    let auth: Auth

    /// A session as it was read.
    ///
    /// - Parameters:
    ///   - record: Its row.
    ///   - auth: Where it was read.
    ///   - requiredLevel: The level that its methods ask for.
    ///   - generation: The generation of the token that it was read with; nil for the one of today.
    init(_ record: SessionRecord, auth: Auth, requiring requiredLevel: Int = 1, generation: Int64? = nil) {
        self.requiredLevel = requiredLevel
        self.generation = generation ?? record.generation
        id = record.id
        accountID = record.accountID
        state = SessionState(rawValue: record.state) ?? .closed
        level = Int(record.level)
        levelAt = record.levelAt.date
        methods = record.methods.map { AuthenticationMethod(name: $0.name, at: $0.at.date) }
        authenticatedAt = record.authenticatedAt.date
        createdAt = record.createdAt.date
        expiresAt = record.expiresAt.date
        device = record.device
        self.auth = auth
    }

    /// Whether it was open when it was read.
    public var isOpen: Bool { state.isOpen }
}

extension Session: Redacted {
    /// The ID and the level, without the device.
    public var description: String { "session \(id) of level \(level)" }
}

/// The secrets of a session.
public struct SessionTokens: Sendable, Encodable {
    /// What each request carries: 100 characters that begin with `lls_`.
    public let sessionToken: String

    /// What new tokens are had for: 100 characters that begin with `llr_`.
    public let refreshToken: String

    /// When the session token has to be refreshed, at the latest.
    public let expiresAt: Date
}

extension SessionTokens: Redacted {
    /// A fixed text, without the tokens.
    public var description: String { "tokens of a session" }
}

/// A session whose tokens are new.
public struct RefreshedSession: Sendable {
    /// The session.
    public let session: Session

    /// Its tokens, for the client: they replace those before.
    public let tokens: SessionTokens
}

/// A session that was opened, and its secrets.
struct OpenedSession {
    let record: SessionRecord
    let tokens: SessionTokens
}
