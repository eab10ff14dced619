// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Dispatch
internal import Logging
internal import LoginCrypto

/// The configured secret files, as they were when the service read its secrets.
///
/// The service uses those secrets until it is restarted. Of the files it keeps hashes with a random key.
struct SecretFiles: Sendable {
    /// A reading of a file.
    enum Reading: Sendable, Hashable {
        case hash(UInt128)
        /// The reason why the file cannot be used, without its content.
        case fault(String)
    }

    /// The first reading of each file, by the name of its key.
    let first: [String: Reading]

    private let paths: [String: String]
    private let hash = SecretHash()

    /// Reads the files for the first time.
    ///
    /// Create it before the secrets are read: a file that is replaced in between then counts as changed.
    ///
    /// - Parameter paths: The paths, by the names of their keys.
    init(_ paths: [String: String]) {
        self.paths = paths
        first = Self.readings(of: paths, hash)
    }

    /// Reads the files on a thread that may block, as a file system over the network does when it does not respond.
    func read() async -> [String: Reading] {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [paths, hash] in
                continuation.resume(returning: Self.readings(of: paths, hash))
            }
        }
    }

    private static func readings(of paths: [String: String], _ hash: SecretHash) -> [String: Reading] {
        var readings: [String: Reading] = [:]
        for (key, path) in paths {
            do throws(ConfigurationFault) {
                let content = try SecretFile.content(path, key: key)
                readings[key] = .hash(hash.hash(of: Array(content.utf8).span))
            } catch {
                readings[key] = .fault(error.description)
            }
        }
        return readings
    }
}

/// The decision which changed files are reported: each change once, when two checks agree on it or one was requested.
///
/// A program that writes a file in place leaves a beginning of it for a moment.
struct SecretChanges: Sendable {
    private let used: [String: SecretFiles.Reading]
    private var last: [String: SecretFiles.Reading] = [:]
    private var reported: [String: SecretFiles.Reading] = [:]

    /// Creates the decision.
    ///
    /// - Parameter used: The readings of the files with the secrets in use, by the names of their keys.
    init(from used: [String: SecretFiles.Reading]) { self.used = used }

    /// Adds the readings of a check.
    ///
    /// - Parameters:
    ///   - readings: The readings, by the names of the keys.
    ///   - isAsked: Whether an operator has requested the check, which reports every file that differs again.
    /// - Returns: The readings to report.
    mutating func add(_ readings: [String: SecretFiles.Reading], isAsked: Bool) -> [String: SecretFiles.Reading] {
        var due: [String: SecretFiles.Reading] = [:]
        for (key, reading) in readings {
            let isSettled = reading == last[key]
            last[key] = reading
            guard reading != used[key] else {
                reported[key] = nil
                continue
            }
            guard isAsked || (isSettled && reading != reported[key]) else { continue }
            (reported[key], due[key]) = (reading, reading)
        }
        return due
    }
}

/// The secret files of a running service, whose changes are logged.
struct SecretFollower: Sendable {
    private let files: SecretFiles
    private let logger: Logger
    private var changes: SecretChanges

    /// Follows files from their first reading.
    init(_ files: SecretFiles, logger: Logger) {
        (self.files, self.logger) = (files, logger)
        changes = SecretChanges(from: files.first)
    }

    /// Reads the files, and logs which of them have changed.
    ///
    /// - Parameter isAsked: Whether the result is logged again, even if it was logged before.
    mutating func check(isAsked: Bool = false) async {
        let due = changes.add(await files.read(), isAsked: isAsked)
        for (key, reading) in due.sorted(by: { $0.key < $1.key }) {
            var metadata: Logger.Metadata = ["configuration.key": "\(key)"]
            switch reading {
            case .hash: logger.warning("secret file changed; a restart is needed to use it", metadata: metadata)
            case .fault(let reason):
                metadata["configuration.reason"] = "\(reason)"
                logger.error("secret file cannot be used; the previous secret stays in use", metadata: metadata)
            }
        }
    }
}
#endif
