// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// Hooks for the transactions of any store.
struct AnyAuthHooks: Sendable {
    /// A call of one of the hooks.
    enum Call: Sendable {
        /// The call of ``AuthHooks/onSignIn``.
        case signIn(AuthDataResult)
        /// The call of ``AuthHooks/onLink``.
        case link(AuthDataResult)
        /// The call of ``AuthHooks/onMerge``.
        case merge(AccountMerge)
    }

    /// Runs the hook of a call.
    ///
    /// It throws the error of the hook; or ``AuthError`` with `internal-error` if the store's transactions have another
    /// type.
    let run: @Sendable (Call, any StoreTransaction) throws -> Void

    init<Transaction>(_ hooks: AuthHooks<Transaction>) {
        run = { call, rows in
            guard let typed = rows as? Transaction else {
                throw AuthError(
                    .internalError,
                    "the hooks expect \(Transaction.self), but the store has \(type(of: rows)); nothing was written"
                )
            }
            switch call {
            case .signIn(let result): try hooks.onSignIn(result, typed)
            case .link(let result): try hooks.onLink(result, typed)
            case .merge(let merge): try hooks.onMerge(merge, typed)
            }
        }
    }
}
