// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The action of an audit entry or event, by a permanent name.
///
/// docs/guides/accounts.md describes each action.
public struct AuditAction: RawRepresentable, Sendable, Hashable, Codable, ExpressibleByStringLiteral,
    CustomStringConvertible
{
    /// The name, as the audit contains it.
    public let rawValue: String

    /// Creates an action from its name.
    ///
    /// - Parameter rawValue: Any name. The actions that this version records are constants.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Creates an action from its name.
    ///
    /// - Parameter name: Any name. The actions that this version records are constants.
    public init(stringLiteral name: String) { self.init(rawValue: name) }

    /// The name.
    public var description: String { rawValue }

    /// An account was created; `provider` is that of its first login, if any.
    public static let accountCreated = Self(rawValue: "account.created")
    /// An anonymous account got its first login.
    public static let accountUpgraded = Self(rawValue: "account.upgraded")
    /// An account was disabled.
    public static let accountDisabled = Self(rawValue: "account.disabled")
    /// An account was enabled.
    public static let accountEnabled = Self(rawValue: "account.enabled")
    /// An account was deleted.
    public static let accountDeleted = Self(rawValue: "account.deleted")
    /// An account was merged into another: recorded for both.
    public static let accountMerged = Self(rawValue: "account.merged")
    /// A login was linked to an account.
    public static let identityLinked = Self(rawValue: "identity.linked")
    /// A login was unlinked from an account.
    public static let identityUnlinked = Self(rawValue: "identity.unlinked")
    /// A login was revoked by its provider.
    public static let identityRevoked = Self(rawValue: "identity.revoked")
    /// A permission of a login was revoked.
    public static let permissionRevoked = Self(rawValue: "permission.revoked")
    /// The subject of a login was replaced.
    public static let identityRekeyed = Self(rawValue: "identity.rekeyed")
    /// A login got another subject.
    public static let identityAliased = Self(rawValue: "identity.aliased")
    /// A login, or its address, belonged to another account.
    public static let identityConflict = Self(rawValue: "identity.conflict")
    /// An attempt or token that can be used once was presented again.
    public static let nonceReplayed = Self(rawValue: "nonce.replayed")
    /// The account's e-mail address changed or was removed, also because another account has verified an unverified
    /// one.
    public static let emailChanged = Self(rawValue: "email.changed")
    /// The e-mail address was verified.
    public static let emailVerified = Self(rawValue: "email.verified")
    /// The password was set or changed in a session.
    public static let passwordChanged = Self(rawValue: "password.changed")
    /// The password was reset by e-mail.
    public static let passwordReset = Self(rawValue: "password.reset")
    /// The user changed the name or the picture.
    public static let profileChanged = Self(rawValue: "profile.changed")
    /// The account was given to the user who has verified its e-mail address.
    public static let policyEvicted = Self(rawValue: "policy.evicted")
    /// A session was opened.
    public static let sessionOpened = Self(rawValue: "session.opened")
    /// A session got new tokens because its rights changed.
    ///
    /// A refresh is not recorded.
    public static let sessionExtended = Self(rawValue: "session.extended")
    /// The user of a session was reauthenticated.
    public static let sessionReauthenticated = Self(rawValue: "session.reauthenticated")
    /// A session was raised to level 2.
    public static let sessionSteppedUp = Self(rawValue: "session.stepped-up")
    /// A session was closed; `reason` is the reason.
    public static let sessionClosed = Self(rawValue: "session.closed")
    /// A refresh token was reused after it had been replaced.
    public static let refreshReused = Self(rawValue: "refresh.reused")
    /// A second factor was enrolled.
    public static let secondFactorEnrolled = Self(rawValue: "second-factor.enrolled")
    /// A second factor was removed.
    public static let secondFactorRemoved = Self(rawValue: "second-factor.removed")
    /// A second factor was required.
    public static let secondFactorRequired = Self(rawValue: "second-factor.required")
    /// A second factor was verified.
    public static let secondFactorPassed = Self(rawValue: "second-factor.passed")
    /// A second factor was wrong.
    public static let secondFactorFailed = Self(rawValue: "second-factor.failed")
    /// Second factors were locked after too many wrong ones.
    public static let secondFactorLocked = Self(rawValue: "second-factor.locked")
    /// Recovery codes were generated.
    public static let recoveryCodesMade = Self(rawValue: "recovery-codes.made")
    /// A recovery code was used.
    public static let recoveryCodeUsed = Self(rawValue: "recovery-code.used")

    /// An operator changed a setting at run time: `tweak` is the setting, `from` and `to` are its values, `by` is the
    /// operator.
    public static let tweakChanged = Self(rawValue: "tweak.changed")
    /// A setting was reset to the value of the configuration.
    public static let tweakReset = Self(rawValue: "tweak.reset")
    /// An operator started an operation.
    public static let tweakAction = Self(rawValue: "tweak.action")

    /// All actions that this version records.
    public static let all: [Self] = [
        .accountCreated, .accountUpgraded, .accountDisabled, .accountEnabled, .accountDeleted, .accountMerged,
        .identityLinked, .identityUnlinked, .identityRevoked, .permissionRevoked, .identityRekeyed, .identityAliased,
        .identityConflict, .nonceReplayed, .emailChanged, .emailVerified, .passwordChanged, .passwordReset,
        .profileChanged, .policyEvicted, .sessionOpened, .sessionExtended, .sessionReauthenticated,
        .sessionSteppedUp, .sessionClosed, .refreshReused, .secondFactorEnrolled, .secondFactorRemoved,
        .secondFactorRequired, .secondFactorPassed, .secondFactorFailed, .secondFactorLocked, .recoveryCodesMade,
        .recoveryCodeUsed, .tweakChanged, .tweakReset, .tweakAction,
    ]

    /// The actor without a session, unless one is given: usually the user who has just been authenticated.
    var actorWithoutSession: AuthEvent.Actor {
        switch self {
        case .accountDisabled, .accountEnabled, .accountDeleted, .identityRevoked, .permissionRevoked,
            .identityRekeyed, .identityAliased, .tweakChanged, .tweakReset, .tweakAction:
            .service
        case .identityConflict, .nonceReplayed: .stranger
        default: .user
        }
    }
}
