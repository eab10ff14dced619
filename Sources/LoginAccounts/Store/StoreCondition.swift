// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// A condition on a row.
///
/// Conditions resolve races: a change that may happen once requires the previous state, and a transaction that finds no
/// such row has lost the race.
public struct StoreCondition: Sendable {
    /// A comparison of a column.
    public enum Comparison: Sendable {
        /// The value is equal, byte for byte.
        ///
        /// Null equals nothing.
        case equal(StoreValue)
        /// The integer is different.
        ///
        /// Null is not.
        case notEqual(Int64)
        /// The integer is less.
        case less(Int64)
        /// The integer is less or equal.
        case atMost(Int64)
        /// The integer is greater.
        case greater(Int64)
        /// The integer is greater or equal.
        case atLeast(Int64)
        /// The value is null.
        case null
        /// The value is not null.
        case notNull
    }

    /// The column.
    public let column: StoreColumn

    /// The comparison.
    public let comparison: Comparison
}

extension StoreColumn {
    package func equals(_ value: some ColumnValue) -> StoreCondition { equals(value.stored) }
    package func equals(_ integer: Int64) -> StoreCondition { equals(integer.stored) }
    package func equals(_ value: StoreValue) -> StoreCondition {
        StoreCondition(column: self, comparison: .equal(value))
    }
    package func differs(from integer: Int64) -> StoreCondition {
        StoreCondition(column: self, comparison: .notEqual(integer))
    }
    package func isLess(than integer: Int64) -> StoreCondition {
        StoreCondition(column: self, comparison: .less(integer))
    }
    package func isAtMost(_ integer: Int64) -> StoreCondition {
        StoreCondition(column: self, comparison: .atMost(integer))
    }
    package func isGreater(than integer: Int64) -> StoreCondition {
        StoreCondition(column: self, comparison: .greater(integer))
    }
    package func isAtLeast(_ integer: Int64) -> StoreCondition {
        StoreCondition(column: self, comparison: .atLeast(integer))
    }
    func isBefore(_ time: StoreTime) -> StoreCondition { isLess(than: time.milliseconds) }
    func isAfter(_ time: StoreTime) -> StoreCondition { isGreater(than: time.milliseconds) }
    package var isNull: StoreCondition { StoreCondition(column: self, comparison: .null) }
    package var isNotNull: StoreCondition { StoreCondition(column: self, comparison: .notNull) }
}

/// A change of a column.
public struct StoreChange: Sendable {
    /// An operation on a value.
    public enum Operation: Sendable {
        /// Sets the value.
        case set(StoreValue)
        /// Adds to the integer.
        case add(Int64)
    }

    /// The column.
    public let column: StoreColumn

    /// The operation.
    public let operation: Operation
}

extension StoreColumn {
    package func becomes(_ value: StoreValue) -> StoreChange { StoreChange(column: self, operation: .set(value)) }
    package func becomes(_ value: some ColumnValue) -> StoreChange { becomes(value.stored) }
    package func becomes(_ integer: Int64) -> StoreChange { becomes(integer.stored) }
    package func grows(by integer: Int64) -> StoreChange { StoreChange(column: self, operation: .add(integer)) }
}

/// The order of rows.
public struct StoreOrder: Sendable {
    /// The column.
    public let column: StoreColumn

    /// Whether the greatest value comes first.
    public let isDescending: Bool

    /// The second column, ascending, for rows that are equal in the first.
    public let tieBreaker: StoreColumn?

    package static func ascending(_ column: StoreColumn, then tieBreaker: StoreColumn? = nil) -> Self {
        Self(column: column, isDescending: false, tieBreaker: tieBreaker)
    }

    package static func descending(_ column: StoreColumn, then tieBreaker: StoreColumn? = nil) -> Self {
        Self(column: column, isDescending: true, tieBreaker: tieBreaker)
    }
}
