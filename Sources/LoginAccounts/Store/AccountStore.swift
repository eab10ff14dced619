// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// Keeps accounts, identities, factors and sessions: in memory, in one SQLite file, or in PostgreSQL.
///
/// A store knows tables and rows, and nothing of what they mean: that is said once, in ``Auth``. So a store of another kind has little
/// to do; `AccountStoreContract` of LoginTesting says whether it does that well.
public protocol AccountStore: Sendable {
    /// Runs `body` as one: all that it writes is there afterwards, or nothing of it.
    ///
    /// A transaction in which a verb has thrown is not kept, even if `body` goes on: it throws that error at its end.
    ///
    /// What it writes is on disk when this returns. Two transactions that touch the same row run one after the other from there on: the
    /// second waits, and sees what the first has left. `body` runs on a thread that may wait; it calls nothing that takes long, and
    /// no network.
    ///
    /// - Parameter body: What to do. It may be run again after ``StoreError/Code/busy``, by whoever called.
    /// - Returns: What `body` returned, once it is kept.
    /// - Throws: What `body` throws, where nothing is written; ``StoreError`` otherwise, and nothing else.
    func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
    ) async throws -> Value

    /// Runs `body` on the rows as they are at one moment, and writes nothing.
    ///
    /// It waits for no one who writes, and no one who writes waits for it, in a store that can do so; in others it is a
    /// ``transaction(_:)`` in which the three verbs that write are refused, each with `constraint`, also where `body` goes on.
    ///
    /// - Parameter body: What to read. It may be run again after ``StoreError/Code/busy``, by whoever called.
    /// - Returns: What `body` returned.
    /// - Throws: What `body` throws; ``StoreError`` otherwise, and nothing else.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
    ) async throws -> Value

    /// Makes the tables, or brings them to what this version needs.
    ///
    /// Several servers may begin at once: one does it, the others wait.
    ///
    /// - Returns: The names of the steps that were taken; none where all was there.
    /// - Throws: ``StoreError``
    @discardableResult
    func migrate() async throws(StoreError) -> [String]

    /// Closes the store, after the transactions that run have ended; whoever asks for another gets `unavailable`.
    ///
    /// Call it where your server ends, for example after the `run()` of its service group. It may be called twice. A store that has
    /// nothing to close does nothing.
    func shutdown() async
}

extension AccountStore {
    /// Nothing: a store that has something to close does so itself.
    public func shutdown() async {}
}

/// What can be done within a transaction: four verbs, of which two ask for a state and say whether it was there.
///
/// It is used where it was given, and nowhere else. No text that is kept holds a NUL, since not every database takes it: such a row
/// or change is refused, and a condition that asks for such a text finds nothing.
public protocol StoreTransaction {
    /// Writes a row, unless its primary key or one of its uniques is there already.
    ///
    /// Where another transaction has written the same key and is not finished, this waits for it.
    ///
    /// - Parameters:
    ///   - row: The row, with a value for each column that must have one.
    ///   - table: Where to.
    /// - Returns: Whether it was written.
    /// - Throws: ``StoreError``
    func insert(_ row: StoreRow, into table: StoreTable) throws(StoreError) -> Bool

    /// Reads rows.
    ///
    /// - Parameters:
    ///   - table: Of which table.
    ///   - conditions: What must hold of a row, all of it.
    ///   - order: In which order, texts and bytes by their bytes, and nothing before something; any if nil.
    ///   - limit: How many at most.
    /// - Returns: The rows.
    /// - Throws: ``StoreError``
    func select(from table: StoreTable, where conditions: [StoreCondition], order: StoreOrder?, limit: Int?)
        throws(StoreError) -> [StoreRow]

    /// Reads rows, each with the row that it refers to.
    ///
    /// The default implementation selects the rows and then, one by one, those that they refer to. A store that can join tables reads
    /// both at once.
    ///
    /// - Parameters:
    ///   - table: The table.
    ///   - reference: The reference to follow: one of ``StoreTable/references`` of the table.
    ///   - conditions: The conditions that a row of the table must meet, all of them.
    /// - Returns: The rows, in any order. A row that refers to none is left out.
    /// - Throws: ``StoreError``
    func select(from table: StoreTable, following reference: StoreReference, where conditions: [StoreCondition])
        throws(StoreError) -> [(row: StoreRow, referenced: StoreRow)]

    /// Changes rows. A row that another transaction has changed is looked at again once that is finished.
    ///
    /// - Parameters:
    ///   - table: Of which table.
    ///   - changes: What to change, at least one column.
    ///   - conditions: What must hold of a row, all of it, when it is changed.
    /// - Returns: The rows that were changed, as they are now.
    /// - Throws: ``StoreError``; `constraint` where a key would exist twice.
    func update(_ table: StoreTable, set changes: [StoreChange], where conditions: [StoreCondition]) throws(StoreError)
        -> [StoreRow]

    /// Removes rows. A row that another transaction has changed is looked at again once that is finished.
    ///
    /// - Parameters:
    ///   - table: Of which table.
    ///   - conditions: What must hold of a row, all of it, when it is removed.
    /// - Returns: The rows that were removed.
    /// - Throws: ``StoreError``
    func delete(from table: StoreTable, where conditions: [StoreCondition]) throws(StoreError) -> [StoreRow]
}

extension StoreTransaction {
    /// Reads rows, and then the row that each of them refers to.
    public func select(from table: StoreTable, following reference: StoreReference, where conditions: [StoreCondition])
        throws(StoreError) -> [(row: StoreRow, referenced: StoreRow)]
    {
        let target = StoreSchema.table(reference.table)
        var found: [(row: StoreRow, referenced: StoreRow)] = []
        for row in try select(from: table, where: conditions, order: nil, limit: nil) {
            // A null equals nothing, so it refers to nothing.
            let isReferenced = zip(reference.target, reference.columns).map { $0.equals(row[$1]) }
            guard let referenced = try select(from: target, where: isReferenced, order: nil, limit: 1).first else {
                continue
            }
            found.append((row, referenced))
        }
        return found
    }
}

/// A transaction of a database that speaks SQL: for what an application keeps beside its accounts.
///
/// ```swift
/// try await auth.merge(from: previous, into: current) { merge in
///     let database = try merge.transaction(as: (any SQLStoreTransaction).self)
///     try database.execute("UPDATE note SET owner = $2 WHERE owner = $1", [
///         .text(merge.source.rawValue), .text(merge.target.rawValue),
///     ])
/// }
/// ```
public protocol SQLStoreTransaction: StoreTransaction {
    /// Runs one statement.
    ///
    /// - Parameters:
    ///   - statement: The statement, with `$1`, `$2` … where values go. What comes from outside is never part of it.
    ///   - values: The values.
    /// - Returns: The rows that it returns.
    /// - Throws: ``StoreError``
    ///   After any, the transaction is not kept, even if its body goes on.
    @discardableResult
    func execute(_ statement: String, _ values: [StoreValue]) throws(StoreError) -> [StoreRow]

    /// Takes note of what has failed, in a statement or before it became one: the transaction is not kept, even if its body goes on.
    ///
    /// - Parameter error: Why. The transaction throws the first at its end, unless its body throws something itself.
    func fail(_ error: StoreError)
}
