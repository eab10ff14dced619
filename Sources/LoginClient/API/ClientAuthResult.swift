// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The result of a sign-in, a link, a merge or another change of an account.
public struct ClientAuthResult: Sendable, Hashable, Decodable {
    /// The account.
    public let account: ClientAccount

    /// The session at the service.
    public let session: ClientSessionInfo

    /// The effect of the operation.
    public let outcome: Outcome

    /// The identity at a provider that the credential of the request has proved; nil for other credentials.
    public let identity: ClientIdentity?

    /// The effect of an operation.
    ///
    /// A later service may have further ones.
    public struct Outcome: RawRepresentable, Sendable, Hashable, Decodable {
        /// The name, for example `linked`.
        public let rawValue: String

        /// Creates an outcome.
        ///
        /// - Parameter rawValue: The name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A known user signed in.
        public static let signedIn = Self(rawValue: "signedIn")
        /// A new account was created.
        public static let created = Self(rawValue: "created")
        /// A login was linked.
        public static let linked = Self(rawValue: "linked")
        /// The login was linked already, and nothing changed.
        public static let alreadyLinked = Self(rawValue: "alreadyLinked")
        /// An anonymous account got its first login.
        public static let upgraded = Self(rawValue: "upgraded")
        /// A login was unlinked.
        public static let unlinked = Self(rawValue: "unlinked")
        /// Two accounts were merged.
        public static let merged = Self(rawValue: "merged")
        /// The user authenticated again, or granted a requested permission.
        public static let reauthenticated = Self(rawValue: "reauthenticated")
        /// The user declined the requested permissions; the session stays as it was.
        public static let permissionsDeclined = Self(rawValue: "permissionsDeclined")
        /// The provider does not state whether the user granted the requested permissions; the session stays as it was.
        public static let permissionsUnknown = Self(rawValue: "permissionsUnknown")
        /// The account was changed, and the session has new tokens.
        public static let changed = Self(rawValue: "changed")
    }
}

extension ClientAuthResult: RedactedValue {
    /// The outcome, without the user.
    public var description: String { "result \(outcome.rawValue)" }
}

/// A session at the service.
public struct ClientSessionInfo: Sendable, Hashable, Decodable {
    /// The ID of the session, which is no credential.
    public let id: String

    /// The ID of the account.
    public let account: String

    /// The level: 2 if a second factor was confirmed recently enough, otherwise 1.
    public let level: Int

    /// The authentication methods: `fed` for a provider, `pwd`, `sms`, `otp` and `recovery`.
    public let methods: [String]

    /// The time at which the user last authenticated.
    public let authenticatedAt: Date

    /// The time at which the session was opened.
    public let createdAt: Date

    /// The time at which the session ends at the latest.
    public let expiresAt: Date
}

extension ClientSessionInfo: RedactedValue {
    /// The ID.
    public var description: String { "session \(id)" }
}

/// An entry in the list of the user's open sessions.
public struct ClientDeviceSession: Sendable, Hashable, Decodable {
    /// The ID of the session, which is no credential.
    public let id: String

    /// The description that the device has sent.
    public let device: String?

    /// The network from which the session was opened, for example `192.0.2.0/24`.
    public let network: String?

    /// The level: 2 if a second factor was confirmed recently enough, otherwise 1.
    public let level: Int

    /// The time at which the session was opened.
    public let createdAt: Date

    /// The time at which the session was last used, accurate to a minute.
    public let lastSeenAt: Date

    /// Whether it is the session of the client that has asked.
    public let isCurrent: Bool
}

extension ClientDeviceSession: RedactedValue {
    /// The ID.
    public var description: String { "session \(id)" }
}
