// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
public import LoginAccounts
public import Tweaks

/// A persistence of tweaks in the store of accounts, for all servers that share it.
///
/// The audit records each change and each action with its author.
///
/// ```swift
/// let tweaks = Tweaks(persistence: AccountTweaks(auth))
/// ```
public struct AccountTweaks: TweakPersistence {
    private let auth: Auth

    /// Creates the persistence.
    ///
    /// - Parameter auth: The accounts.
    public init(_ auth: Auth) {
        self.auth = auth
    }

    /// Returns the number of changes by all servers.
    public func revision() async throws(TweakError) -> Int64 {
        do throws(AuthError) { return try await auth.tweakRevision() } catch { throw TweakError(error) }
    }

    /// Returns the overrides, from one snapshot.
    public func load() async throws(TweakError) -> TweakOverrides {
        do throws(AuthError) {
            return TweakOverrides(try await auth.storedTweaks())
        } catch {
            throw TweakError(error)
        }
    }

    /// Sets or resets one tweak.
    public func set(_ id: String, to value: String?, expecting revision: Int64, by author: String)
        async throws(TweakError)
    {
        let writing: TweakWriting
        do throws(AuthError) {
            writing = try await auth.setTweak(id, to: value, expecting: revision, by: author)
        } catch {
            throw TweakError(error)
        }
        if writing == .overtaken { throw TweakError.overtaken }
    }

    /// Sets or resets several tweaks.
    public func set(_ values: [String: String?], expecting revision: Int64, by author: String)
        async throws(TweakError)
    {
        let writing: TweakWriting
        do throws(AuthError) {
            writing = try await auth.setTweaks(values, expecting: revision, by: author)
        } catch {
            throw TweakError(error)
        }
        if writing == .overtaken { throw TweakError.overtaken }
    }

    /// Records in the audit that an operator runs an action.
    public func recordAction(_ id: String, by author: String) async throws(TweakError) {
        do throws(AuthError) { try await auth.recordTweakAction(id, by: author) } catch { throw TweakError(error) }
    }

    /// Returns the audit entries of tweaks, newest first.
    public func history(limit: Int) async throws(TweakError) -> [TweakChange] {
        do throws(AuthError) {
            return try await auth.tweakHistory(limit: limit).map { TweakChange($0) }
        } catch {
            throw TweakError(error)
        }
    }
}

extension TweakError {
    fileprivate init(_ error: AuthError) {
        self.init(.store, "\(error.code)")
    }
}

extension TweakOverrides {
    fileprivate init(_ stored: StoredTweaks) {
        let tweaks = stored.tweaks.mapValues { tweak in
            TweakOverride(
                id: tweak.id,
                value: tweak.value,
                changedAt: tweak.changedAt,
                changedBy: tweak.changedBy,
                revision: tweak.revision
            )
        }
        self.init(revision: stored.revision, tweaks: tweaks)
    }
}

extension TweakChange {
    fileprivate init(_ event: AuthEvent) {
        let kind: Kind =
            switch event.action {
            case .tweakAction: .action
            case .tweakReset: .reset
            default: .set
            }
        let subject = event.subject
        self.init(
            kind,
            id: subject["tweak"] ?? "",
            from: subject["from"],
            to: subject["to"],
            at: event.at,
            by: subject["by"] ?? ""
        )
    }
}
#endif
