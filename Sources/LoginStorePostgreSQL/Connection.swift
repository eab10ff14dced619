// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if PostgreSQL
internal import CLoginPostgreSQL
internal import LoginAccounts

/// A connection to the server.
///
/// It blocks while it waits for results, so it is used on threads that may block. One thread at a time uses it, so it
/// is not `Sendable`.
@safe final class Connection {
    private let handle: OpaquePointer
    private var statements = StatementCache()

    /// Whether the state that is bound to the connection may be invalid, so that it is not used for another
    /// transaction.
    private var isSpent = false

    /// The statements of one use.
    enum Scope {
        /// A transaction that may write.
        case write
        /// A transaction that may write, and create the schema.
        case migration
        /// A transaction that reads one snapshot.
        case read
        /// One statement that reads, without a transaction.
        case statement
    }

    /// Whether the transaction is read-only.
    private var isReading = false

    /// The timeout of what a working server answers at once: to set up the session, to begin, to roll back, and to read
    /// without a transaction.
    let promptTimeout: Duration

    /// The timeout of the response to a statement or a commit, after which the connection is abandoned.
    ///
    /// A server that responds ends a statement earlier, at ``PostgreSQLTimeouts/statement``.
    private let responseTimeout: Duration

    /// The time that the server has, beyond its own timeout, to report that a statement was cancelled.
    static let cancellationMargin = Duration.seconds(5)

    /// Connects, and sets the session's parameters.
    ///
    /// - Parameters:
    ///   - settings: The settings.
    ///   - isMigrating: Whether the schema may be missing. The connection is then used for one transaction only.
    /// - Throws: ``StoreError``: `unavailable`; `schema` if the encoding of the database is not UTF8, or the schema
    ///   cannot be used.
    init(_ settings: ConnectionSettings, isMigrating: Bool) throws(StoreError) {
        promptTimeout = settings.timeouts.connecting
        responseTimeout = settings.timeouts.statement + Self.cancellationMargin
        let clock = ContinuousClock()
        let began = clock.now
        guard let handle = unsafe settings.connect() else { throw StoreError(.unavailable, "out of memory") }
        unsafe self.handle = unsafe handle
        guard unsafe PQstatus(handle) == CONNECTION_OK else {
            // The message of libpq may contain a part of the password, if the password was parsed as the host.
            throw settings.whyNot(after: clock.now - began)
        }
        unsafe CLogin_PQ_ignore_notices(handle)
        // In blocking mode, sending would wait without limit for a server that does not read.
        guard unsafe PQsetnonblocking(handle, 1) == 0 else { throw StoreError(.unavailable, "the connection was lost") }
        let encoding = unsafe PQparameterStatus(handle, "server_encoding").map { unsafe String(cString: $0) }
        guard encoding == "UTF8" else {
            throw StoreError(.schema, "the database is of the encoding \(encoding ?? "?"), and must be UTF8")
        }
        for (name, value) in settings.session {
            try run(
                "SELECT pg_catalog.set_config($1, $2, false)",
                [.text(name), .text(value)],
                within: promptTimeout
            )
        }
        // A stricter setting, which also waits for a standby, is left unchanged.
        try run(
            "SELECT pg_catalog.set_config('synchronous_commit', 'on', false)"
                + " WHERE pg_catalog.current_setting('synchronous_commit') = 'off'",
            [],
            within: promptTimeout
        )
        isSpent = try !hasSchema(settings.schema)
        if isSpent, !isMigrating {
            throw StoreError(
                .schema,
                "the schema \(ConnectionSettings.quoted(settings.schema)) is missing: has the store been migrated?"
            )
        }
    }

    /// Returns whether a schema exists.
    ///
    /// The server skips a schema that the role may not use, and would create tables in the next one of the search path,
    /// which is that of temporary tables.
    ///
    /// - Throws: ``StoreError``: `schema` if the role may not use it.
    func hasSchema(_ schema: String) throws(StoreError) -> Bool {
        let found = try run(
            "SELECT pg_catalog.has_schema_privilege(oid, 'USAGE') AS usable FROM pg_catalog.pg_namespace"
                + " WHERE nspname = $1",
            [.text(schema)],
            within: promptTimeout
        )
        guard let usable = found.first?.values["usable"] else { return false }
        guard usable == .integer(1) else {
            let name = ConnectionSettings.quoted(schema)
            throw StoreError(.schema, "the role lacks the privilege USAGE on the schema \(name): grant it")
        }
        return true
    }

    deinit {
        unsafe PQfinish(handle)
    }

    /// Whether a transaction has begun and has not failed.
    var isInTransaction: Bool { unsafe PQtransactionStatus(handle) == PQTRANS_INTRANS }

    /// Whether the connection can be used for another transaction.
    var isReusable: Bool { unsafe !isSpent && isConnected && PQtransactionStatus(handle) == PQTRANS_IDLE }

    var isConnected: Bool { unsafe PQstatus(handle) == CONNECTION_OK }

    // MARK: - Transactions

    func begin(_ scope: Scope = .write) throws(StoreError) {
        isReading = scope == .read
        switch scope {
        case .write, .migration: _ = try command("BEGIN ISOLATION LEVEL READ COMMITTED", within: promptTimeout)
        case .read: _ = try command("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", within: promptTimeout)
        case .statement: break
        }
    }

    /// Commits the transaction.
    ///
    /// - Throws: ``StoreError``. The detail of `unavailable` says whether the transaction may have been committed.
    func commit() throws(StoreError) {
        let tag: String
        do throws(StoreError) {
            tag = try command("COMMIT", within: responseTimeout)
        } catch  where error.code == .unavailable {
            throw StoreError(
                .unavailable,
                "the response to the commit was lost, so it may have been written: \(error.detail)"
            )
        }
        guard tag == "COMMIT" else { throw StoreError(.busy, "the server rolled the transaction back") }
    }

    /// Rolls the transaction back.
    ///
    /// If that fails, the connection is not reusable, and closing it rolls the transaction back.
    func rollback() {
        _ = try? command("ROLLBACK", within: promptTimeout)
    }

    /// Runs a constant command without values.
    private func command(_ text: String, within timeout: Duration) throws(StoreError) -> String {
        let result = try unsafe ask(within: timeout) { unsafe PQsendQuery(handle, text) }
        defer { unsafe PQclear(result) }
        try unsafe check(result)
        return unsafe String(cString: PQcmdStatus(result))
    }

    // MARK: - Statements

    /// Runs a statement with values.
    ///
    /// The server prepares it the first time.
    ///
    /// - Parameters:
    ///   - statement: The statement.
    ///   - values: The values, in the order of their placeholders.
    ///   - limit: The timeout, which applies to the preparation and to the execution separately; nil for the default.
    /// - Returns: The rows.
    /// - Throws: ``StoreError``
    @discardableResult
    func run(_ statement: String, _ values: [StoreValue], within limit: Duration? = nil) throws(StoreError)
        -> [StoreRow]
    {
        let timeout = limit ?? responseTimeout
        let parameters = try Parameters(values)
        let name = try prepare(statement, parameters, within: timeout)
        let result = try unsafe ask(within: timeout) {
            unsafe parameters.withPointers { pointers, lengths, formats in
                // Results are in text format, in which every type can be read.
                unsafe PQsendQueryPrepared(handle, name, Int32(values.count), pointers, lengths, formats, 0)
            }
        }
        defer { unsafe PQclear(result) }
        try unsafe check(result)
        return try unsafe ResultReader(result).rows()
    }

    private func prepare(_ statement: String, _ parameters: Parameters, within timeout: Duration) throws(StoreError)
        -> String
    {
        guard !statement.utf8.contains(0) else { throw StoreError(.constraint, "a statement holds NUL") }
        let key = StatementCache.Key(text: Array(statement.utf8), types: parameters.types)
        if let name = statements.name(of: key) { return name }
        if let leaving = statements.leaving { _ = try command("DEALLOCATE \(leaving)", within: timeout) }
        statements.removeLeaving()
        let name = statements.newName()
        let result = try unsafe ask(within: timeout) {
            unsafe PQsendPrepare(handle, name, statement, Int32(parameters.types.count), parameters.types)
        }
        defer { unsafe PQclear(result) }
        try unsafe check(result)
        statements.add(name, for: key)
        return name
    }

    // MARK: - Answers

    /// Sends a request, and returns the last of its results; nil if it could not be sent.
    ///
    /// The blocking calls of libpq wait as long as the connection exists, even if the server is stalled. After a
    /// timeout the connection is marked as unusable.
    private func ask(within timeout: Duration, _ send: () -> Int32) throws(StoreError) -> OpaquePointer? {
        guard send() == 1 else { return nil }
        let deadline = ContinuousClock.now + timeout
        var last: OpaquePointer?
        while true {
            do throws(StoreError) {
                try awaitResult(until: deadline)
            } catch {
                unsafe PQclear(last)
                throw error
            }
            guard let next = unsafe PQgetResult(handle) else { return unsafe last }
            let isFurther = unsafe last != nil
            unsafe PQclear(last)
            unsafe last = unsafe next
            // A COPY that has begun would be reported again and again.
            switch unsafe PQresultStatus(next) {
            case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH: return unsafe last
            default: break
            }
            // A server that sends results without end sends each in time, so the deadline applies to further results
            // too. The first result is kept.
            if isFurther, .now >= deadline {
                unsafe PQclear(last)
                throw tooLate()
            }
        }
    }

    /// Waits until a result is available, or the connection is found to be broken.
    private func awaitResult(until deadline: ContinuousClock.Instant) throws(StoreError) {
        while true {
            let flushed = unsafe PQflush(handle)
            guard flushed >= 0, unsafe PQconsumeInput(handle) == 1, unsafe PQisBusy(handle) == 1 else { return }
            // TLS may buffer the rest of a record that was read in part, which the socket does not report.
            if unsafe PQsslInUse(handle) == 1 {
                guard unsafe PQconsumeInput(handle) == 1, unsafe PQisBusy(handle) == 1 else { return }
            }
            let left = deadline - .now
            guard left > .zero else { throw tooLate() }
            // Waiting in intervals finds within a second what no event reports.
            let milliseconds = min(left, .seconds(1)) / .milliseconds(1)
            unsafe CLogin_PQ_wait(handle, flushed, Int32(milliseconds.rounded(.up)))
        }
    }

    private func tooLate() -> StoreError {
        isSpent = true
        return StoreError(.unavailable, "the server is connected, but does not respond in time")
    }

    private func check(_ result: OpaquePointer?) throws(StoreError) {
        switch unsafe PQresultStatus(result) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY:
            return
        case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH:
            isSpent = true
            throw StoreError(.constraint, "COPY statements are not supported")
        default:
            let state = unsafe SQLState(CLogin_PQ_sqlstate(result).map { unsafe String(cString: $0) })
            if isReading, state.saysReadOnly { throw StoreError(.constraint, "a read-only transaction cannot write") }
            if state.spendsConnection || !isConnected { isSpent = true }
            let places = unsafe [CLogin_PQ_table(result), CLogin_PQ_constraint(result)]
            let names = unsafe places.compactMap { unsafe $0.map { unsafe String(cString: $0) } }
            throw state.error(names: names, isConnected: isConnected)
        }
    }
}

@available(*, unavailable)
extension Connection: Sendable {}
#endif
