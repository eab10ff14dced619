// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// How a transaction ends that is not rolled back.
///
/// A transaction ends in one of four ways. It returns `commit`, or `commitRefusal`, and its writes are kept. It throws an ``AuthError``,
/// and nothing is kept. It throws a ``Replay``, and nothing is kept but the record of it.
enum TransactionEnding<Value> {
    /// Commits the writes, and returns the value.
    case commit(Value)
    /// Commits the writes, and refuses the operation: a guess that was counted, a credential that waits, a session that was closed.
    case commitRefusal(AuthError)

    /// The value.
    ///
    /// - Throws: The refusal.
    func get() throws(AuthError) -> Value {
        switch self {
        case .commit(let value): return value
        case .commitRefusal(let error): throw error
        }
    }

    /// The same ending with another value.
    func map<Other>(_ transform: (Value) throws -> Other) rethrows -> TransactionEnding<Other> {
        switch self {
        case .commit(let value): .commit(try transform(value))
        case .commitRefusal(let error): .commitRefusal(error)
        }
    }
}

extension TransactionEnding: Sendable where Value: Sendable {}
