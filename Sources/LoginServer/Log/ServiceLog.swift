// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Foundation
internal import Logging
internal import Synchronization

/// The log level of all loggers of the process, which can change at run time.
final class LogLevel: Sendable {
    private let level: Mutex<Logger.Level>

    init(_ level: Logger.Level) { self.level = Mutex(level) }

    var current: Logger.Level {
        get { level.withLock { $0 } }
        set { level.withLock { $0 = newValue } }
    }
}

/// A log handler that writes each event as one line to standard error: time, level, message, metadata.
///
/// The service manager collects and rotates the log.
struct ServiceLog: LogHandler {
    let shared: LogLevel
    let write: @Sendable (String) -> Void

    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?

    init(level: LogLevel, write: @escaping @Sendable (String) -> Void = { LogWriter.standardError.write($0) }) {
        self.write = write
        shared = level
    }

    /// The level that all loggers share; setting the level of a single logger has no effect.
    var logLevel: Logger.Level {
        get { shared.current }
        set {}
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var all = metadata
        if let provided = metadataProvider?.get() { all.merge(provided) { first, _ in first } }
        if let own = event.metadata { all.merge(own) { _, last in last } }
        // Hummingbird numbers each request too, but clients receive only the request ID of `Visit`.
        if all["request.id"] != nil { all["hb.request.id"] = nil }
        if let error = event.error { all["error"] = "\(error)" }
        let values = all.sorted { $0.key < $1.key }.map { " \($0.key)=\(Self.quoted("\($0.value)"))" }.joined()
        let time = Date().formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        write("\(time) \(event.level.rawValue) \(Self.oneLine("\(event.message)"))\(values)\n")
    }

    /// Returns a value on one line, in quotation marks unless it is plain, so that foreign data cannot forge log lines.
    private static func quoted(_ text: String) -> String {
        let line = oneLine(text)
        let isPlain = !line.isEmpty && line.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x3D }
        return isPlain ? line : "\"\(line.replacing("\"", with: "\\\""))\""
    }

    private static func oneLine(_ text: String) -> String { printable(String(text.prefix(2_000))) }
}
#endif
