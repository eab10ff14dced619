// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText
internal import Synchronization

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A persistence in a JSON file, which the servers of one machine may share.
///
/// The file has mode 0600 and is replaced atomically. A server that changes it holds a lock on a second file, with the
/// suffix `.lock`, which stays. The system releases the lock of a server that is killed. Network file systems are not
/// supported.
///
/// A file that others can read or write, that belongs to another user, or that is a symbolic link is an error, because
/// its values may not be those of an operator. A damaged file is an error, too, and is never overwritten.
///
/// A file that is missing although it was read or written before is an error, so that values stay in use if its volume
/// is unmounted. Restore it with mode 0600, or restart the servers to begin with the defaults.
public final class FileTweaks: TweakPersistence {
    /// The maximum size of the file: more than the values of a thousand texts, and the history.
    private static let maximumBytes = 4 * 1024 * 1024

    /// The number of attempts to lock the file, 10 ms apart: two seconds, for a change that takes milliseconds.
    private static let lockAttempts = 200

    private let path: String
    private let file: PrivateFile
    /// Whether the file has existed.
    private let hasExisted = Mutex(false)

    /// Creates a persistence in a file, which the first change creates.
    ///
    /// - Parameter path: The path of the file. Its directory exists, and is writable.
    public init(path: String) {
        self.path = path
        file = PrivateFile(path, limit: Self.maximumBytes)
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
        let lock = try await lock()
        defer { lock.release() }
        let before = try read()
        var ledger = before
        try body(&ledger)
        if ledger != before { try write(ledger) }
    }

    private func lock() async throws(TweakError) -> FileLock {
        let path = path + ".lock"
        for _ in 0..<Self.lockAttempts {
            if let lock = FileLock(path: path) { return lock }
            try? await Task.sleep(for: .milliseconds(10))
        }
        throw TweakError(.store, "the file \(path) is locked by another server, or cannot be created")
    }

    private func read() throws(TweakError) -> TweakLedger {
        let content: [UInt8]?
        do throws(PrivateFile.Fault) { content = try file.contents() } catch { throw problem(error) }
        guard let content else {
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
        guard let ledger = try? decoder.decode(TweakLedger.self, from: Data(content)), ledger.isPossible else {
            throw TweakError(.store, "the file \(path) is damaged; restore it, or delete it and restart")
        }
        hasExisted.withLock { $0 = true }
        return ledger
    }

    private func write(_ ledger: TweakLedger) throws(TweakError) {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let content = try? encoder.encode(ledger) else { throw problem(.unwritable) }
        do throws(PrivateFile.Fault) { try file.replace(with: Array(content)) } catch { throw problem(error) }
        hasExisted.withLock { $0 = true }
    }

    private func problem(_ fault: PrivateFile.Fault) -> TweakError {
        let reason =
            switch fault {
            case .notPrivate, .directoryNotPrivate:
                "must be a regular file of this user that others cannot access; run chmod 600 on it"
            case .tooLong: "is larger than \(Self.maximumBytes / 1024) KiB, or would be"
            case .unreadable: "cannot be read"
            case .unwritable: "cannot be written"
            }
        return TweakError(.store, "the file \(path) \(reason)")
    }
}
