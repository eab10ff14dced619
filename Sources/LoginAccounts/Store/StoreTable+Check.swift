// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

// Values that databases treat differently are refused for all stores before they reach one.
extension StoreTable {
    /// Checks that a row can be written to the table: known columns, values of the right kinds, and no missing value.
    ///
    /// - Throws: ``StoreError``: `constraint`.
    package func check(_ row: StoreRow) throws(StoreError) {
        var known = 0
        for column in columns {
            guard let value = row.values[column.name] else {
                try check(.null, for: column)
                continue
            }
            known += 1
            try check(value, for: column)
        }
        guard known == row.values.count else {
            throw StoreError(.constraint, "\(name) has no column of one of these names")
        }
    }

    /// Checks that changes can be made to the table.
    ///
    /// - Throws: ``StoreError``: `constraint`.
    package func check(_ changes: [StoreChange]) throws(StoreError) {
        guard !changes.isEmpty else { throw StoreError(.constraint, "a change of \(name) changes nothing") }
        for change in changes {
            switch change.operation {
            case .set(let value): try check(value, for: own(change.column))
            case .add: try check(.integer(0), for: own(change.column))
            }
        }
    }

    /// Checks that conditions have known columns, and values of the right kinds.
    ///
    /// - Throws: ``StoreError``: `constraint`.
    package func check(_ conditions: [StoreCondition]) throws(StoreError) {
        for condition in conditions {
            let column = try own(condition.column)
            switch condition.comparison {
            case .equal(.null), .null, .notNull: break
            case .equal(let value): try check(kindOf: value, for: column)
            case .notEqual, .less, .atMost, .greater, .atLeast: try check(kindOf: .integer(0), for: column)
            }
        }
    }

    private func own(_ column: StoreColumn) throws(StoreError) -> StoreColumn {
        guard let own = columns.first(where: { $0.name == column.name }) else {
            throw StoreError(.constraint, "\(name) has no column \(column.name)")
        }
        return own
    }

    private func check(_ value: StoreValue, for column: StoreColumn) throws(StoreError) {
        switch value {
        case .null:
            guard column.isNullable else { throw StoreError(.constraint, "\(name) needs a value of \(column.name)") }
        case .text(let text) where text.utf8.contains(0):
            // PostgreSQL does not accept it, and SQLite would truncate the text there.
            throw StoreError(.constraint, "a text for \(name).\(column.name) holds a NUL")
        default: try check(kindOf: value, for: column)
        }
    }

    private func check(kindOf value: StoreValue, for column: StoreColumn) throws(StoreError) {
        switch (value, column.kind) {
        case (.integer, .integer), (.text, .text), (.bytes, .bytes): break
        default: throw StoreError(.constraint, "\(name).\(column.name) holds another kind of value")
        }
    }
}
