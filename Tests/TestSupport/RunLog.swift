// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import Synchronization

/// The results of a test run, one per line, in the file that `LIMITED_LOGIN_RULES_LOG` names.
///
/// Without the variable nothing is written. The file must exist.
final class RunLog: Sendable {
    static let shared = RunLog(path: ProcessInfo.processInfo.environment["LIMITED_LOGIN_RULES_LOG"])

    private let path: String?
    private let written = Mutex<Set<String>>([])

    init(path: String?) {
        self.path = path
    }

    /// Adds `line`, once.
    func append(_ line: String) {
        guard let path else { return }
        written.withLock { written in
            guard written.insert(line).inserted else { return }
            do {
                let file = try FileHandle(forWritingTo: URL(filePath: path))
                try file.seekToEnd()
                try file.write(contentsOf: Data((line + "\n").utf8))
                try file.close()
            } catch {
                // An incomplete record would report tested rules as untested.
                preconditionFailure("cannot write to the file LIMITED_LOGIN_RULES_LOG names: \(error)")
            }
        }
    }
}
