// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// What happened to an account, or to the service, by a name that stays.
///
/// docs/guides/accounts.md says of each what it means.
public struct AuditAction: RawRepresentable, Sendable, Hashable, Codable, ExpressibleByStringLiteral,
    CustomStringConvertible
{
    /// The name, as the audit has it.
    public let rawValue: String

    /// An action by its name.
    ///
    /// - Parameter rawValue: Any name; those that this version writes are constants.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// An action by its name.
    ///
    /// - Parameter name: Any name; those that this version writes are constants.
    public init(stringLiteral name: String) { self.init(rawValue: name) }

    /// The name.
    public var description: String { rawValue }

    /// An account was made; `provider` says by which login, if any.
    public static let accountCreated = Self(rawValue: "account.created")
    /// An anonymous account got its first login.
    public static let accountUpgraded = Self(rawValue: "account.upgraded")
    /// Nobody signs in to an account until it is enabled.
    public static let accountDisabled = Self(rawValue: "account.disabled")
    /// An account is open again.
    public static let accountEnabled = Self(rawValue: "account.enabled")
    /// An account was deleted.
    public static let accountDeleted = Self(rawValue: "account.deleted")
    /// Two accounts became one: written for both.
    public static let accountMerged = Self(rawValue: "account.merged")
    /// A login joined an account.
    public static let identityLinked = Self(rawValue: "identity.linked")
    /// A login left an account.
    public static let identityUnlinked = Self(rawValue: "identity.unlinked")
    /// A login was taken back by its provider.
    public static let identityRevoked = Self(rawValue: "identity.revoked")
    /// One permission of a login was taken back.
    public static let permissionRevoked = Self(rawValue: "permission.revoked")
    /// A provider calls somebody otherwise.
    public static let identityRekeyed = Self(rawValue: "identity.rekeyed")
    /// A provider calls somebody otherwise too.
    public static let identityAliased = Self(rawValue: "identity.aliased")
    /// A login, or its address, was another account's.
    public static let identityConflict = Self(rawValue: "identity.conflict")
    /// What counts once came for the second time.
    public static let nonceReplayed = Self(rawValue: "nonce.replayed")
    /// The account has another e-mail address, or none any longer: also where another account has proven the one that it only named.
    public static let emailChanged = Self(rawValue: "email.changed")
    /// The e-mail address was proven.
    public static let emailVerified = Self(rawValue: "email.verified")
    /// The password was set, or changed, in a session.
    public static let passwordChanged = Self(rawValue: "password.changed")
    /// The password was set by who reads the e-mail.
    public static let passwordReset = Self(rawValue: "password.reset")
    /// The person chose another name or picture.
    public static let profileChanged = Self(rawValue: "profile.changed")
    /// The account was given to the one who has proven its address.
    public static let policyEvicted = Self(rawValue: "policy.evicted")
    /// A session began.
    public static let sessionOpened = Self(rawValue: "session.opened")
    /// A session got new tokens since something changed; a refresh is not written down.
    public static let sessionExtended = Self(rawValue: "session.extended")
    /// The person of a session was proven anew.
    public static let sessionReauthenticated = Self(rawValue: "session.reauthenticated")
    /// A session reached level 2.
    public static let sessionSteppedUp = Self(rawValue: "session.stepped-up")
    /// A session ended, for a `reason`.
    public static let sessionClosed = Self(rawValue: "session.closed")
    /// A refresh token came again that had been replaced long before.
    public static let refreshReused = Self(rawValue: "refresh.reused")
    /// An account got a second factor.
    public static let secondFactorEnrolled = Self(rawValue: "second-factor.enrolled")
    /// An account lost a second factor.
    public static let secondFactorRemoved = Self(rawValue: "second-factor.removed")
    /// A second factor was asked for.
    public static let secondFactorRequired = Self(rawValue: "second-factor.required")
    /// A second factor was right.
    public static let secondFactorPassed = Self(rawValue: "second-factor.passed")
    /// A second factor was wrong.
    public static let secondFactorFailed = Self(rawValue: "second-factor.failed")
    /// A second factor was wrong too often.
    public static let secondFactorLocked = Self(rawValue: "second-factor.locked")
    /// There are new recovery codes.
    public static let recoveryCodesMade = Self(rawValue: "recovery-codes.made")
    /// A recovery code was used.
    public static let recoveryCodeUsed = Self(rawValue: "recovery-code.used")

    /// A setting of the service was changed while it ran: `tweak` says which, `from` and `to` its value, `by` who did it.
    public static let tweakChanged = Self(rawValue: "tweak.changed")
    /// A setting is again what the configuration says.
    public static let tweakReset = Self(rawValue: "tweak.reset")
    /// An operator had the service do something.
    public static let tweakAction = Self(rawValue: "tweak.action")

    /// All that this version writes.
    public static let all: [Self] = [
        .accountCreated, .accountUpgraded, .accountDisabled, .accountEnabled, .accountDeleted, .accountMerged,
        .identityLinked, .identityUnlinked, .identityRevoked, .permissionRevoked, .identityRekeyed, .identityAliased,
        .identityConflict, .nonceReplayed, .emailChanged, .emailVerified, .passwordChanged, .passwordReset,
        .profileChanged, .policyEvicted, .sessionOpened, .sessionExtended, .sessionReauthenticated,
        .sessionSteppedUp, .sessionClosed, .refreshReused, .secondFactorEnrolled, .secondFactorRemoved,
        .secondFactorRequired, .secondFactorPassed, .secondFactorFailed, .secondFactorLocked, .recoveryCodesMade,
        .recoveryCodeUsed, .tweakChanged, .tweakReset, .tweakAction,
    ]

    /// Who does it, where nothing else says so and there is no session: most is done by who has just been proven.
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
