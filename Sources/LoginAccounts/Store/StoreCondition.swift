// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// What must hold of a row for a statement to touch it.
///
/// Conditions are how races end: what may happen once is a change that asks for the state before it, and whoever finds no row
/// has lost.
public struct StoreCondition: Sendable {
    /// How a column is compared.
    public enum Comparison: Sendable {
        /// It holds this value, byte for byte; null equals nothing.
        case equal(StoreValue)
        /// It holds another integer than this one; null does not.
        case notEqual(Int64)
        /// It holds a smaller integer.
        case less(Int64)
        /// It holds this integer or a smaller one.
        case atMost(Int64)
        /// It holds a greater integer.
        case greater(Int64)
        /// It holds this integer or a greater one.
        case atLeast(Int64)
        /// It holds nothing.
        case null
        /// It holds something.
        case notNull
    }

    /// Which column.
    public let column: StoreColumn

    /// How it is compared.
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

/// How a statement changes a column.
public struct StoreChange: Sendable {
    /// What happens to the value.
    public enum Operation: Sendable {
        /// It becomes this one.
        case set(StoreValue)
        /// The integer grows by this much.
        case add(Int64)
    }

    /// Which column.
    public let column: StoreColumn

    /// What happens to its value.
    public let operation: Operation
}

extension StoreColumn {
    package func becomes(_ value: StoreValue) -> StoreChange { StoreChange(column: self, operation: .set(value)) }
    package func becomes(_ value: some ColumnValue) -> StoreChange { becomes(value.stored) }
    package func becomes(_ integer: Int64) -> StoreChange { becomes(integer.stored) }
    package func grows(by integer: Int64) -> StoreChange { StoreChange(column: self, operation: .add(integer)) }
}

/// In which order rows are returned, and how many.
public struct StoreOrder: Sendable {
    /// By which column.
    public let column: StoreColumn

    /// Whether the greatest comes first.
    public let isDescending: Bool

    /// A further column, ascending, for rows that are equal in the first.
    public let tieBreaker: StoreColumn?

    package static func ascending(_ column: StoreColumn, then tieBreaker: StoreColumn? = nil) -> Self {
        Self(column: column, isDescending: false, tieBreaker: tieBreaker)
    }

    package static func descending(_ column: StoreColumn, then tieBreaker: StoreColumn? = nil) -> Self {
        Self(column: column, isDescending: true, tieBreaker: tieBreaker)
    }
}
