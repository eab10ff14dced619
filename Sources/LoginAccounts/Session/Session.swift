// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A snapshot of a session: the rights that its user has with an account.
///
/// Its methods read the session again within their transactions, so those of a session that was closed meanwhile have
/// no effect. If a method returns a session, continue with that one. This value has the rights of the previous tokens,
/// and gains none from later authentication.
public struct Session: Sendable {
    /// The ID of the session.
    public let id: SessionID

    /// The ID of its account.
    public let accountID: AccountID

    /// The state of the session: open, with its first tokens or with later ones.
    public let state: SessionState

    /// The level: 1, or 2 if a second factor was verified and its time has not expired.
    public let level: Int

    /// The time at which the session got its level.
    public let levelAt: Date

    /// The authentication methods and their times: both if there was a second factor, the latest one last.
    public let methods: [AuthenticationMethod]

    /// The time at which the user was last authenticated with all required factors.
    ///
    /// If the provider's token has the time of authentication (`auth_time`), the session has that time rather than the
    /// time of the sign-in: a provider may answer from a session of its own, for anyone who uses the browser. A session
    /// can therefore be new without being recent.
    ///
    /// A second factor that is verified in the open session does not change it; ``methods`` has that time.
    public let authenticatedAt: Date

    /// The time at which the session was opened.
    public let createdAt: Date

    /// The time at which the session expires.
    public let expiresAt: Date

    /// The name that the device reported.
    public let device: String?

    /// The level that the caller of ``Auth/session(_:requiring:)`` required.
    ///
    /// The methods of the session require it too.
    let requiredLevel: Int

    /// The generation of the token with which the session was read or that it got.
    ///
    /// It determines the rights.
    let generation: Int64

    /// The ID of the login with which the session was opened; nil if it has none.
    let identityID: String?

    /// The owner; nil if it was not read with the session.
    let readOwner: SessionOwner?

    /// The error of the store that could not store this use of the session; nil if it was stored, or was not due.
    ///
    /// The session is open nevertheless. Report the error to the operator: the store cannot be written.
    public internal(set) var unstoredUse: AuthError?

    let auth: Auth

    /// Creates a snapshot.
    ///
    /// - Parameters:
    ///   - record: The row of the session.
    ///   - auth: The accounts from which it was read.
    ///   - requiredLevel: The level that its methods require.
    ///   - generation: The generation of the token with which it was read; nil for the current one.
    ///   - owner: The owner; nil if it was not read.
    init(
        _ record: SessionRecord,
        auth: Auth,
        requiring requiredLevel: Int = 1,
        generation: Int64? = nil,
        owner: SessionOwner? = nil
    ) {
        self.requiredLevel = requiredLevel
        self.generation = generation ?? record.generation
        id = record.id
        accountID = record.accountID
        identityID = record.identityID
        state = SessionState(rawValue: record.state) ?? .closed
        level = Int(record.level(at: StoreTime(auth.clock.now)))
        levelAt = record.levelAt.date
        methods = record.methods.map { AuthenticationMethod(name: $0.name, at: $0.at.date) }
        authenticatedAt = record.authenticatedAt.date
        createdAt = record.createdAt.date
        expiresAt = record.expiresAt.date
        device = record.device
        readOwner = owner
        self.auth = auth
    }

    /// Whether the session was open when it was read.
    public var isOpen: Bool { state.isOpen }
}

extension Session: Redacted {
    /// The ID and the level, without the device.
    public var description: String { "session \(id) of level \(level)" }
}

/// The secrets of a session.
public struct SessionTokens: Sendable, Encodable {
    /// The session token, sent with each request: 100 characters, prefix `lls_`.
    public let sessionToken: String

    /// The refresh token: 100 characters, prefix `llr_`.
    public let refreshToken: String

    /// The time at which the session token expires, at the latest.
    public let expiresAt: Date
}

extension SessionTokens: Redacted {
    /// A fixed text, without the tokens.
    public var description: String { "tokens of a session" }
}

/// A session with new tokens.
public struct RefreshedSession: Sendable {
    /// The session.
    public let session: Session

    /// The tokens, for the client.
    ///
    /// They replace the previous ones.
    public let tokens: SessionTokens
}

/// A session that was opened, and its tokens.
struct OpenedSession {
    let record: SessionRecord
    let tokens: SessionTokens
}

/// The ID of a session, for lists and logs.
///
/// It is not a credential; the session token is.
public struct SessionID: Sendable, Hashable, Codable, RawRepresentable {
    /// The text, a UUID.
    public let rawValue: String

    /// Creates an ID from its stored text.
    public init(rawValue: String) { self.rawValue = rawValue }
}

extension SessionID: CustomStringConvertible {
    /// The text.
    public var description: String { rawValue }
}
