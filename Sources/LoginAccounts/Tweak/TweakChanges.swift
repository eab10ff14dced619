// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The steps that change tweaks: one change at a time, and each recorded in the audit.
struct TweakChanges {
    let tweaks: TweakTable
    let audit: AuditTrail
    let context: TransactionContext

    /// Returns the number of changes, on any server.
    func revision() throws(StoreError) -> Int64 { try tweaks.find(TweakTable.counter)?.revision ?? 0 }

    /// Sets a tweak, or resets it, unless it has changed since its author saw it.
    func set(_ id: String, to value: String?, expecting revision: Int64, by author: String) throws(StoreError)
        -> TweakWriting
    {
        _ = try tweaks.lock(at: context.now)
        let current = try tweaks.find(id)
        guard current?.revision ?? 0 == revision else { return .overtaken }
        guard !Self.isSame(value, as: current) else { return .unchanged }
        try write(value, over: current, of: id, by: author, as: countChange())
        return .written
    }

    /// Sets or resets several tweaks under one number, unless a tweak has changed since the author saw them.
    func set(_ values: [String: String?], expecting revision: Int64, by author: String) throws(StoreError)
        -> TweakWriting
    {
        guard try tweaks.lock(at: context.now) == revision else { return .overtaken }
        var changes: [(id: String, value: String?, current: TweakRecord?)] = []
        for (id, value) in values.sorted(by: { $0.key < $1.key }) {
            let current = try tweaks.find(id)
            if !Self.isSame(value, as: current) { changes.append((id, value, current)) }
        }
        guard !changes.isEmpty else { return .unchanged }
        let next = try countChange()
        for change in changes { try write(change.value, over: change.current, of: change.id, by: author, as: next) }
        return .written
    }

    private static func isSame(_ value: String?, as current: TweakRecord?) -> Bool {
        current?.value.map { Array($0.utf8) } == value.map { Array($0.utf8) }
    }

    private func countChange() throws(StoreError) -> Int64 {
        context.pause(at: .tweakBeforeWrite)
        return try tweaks.count(1, at: context.now)
    }

    /// Writes a value, and records the old and the new one in the audit.
    private func write(
        _ value: String?,
        over current: TweakRecord?,
        of id: String,
        by author: String,
        as revision: Int64
    ) throws(StoreError) {
        let tweak = TweakRecord(id: id, value: value, changedAt: context.now, changedBy: author, revision: revision)
        if let current {
            guard try tweaks.replace(current, with: tweak) else {
                throw StoreError(.busy, "a tweak was changed meanwhile")
            }
        } else {
            try tweaks.add(tweak)
        }
        var subject = ["tweak": id, "by": author]
        subject["from"] = current?.value
        subject["to"] = value
        try audit.record(value == nil ? .tweakReset : .tweakChanged, account: nil, subject: subject)
    }
}
