// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if PostgreSQL
internal import LoginAccounts

/// The SQLSTATE of a server's error: five characters, independent of the language.
///
/// https://www.postgresql.org/docs/current/errcodes-appendix.html
struct SQLState {
    private let state: String

    /// Creates a state.
    ///
    /// - Parameter state: The five characters; nil if the server reported none.
    init(_ state: String?) {
        self.state = state ?? ""
    }

    /// Whether the connection must not be used again: its prepared statements are of changed tables, or the server no
    /// longer accepts writes, or is shutting down.
    var spendsConnection: Bool {
        state.isEmpty || ["0A000", "26000", "25006"].contains(state) || state.hasPrefix("08") || state.hasPrefix("57P")
    }

    /// Whether a statement was refused because the transaction or the server is read-only.
    var saysReadOnly: Bool { state == "25006" }

    /// Returns the error of the state.
    ///
    /// The server's message and detail are omitted, because they quote values of rows.
    ///
    /// - Parameters:
    ///   - names: The names of the table and the constraint, if the server reported them.
    ///   - isConnected: Whether the connection is still open.
    /// - Returns: The error.
    func error(names: [String], isConnected: Bool) -> StoreError {
        var detail = meaning
        if !isConnected || state.isEmpty { detail = "the connection to the server was lost; \(detail)" }
        if !state.isEmpty { detail += " (SQLSTATE \(state))" }
        if !names.isEmpty { detail += " in \(names.joined(separator: ", "))" }
        return StoreError(isConnected ? code : lostCode, detail)
    }

    /// An uncommitted transaction is rolled back with a lost connection, whatever the error was.
    private var lostCode: StoreError.Code { code == .busy ? .busy : .unavailable }

    private var code: StoreError.Code {
        switch state {
        case "40002": .constraint
        case "40003": .unavailable
        case "0A000", "26000", "55P03", "55006": .busy
        case "42P01", "42703", "42883", "42501", "3F000": .schema
        case "57014", "25006": .unavailable
        case "XX001", "XX002": .damaged
        default:
            switch state.prefix(2) {
            case "40": .busy
            case "08", "53", "57", "58": .unavailable
            case "22", "23", "25", "42", "44", "54", "P0": .constraint
            default: .unavailable
            }
        }
    }

    private var meaning: String {
        switch state {
        case "40001", "40P01": "a conflict with another transaction"
        case "55P03": "lock timeout"
        case "0A000", "26000": "a prepared statement is outdated: the tables were changed"
        case "42P01", "42703", "42883", "3F000":
            "a table, a column or a function is missing: has the store been migrated?"
        case "42501": "the role lacks a privilege"
        case "57014": "a statement took too long"
        case "25006": "the server is read-only: it is a standby, or configured so"
        case "23505": "a key exists already"
        case "23503": "a row that is referred to is missing"
        case "23502", "23514": "a row violates a constraint"
        case "25P03": "the transaction was idle for too long"
        case "":
            "no details"
        default:
            switch state.prefix(2) {
            case "53": "the server is out of resources (disk, memory or connections)"
            case "57": "the server is stopping, or ended the connection"
            case "08": "the connection was lost"
            case "22": "a value has the wrong type, or is out of range"
            default: "the server refused a statement"
            }
        }
    }
}
#endif
