// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTokens

/// The hooks of a transaction.
struct BoundHooks {
    let hooks: AnyAuthHooks?
    let rows: any StoreTransaction
    let clock: any WallClock

    /// The maximum time of a hook: others wait for the account meanwhile, and with SQLite for the store.
    private static let longest = Duration.seconds(5)

    /// Runs the hook of a call, if the application has hooks.
    ///
    /// - Throws: ``AuthError``: the error of the hook as its reason; `internal-error` if the store's transactions have
    ///   another type, or if the hook took too long. ``StoreError`` with `busy`, after which everything runs again.
    func run(_ call: AnyAuthHooks.Call) throws {
        guard let hooks else { return }
        let latest = StoreTime(clock.now) + Self.longest
        do {
            try hooks.run(call, rows)
        } catch let error as AuthError {
            throw error
        } catch let error as StoreError where error.code == .busy {
            throw error
        } catch {
            throw AuthError(.application(error), "a hook of the application threw \(type(of: error))")
        }
        guard StoreTime(clock.now) <= latest else {
            throw AuthError(.internalError, "a hook of the application exceeded its time limit")
        }
    }
}
