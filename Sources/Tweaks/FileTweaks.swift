// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Synchronization

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// A persistence in a JSON file, which the servers of one machine may share.
///
/// The file has mode 0600 and is replaced atomically. A server that changes it creates a second file, with the suffix
/// `.lock`, and removes it afterwards. If a server is killed in between, changes are refused for five seconds. Network
/// file systems are not supported.
///
/// A file that is missing although it was read or written before is an error, so that values stay in use if its volume
/// is unmounted. Restore it, or restart the servers to begin with the defaults.
public final class FileTweaks: TweakPersistence {
    /// The maximum size of the file: more than the values of a thousand texts, and the history.
    private static let maximumBytes = 4 * 1024 * 1024

    /// The number of attempts to lock the file, 10 ms apart: two seconds, for a change that takes milliseconds.
    private static let lockAttempts = 200

    /// The age in seconds at which the lock of a server that no longer runs is removed: a change takes milliseconds.
    private static let abandonedAge = 5.0

    private let path: String
    /// Whether the file has existed.
    private let hasExisted = Mutex(false)

    /// Creates a persistence in a file, which the first change creates.
    ///
    /// - Parameter path: The path of the file. Its directory exists, and is writable.
    public init(path: String) {
        self.path = path
    }

    /// Returns the number of changes.
    public func revision() async throws(TweakError) -> Int64 { try read().revision }

    /// Returns the overrides.
    public func load() async throws(TweakError) -> TweakOverrides { try read().overrides }

    /// Sets or resets one tweak.
    public func set(_ id: String, to value: String?, expecting revision: Int64, by author: String)
        async throws(TweakError)
    {
        try await change { ledger throws(TweakError) in
            try ledger.set(id, to: value, expecting: revision, by: author)
        }
    }

    /// Sets or resets several tweaks.
    public func set(_ values: [String: String?], expecting revision: Int64, by author: String)
        async throws(TweakError)
    {
        try await change { ledger throws(TweakError) in
            try ledger.set(values, expecting: revision, by: author)
        }
    }

    /// Records that an operator runs an action.
    public func recordAction(_ id: String, by author: String) async throws(TweakError) {
        try await change { ledger throws(TweakError) in ledger.recordAction(id, by: author) }
    }

    /// Returns the latest changes and actions, newest first: 200 at most.
    public func history(limit: Int) async throws(TweakError) -> [TweakChange] { try read().latest(limit) }

    private func change(_ body: (inout TweakLedger) throws(TweakError) -> Void) async throws(TweakError) {
        try await lock()
        defer { try? FileManager.default.removeItem(atPath: lockPath) }
        let before = try read()
        var ledger = before
        try body(&ledger)
        if ledger != before { try write(ledger) }
    }

    private var lockPath: String { path + ".lock" }

    /// Creates the lock file with the ID of this process, which fails while it exists.
    private func lock() async throws(TweakError) {
        let owner = Data(String(ProcessInfo.processInfo.processIdentifier).utf8)
        for _ in 0..<Self.lockAttempts {
            if (try? owner.write(to: URL(filePath: lockPath), options: .withoutOverwriting)) != nil { return }
            removeAbandonedLock()
            try? await Task.sleep(for: .milliseconds(10))
        }
        throw TweakError(.store, "the file \(lockPath) exists or cannot be created; if no server is running, remove it")
    }

    /// Removes the lock file of a server that was killed.
    ///
    /// A further file excludes other servers that do the same: the second one would remove the new lock of the first.
    private func removeAbandonedLock() {
        guard isLockAbandoned else { return }
        let removal = lockPath + ".removal"
        guard (try? Data().write(to: URL(filePath: removal), options: .withoutOverwriting)) != nil else { return }
        defer { try? FileManager.default.removeItem(atPath: removal) }
        if isLockAbandoned { try? FileManager.default.removeItem(atPath: lockPath) }
    }

    /// Whether the lock file is old, and its owner no longer runs.
    ///
    /// After a restart, another process may have the ID of the owner. In a container this is the server itself.
    private var isLockAbandoned: Bool {
        let attributes = try? FileManager.default.attributesOfItem(atPath: lockPath)
        guard let created = attributes?[.modificationDate] as? Date, -created.timeIntervalSinceNow > Self.abandonedAge,
            let content = try? Data(contentsOf: URL(filePath: lockPath))
        else { return false }
        guard let owner = Int32(String(decoding: content, as: UTF8.self)), owner > 0,
            owner != ProcessInfo.processInfo.processIdentifier
        else { return true }
        return kill(owner, 0) != 0 && errno == ESRCH
    }

    private func read() throws(TweakError) -> TweakLedger {
        guard FileManager.default.fileExists(atPath: path) else {
            guard !hasExisted.withLock({ $0 }) else {
                throw TweakError(
                    .store,
                    "the file \(path) is missing; restore it, or restart to begin with the defaults"
                )
            }
            return TweakLedger()
        }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        guard let data = try? Data(contentsOf: URL(filePath: path)), data.count <= Self.maximumBytes,
            let ledger = try? decoder.decode(TweakLedger.self, from: data)
        else { throw TweakError(.store, "the file \(path) cannot be read, or is damaged") }
        hasExisted.withLock { $0 = true }
        return ledger
    }

    private func write(_ ledger: TweakLedger) throws(TweakError) {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            let content = try encoder.encode(ledger)
            guard content.count <= Self.maximumBytes else {
                throw TweakError(.store, "the file \(path) would be larger than \(Self.maximumBytes / 1024) KiB")
            }
            try content.write(to: URL(filePath: path), options: .atomic)
            hasExisted.withLock { $0 = true }
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        } catch let error as TweakError {
            throw error
        } catch {
            throw TweakError(.store, "the file \(path) cannot be written")
        }
    }
}
