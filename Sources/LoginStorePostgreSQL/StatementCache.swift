// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if PostgreSQL
/// The prepared statements of a connection, up to a number; then the least recently used one is replaced.
struct StatementCache {
    /// The bytes of a statement, and the declared types of its values.
    struct Key: Hashable {
        let text: [UInt8]
        let types: [UInt32]
    }

    private struct Entry {
        let name: String
        var used: UInt64
    }

    /// More statements than accounts have (some hundred).
    ///
    /// Only an application that puts values into its statements exceeds it.
    static let capacity = 256

    private var entries: [Key: Entry] = [:]
    private var uses: UInt64 = 0
    private var names: UInt64 = 0

    var count: Int { entries.count }

    mutating func name(of key: Key) -> String? {
        guard let index = entries.index(forKey: key) else { return nil }
        uses += 1
        entries.values[index].used = uses
        return entries.values[index].name
    }

    /// The name of the least recently used statement, if the cache is full; it must be removed before another is added.
    var leaving: String? { leavingKey.flatMap { entries[$0]?.name } }

    mutating func removeLeaving() {
        if let key = leavingKey { entries[key] = nil }
    }

    /// Returns a name that no statement of this connection has had.
    mutating func newName() -> String {
        names += 1
        return "login_\(names)"
    }

    mutating func add(_ name: String, for key: Key) {
        uses += 1
        entries[key] = Entry(name: name, used: uses)
    }

    private var leavingKey: Key? {
        guard entries.count >= Self.capacity else { return nil }
        return entries.min { $0.value.used < $1.value.used }?.key
    }
}
#endif
