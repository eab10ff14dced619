// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if PostgreSQL
internal import CLoginPostgreSQL
internal import LoginAccounts

/// The parameters of connections, and their settings.
struct ConnectionSettings: Sendable {
    let connection: String
    let schema: String
    let timeouts: PostgreSQLTimeouts

    /// Checks that libpq can parse the connection string, and that the schema is not one of PostgreSQL's own.
    ///
    /// The message of libpq is not passed on, because it quotes the string.
    ///
    /// - Throws: ``StoreError``: `unavailable`; `schema` for a reserved name.
    func check() throws(StoreError) {
        // Tables in a temporary schema would end with their connection.
        guard !schema.utf8.starts(with: "pg_".utf8), schema != "information_schema" else {
            throw StoreError(.schema, "the schema \(Self.quoted(schema)) is PostgreSQL's own: name another")
        }
        let unreadable = StoreError(
            .unavailable,
            "the connection string cannot be read: it is postgresql://user@host/database, or \"host=... dbname=... user=...\""
        )
        guard !connection.utf8.contains(0) else { throw unreadable }
        var words: UnsafeMutablePointer<CChar>?
        let options = unsafe PQconninfoParse(connection, &words)
        unsafe PQfreemem(words)
        guard let options = unsafe options else { throw unreadable }
        unsafe PQconninfoFree(options)
    }

    /// Connects, and returns the connection in any state; nil if there is no memory.
    func connect() -> OpaquePointer? {
        unsafe withParameters { names, values in unsafe PQconnectdbParams(names, values, 1) }
    }

    /// Returns the error of a failed connection, without any part of the connection string.
    ///
    /// - Parameter elapsed: The duration of the attempt. After a long one, the server is not asked again for the
    ///   reason.
    /// - Returns: The error.
    func whyNot(after elapsed: Duration) -> StoreError {
        guard elapsed < .seconds(1) else {
            return StoreError(.unavailable, "the server does not respond in time")
        }
        let words =
            switch unsafe withParameters({ names, values in unsafe PQpingParams(names, values, 1) }) {
            case PQPING_OK:
                "the server responds, but refuses the connection; its log has the reason (role, password, database, TLS, or too many connections)"
            case PQPING_REJECT: "the server refuses connections: it is starting or stopping"
            case PQPING_NO_RESPONSE: "no server responds at the address in the connection string"
            default: "libpq does not accept an option of the connection string, or its value"
            }
        return StoreError(.unavailable, words)
    }

    /// The session parameters of every connection.
    var session: [(String, String)] {
        [
            // The first schema is ours, so that no role can shadow a table or function.
            ("search_path", "\(Self.quoted(schema)), pg_temp"),
            ("lock_timeout", milliseconds(timeouts.lock)),
            ("statement_timeout", milliseconds(timeouts.statement)),
            ("idle_in_transaction_session_timeout", milliseconds(timeouts.idleTransaction)),
            ("bytea_output", "hex"),
        ]
    }

    /// Returns a name as a quoted SQL identifier.
    static func quoted(_ name: String) -> String {
        "\"\(name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\""))\""
    }

    private func milliseconds(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        return "\(seconds * 1000 + attoseconds / 1_000_000_000_000_000)ms"
    }

    /// Calls `body` with the connection parameters.
    ///
    /// Parameters before `dbname` are overridden by the connection string; those after it are not.
    private func withParameters<Result>(
        _ body: ([UnsafePointer<CChar>?], [UnsafePointer<CChar>?]) -> Result
    ) -> Result {
        let seconds = max(2, timeouts.connecting.components.seconds)
        let parameters = [
            ("application_name", "limited-login"),
            ("connect_timeout", "\(seconds)"),
            // A server that disappears without closing the connection is noticed within half a minute.
            ("keepalives_idle", "10"), ("keepalives_interval", "5"), ("keepalives_count", "3"),
            ("tcp_user_timeout", "25000"),
            ("dbname", connection),
            ("client_encoding", "UTF8"),
        ]
        return unsafe withCStrings(parameters.map(\.0)) { names in
            unsafe withCStrings(parameters.map(\.1)) { values in unsafe body(names, values) }
        }
    }

    /// Calls `body` with the texts as C strings, with a null pointer after the last.
    private func withCStrings<Result>(
        _ texts: [String],
        _ body: ([UnsafePointer<CChar>?]) -> Result
    ) -> Result {
        let bytes = texts.map { $0.utf8.map { CChar(bitPattern: $0) } + [0] }
        let starts = bytes.indices.map { index in bytes[..<index].reduce(0) { $0 + $1.count } }
        return unsafe Array(bytes.joined()).withUnsafeBufferPointer { buffer in
            let pointers = unsafe starts.map { start in unsafe buffer.baseAddress.map { unsafe $0 + start } } + [nil]
            return unsafe body(pointers)
        }
    }
}
#endif
