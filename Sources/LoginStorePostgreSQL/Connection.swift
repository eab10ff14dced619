// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if PostgreSQL
internal import CLoginPostgreSQL
internal import LoginAccounts

/// One connection to the server.
///
/// It waits for answers, so it is used on threads that may wait; by one at a time, which is why it is not `Sendable`.
@safe final class Connection {
    private let handle: OpaquePointer
    private var statements = StatementCache()

    /// Set when what the connection is bound to may be wrong: it is not used for another transaction.
    private var isSpent = false

    /// Whether the transaction is one that may not write.
    private var isReading = false

    /// How long what takes no time may take: to begin and to take back.
    private let promptness: Duration

    /// How long a statement or a commit may take before the connection is given up.
    ///
    /// The server ends it earlier, at ``PostgreSQLTimeouts/statement``, unless it no longer does anything at all.
    private let patience: Duration

    /// What the server has, beyond its own timeout, to say that it was over.
    static let margin = Duration.seconds(5)

    /// Connects, and says how this connection is to behave.
    ///
    /// - Throws: ``StoreError``: `unavailable`, or `schema` where the database is of an encoding that cannot hold every text.
    init(_ settings: ConnectionSettings) throws(StoreError) {
        promptness = settings.timeouts.connecting
        patience = settings.timeouts.statement + Self.margin
        let clock = ContinuousClock()
        let began = clock.now
        guard let handle = unsafe settings.connect() else { throw StoreError(.unavailable, "no memory to connect") }
        unsafe self.handle = unsafe handle
        guard unsafe PQstatus(handle) == CONNECTION_OK else {
            // libpq's own words may hold a part of the password, where that was written so that it reads as the host.
            throw settings.whyNot(after: clock.now - began)
        }
        unsafe CLogin_PQ_ignore_notices(handle)
        // Otherwise sending would wait for a server that takes nothing, without end.
        guard unsafe PQsetnonblocking(handle, 1) == 0 else { throw StoreError(.unavailable, "the connection broke") }
        let encoding = unsafe PQparameterStatus(handle, "server_encoding").map { unsafe String(cString: $0) }
        guard encoding == "UTF8" else {
            throw StoreError(.schema, "the database is of the encoding \(encoding ?? "?"), and must be UTF8")
        }
        for (name, value) in settings.session {
            try run(
                "SELECT pg_catalog.set_config($1, $2, false)",
                [.text(name), .text(value)],
                within: promptness
            )
        }
        // Where commits wait for more than the disk, that stays.
        try run(
            "SELECT pg_catalog.set_config('synchronous_commit', 'on', false)"
                + " WHERE pg_catalog.current_setting('synchronous_commit') = 'off'",
            [],
            within: promptness
        )
    }

    deinit {
        unsafe PQfinish(handle)
    }

    /// Whether a transaction has begun, and not failed.
    var isInTransaction: Bool { unsafe PQtransactionStatus(handle) == PQTRANS_INTRANS }

    /// Whether it may be used for another transaction.
    var isReusable: Bool { unsafe !isSpent && isConnected && PQtransactionStatus(handle) == PQTRANS_IDLE }

    var isConnected: Bool { unsafe PQstatus(handle) == CONNECTION_OK }

    // MARK: - Transactions

    func begin(isReading: Bool = false) throws(StoreError) {
        self.isReading = isReading
        _ = try command(
            isReading ? "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" : "BEGIN ISOLATION LEVEL READ COMMITTED",
            within: promptness
        )
    }

    /// - Throws: ``StoreError``; `unavailable` says whether it may have been written.
    func commit() throws(StoreError) {
        let tag: String
        do throws(StoreError) {
            tag = try command("COMMIT", within: patience)
        } catch  where error.code == .unavailable {
            throw StoreError(
                .unavailable,
                "the answer to the commit was lost, so it may have been written: \(error.detail)"
            )
        }
        guard tag == "COMMIT" else { throw StoreError(.busy, "the server took the transaction back") }
    }

    /// Takes everything back.
    ///
    /// Where that fails the connection is not reusable, and its end takes everything back.
    func rollback() {
        _ = try? command("ROLLBACK", within: promptness)
    }

    /// Runs a command that stands in this source, without values.
    private func command(_ text: String, within patience: Duration) throws(StoreError) -> String {
        let result = try unsafe ask(within: patience) { unsafe PQsendQuery(handle, text) }
        defer { unsafe PQclear(result) }
        try unsafe check(result)
        return unsafe String(cString: PQcmdStatus(result))
    }

    // MARK: - Statements

    /// Runs a statement, prepared by the server the first time, with values beside it.
    ///
    /// - Parameters:
    ///   - statement: The statement.
    ///   - values: The values, in the order of their numbers.
    ///   - limit: How long it may take, and to prepare it as long again; nil for as long as any statement.
    /// - Returns: The rows.
    /// - Throws: ``StoreError``
    @discardableResult
    func run(_ statement: String, _ values: [StoreValue], within limit: Duration? = nil) throws(StoreError)
        -> [StoreRow]
    {
        let patience = limit ?? patience
        let parameters = try Parameters(values)
        let name = try prepare(statement, parameters, within: patience)
        let result = try unsafe ask(within: patience) {
            unsafe parameters.withPointers { pointers, lengths, formats in
                // Results as text: that is how every type can be read.
                unsafe PQsendQueryPrepared(handle, name, Int32(values.count), pointers, lengths, formats, 0)
            }
        }
        defer { unsafe PQclear(result) }
        try unsafe check(result)
        return try unsafe ResultReader(result).rows()
    }

    private func prepare(_ statement: String, _ parameters: Parameters, within patience: Duration) throws(StoreError)
        -> String
    {
        guard !statement.utf8.contains(0) else { throw StoreError(.constraint, "a statement holds NUL") }
        let key = StatementCache.Key(text: Array(statement.utf8), types: parameters.types)
        if let name = statements.name(of: key) { return name }
        if let leaving = statements.leaving { _ = try command("DEALLOCATE \(leaving)", within: patience) }
        statements.removeLeaving()
        let name = statements.newName()
        let result = try unsafe ask(within: patience) {
            unsafe PQsendPrepare(handle, name, statement, Int32(parameters.types.count), parameters.types)
        }
        defer { unsafe PQclear(result) }
        try unsafe check(result)
        statements.add(name, for: key)
        return name
    }

    // MARK: - Answers

    /// The last result of what `send` hands over; nil where it could not be.
    ///
    /// libpq's own calls wait for as long as the server lives, and one that stands still lives. What does not come in time, nobody
    /// waits for again: the connection is spent.
    private func ask(within patience: Duration, _ send: () -> Int32) throws(StoreError) -> OpaquePointer? {
        guard send() == 1 else { return nil }
        let deadline = ContinuousClock.now + patience
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
            // A copy that has begun would be announced without end.
            switch unsafe PQresultStatus(next) {
            case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH: return unsafe last
            default: break
            }
            // Who sends results without end sends each in time; the one that was asked for is not thrown away.
            if isFurther, .now >= deadline {
                unsafe PQclear(last)
                throw tooLate()
            }
        }
    }

    /// Waits until a result can be had at once, or the connection is found to be broken.
    private func awaitResult(until deadline: ContinuousClock.Instant) throws(StoreError) {
        while true {
            let flushed = unsafe PQflush(handle)
            guard flushed >= 0, unsafe PQconsumeInput(handle) == 1, unsafe PQisBusy(handle) == 1 else { return }
            // TLS may hold back the rest of a record that was read in part, of which the socket says nothing.
            if unsafe PQsslInUse(handle) == 1 {
                guard unsafe PQconsumeInput(handle) == 1, unsafe PQisBusy(handle) == 1 else { return }
            }
            let left = deadline - .now
            guard left > .zero else { throw tooLate() }
            // In pieces, so that what nobody announces is found within a second.
            let milliseconds = min(left, .seconds(1)) / .milliseconds(1)
            unsafe CLogin_PQ_wait(handle, flushed, Int32(milliseconds.rounded(.up)))
        }
    }

    private func tooLate() -> StoreError {
        isSpent = true
        return StoreError(.unavailable, "the server is connected, and does not answer in time")
    }

    private func check(_ result: OpaquePointer?) throws(StoreError) {
        switch unsafe PQresultStatus(result) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY:
            return
        case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH:
            isSpent = true
            throw StoreError(.constraint, "a statement of COPY does not go this way")
        default:
            let state = unsafe SQLState(CLogin_PQ_sqlstate(result).map { unsafe String(cString: $0) })
            if isReading, state.saysReadOnly { throw StoreError(.constraint, "what only reads cannot write") }
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
