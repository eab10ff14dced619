// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation
import Synchronization

/// The operations of a worker: one line written before each, one after it is acknowledged.
///
/// A process that is killed loses no written line, since the kernel has it.
final class Journal: Sendable {
    private let file: FileHandle

    init(writingTo path: String) throws {
        guard
            FileManager.default.createFile(atPath: path, contents: nil) || FileManager.default.fileExists(atPath: path)
        else {
            throw CocoaError(.fileWriteUnknown)
        }
        file = try FileHandle(forWritingTo: URL(filePath: path))
        try file.seekToEnd()
    }

    /// Writes one line: `begin` or `done`, the account, the operation, and its values.
    func write(_ entry: JournalEntry) throws {
        try file.write(contentsOf: Data((entry.line + "\n").utf8))
    }

    static func read(_ path: String) throws -> [JournalEntry] {
        let text = try String(contentsOf: URL(filePath: path), encoding: .utf8)
        // The last line may be incomplete.
        return text.split(separator: "\n").compactMap { JournalEntry(line: String($0)) }
    }
}

/// A line of a journal.
struct JournalEntry: Sendable {
    /// An operation on an account.
    enum Work: String, Sendable {
        case create, link, unlink, merge, refresh, recover
    }

    /// Whether it was acknowledged; before that, it may or may not have happened.
    let isDone: Bool
    let client: String
    let work: Work
    let values: [String: String]

    var line: String {
        let values = values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        return ([isDone ? "done" : "begin", client, work.rawValue] + values + ["."]).joined(separator: " ")
    }

    init(isDone: Bool, client: String, work: Work, values: [String: String]) {
        self.isDone = isDone
        self.client = client
        self.work = work
        self.values = values
    }

    init?(line: String) {
        let words = line.split(separator: " ").map(String.init)
        guard words.count >= 4, words.last == ".", let work = Work(rawValue: words[2]) else { return nil }
        isDone = words[0] == "done"
        client = words[1]
        self.work = work
        values = Dictionary(
            words[3..<(words.count - 1)].map { word in
                let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
                return (parts[0], parts.count > 1 ? parts[1] : "")
            },
            uniquingKeysWith: { $1 }
        )
    }
}
