// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The end of a transaction that is not rolled back.
///
/// A transaction ends in one of four ways. It returns `commit` or `commitRefusal`, and its writes are committed. It
/// throws an ``AuthError``, and it is rolled back. It throws a ``Replay``, it is rolled back, and the replay is
/// recorded.
enum TransactionEnding<Value> {
    /// Commits the writes, and returns the value.
    case commit(Value)
    /// Commits the writes, and refuses the operation: for example, a guess was counted, a pending credential was
    /// stored, or a session was closed.
    case commitRefusal(AuthError)

    /// Returns the value.
    ///
    /// - Throws: The refusal.
    func get() throws(AuthError) -> Value {
        switch self {
        case .commit(let value): return value
        case .commitRefusal(let error): throw error
        }
    }

    /// Returns the same ending with another value.
    func map<Other>(_ transform: (Value) throws -> Other) rethrows -> TransactionEnding<Other> {
        switch self {
        case .commit(let value): .commit(try transform(value))
        case .commitRefusal(let error): .commitRefusal(error)
        }
    }
}

extension TransactionEnding: Sendable where Value: Sendable {}
