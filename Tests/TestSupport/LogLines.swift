// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import InMemoryLogging
public import Logging
public import Testing

/// A log for expectations.
public struct LogLines: Sendable {
    private let handler = InMemoryLogHandler()

    /// Creates an empty log.
    public init() {}

    /// The logger that writes to it.
    public var logger: Logger {
        let handler = handler
        return Logger(label: "test") { _ in handler }
    }

    /// The lines, each with its level, message and metadata; without the request ID of Hummingbird.
    public var lines: [String] {
        handler.entries.map { entry in
            let metadata = entry.metadata.filter { $0.key != "hb.request.id" }.sorted { $0.key < $1.key }
            return
                "\(entry.level) \(entry.message) \(metadata.map { "\($0.key)=\($0.value)" }.joined(separator: " "))"
        }
    }

    /// Expects that an action logs one line about a refused credential.
    ///
    /// - Parameters:
    ///   - line: The text between the message and the request ID.
    ///   - sourceLocation: The place of the expectation.
    ///   - action: The action, which returns the request ID.
    /// - Throws: Rethrows the error of the action.
    public func expectLine(
        _ line: String,
        sourceLocation: SourceLocation = #_sourceLocation,
        of action: () async throws -> String
    ) async throws {
        let before = lines.count
        let requestID = try await action()
        let expected = "info credential refused \(line) request.id=\(requestID)"
        #expect(lines.dropFirst(before) == [expected], sourceLocation: sourceLocation)
        #expect(requestID.utf8.count == 16, sourceLocation: sourceLocation)
    }
}
#endif
