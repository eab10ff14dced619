// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders

/// A type of values that a column can hold.
package protocol ColumnValue: Sendable {
    /// The kind of the column.
    static var kind: StoreColumn.Kind { get }

    /// Whether the column may be null.
    static var isNullable: Bool { get }

    /// Creates a value from its stored form; nil if that has another kind or no meaning.
    init?(stored: StoreValue)

    /// The stored form.
    var stored: StoreValue { get }
}

extension ColumnValue {
    package static var isNullable: Bool { false }
}

extension String: ColumnValue {
    package static var kind: StoreColumn.Kind { .text }

    package init?(stored: StoreValue) {
        guard case .text(let text) = stored else { return nil }
        self = text
    }

    package var stored: StoreValue { .text(self) }
}

extension Int64: ColumnValue {
    package static var kind: StoreColumn.Kind { .integer }

    package init?(stored: StoreValue) {
        guard case .integer(let integer) = stored else { return nil }
        self = integer
    }

    package var stored: StoreValue { .integer(self) }
}

extension Bool: ColumnValue {
    package static var kind: StoreColumn.Kind { .integer }

    package init?(stored: StoreValue) {
        guard case .integer(let integer) = stored else { return nil }
        self = integer != 0
    }

    package var stored: StoreValue { .integer(self ? 1 : 0) }
}

extension StoreTime: ColumnValue {
    package static var kind: StoreColumn.Kind { .integer }

    package init?(stored: StoreValue) {
        guard case .integer(let milliseconds) = stored else { return nil }
        self.init(milliseconds: milliseconds)
    }

    package var stored: StoreValue { .integer(milliseconds) }
}

extension Optional: ColumnValue where Wrapped: ColumnValue {
    package static var kind: StoreColumn.Kind { Wrapped.kind }
    package static var isNullable: Bool { true }

    package init?(stored: StoreValue) {
        if case .null = stored {
            self = .none
        } else {
            guard let wrapped = Wrapped(stored: stored) else { return nil }
            self = wrapped
        }
    }

    package var stored: StoreValue { self?.stored ?? .null }
}

// MARK: - Values as texts

/// A type of values that a column holds as texts.
protocol TextColumnValue: ColumnValue {
    init?(storedText: String)
    var storedText: String { get }
}

extension TextColumnValue {
    package static var kind: StoreColumn.Kind { .text }

    package init?(stored: StoreValue) {
        guard case .text(let text) = stored else { return nil }
        self.init(storedText: text)
    }

    package var stored: StoreValue { .text(storedText) }
}

extension TextColumnValue where Self: RawRepresentable<String> {
    init?(storedText: String) { self.init(rawValue: storedText) }
    var storedText: String { rawValue }
}

extension AccountID: TextColumnValue {}
extension SessionID: TextColumnValue {}
extension ProviderID: TextColumnValue {}

extension PreviousToken: TextColumnValue {
    init?(storedText: String) {
        guard let token: Self = try? JSONText.decode(storedText) else { return nil }
        self = token
    }

    var storedText: String { text }
}

// MARK: - Arrays

/// A type of elements of an array that a column holds.
package protocol ColumnElement: Sendable {
    static var arrayKind: StoreColumn.Kind { get }
    static func array(stored: StoreValue) -> [Self]?
    static func stored(_ array: [Self]) -> StoreValue
}

extension Array: ColumnValue where Element: ColumnElement {
    package static var kind: StoreColumn.Kind { Element.arrayKind }

    package init?(stored: StoreValue) {
        guard let array = Element.array(stored: stored) else { return nil }
        self = array
    }

    package var stored: StoreValue { Element.stored(self) }
}

extension UInt8: ColumnElement {
    package static var arrayKind: StoreColumn.Kind { .bytes }

    package static func array(stored: StoreValue) -> [UInt8]? {
        if case .bytes(let bytes) = stored { bytes } else { nil }
    }

    package static func stored(_ array: [UInt8]) -> StoreValue { .bytes(array) }
}

extension ProvenMethod: ColumnElement {
    package static var arrayKind: StoreColumn.Kind { .text }

    package static func array(stored: StoreValue) -> [ProvenMethod]? {
        if case .text(let text) = stored { try? [ProvenMethod](text: text) } else { nil }
    }

    package static func stored(_ array: [ProvenMethod]) -> StoreValue { .text(array.text) }
}
