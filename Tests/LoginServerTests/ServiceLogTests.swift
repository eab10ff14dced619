// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Dispatch
internal import Logging
internal import Synchronization
internal import Testing

@testable internal import LoginServer

/// The contents and the level of the log.
@Suite struct ServiceLogTests {
    private final class Lines: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func add(_ line: String) { lines.withLock { $0.append(line) } }
    }

    @Test func `a change of the log level applies to all loggers at once`() {
        let (lines, level) = (Lines(), LogLevel(.info))
        let loggers = ["a", "b"].map { Logger(label: $0) { _ in ServiceLog(level: level) { lines.add($0) } } }
        for logger in loggers { logger.debug("hidden") }
        #expect(lines.all.isEmpty)
        level.current = .debug
        for logger in loggers { logger.debug("shown") }
        #expect(lines.all.count == 2)
        level.current = .error
        for logger in loggers { logger.warning("hidden") }
        #expect(lines.all.count == 2)
    }

    @Test func `a log entry is always one line without control characters`() throws {
        let lines = Lines()
        let logger = Logger(label: "a") { _ in ServiceLog(level: LogLevel(.info)) { lines.add($0) } }
        logger.notice("two\nlines", metadata: ["b": "x y=\"z\"", "a": "\u{1B}[31mred\r\n", "c": "plain"])
        let line = try #require(lines.all.first)
        #expect(line.hasSuffix("\n") && line.dropLast().allSatisfy { !$0.isNewline && $0 != "\u{1B}" })
        #expect(line.contains(" notice two"))
        #expect(line.contains(#"b="x y=\"z\"""#) && line.contains(" c=plain"))
    }

    @Test func `the request ID of Hummingbird is written only if there is no other`() {
        let lines = Lines()
        var logger = Logger(label: "a") { _ in ServiceLog(level: LogLevel(.info)) { lines.add($0) } }
        logger[metadataKey: "hb.request.id"] = "1"
        logger.info("a")
        logger[metadataKey: "request.id"] = "x"
        logger.info("b")
        #expect(
            lines.all.map { String($0.drop { $0 != "Z" }.dropFirst()) } == [
                " info a hb.request.id=1\n", " info b request.id=x\n",
            ]
        )
    }

    @Test func `logging does not wait for a slow reader, and dropped lines are counted`() async {
        let (lines, reader) = (Lines(), DispatchSemaphore(value: 0))
        let writer = LogWriter(limit: 3) {
            reader.wait()
            lines.add($0)
        }
        for number in 1...5 { writer.write("\(number)\n") }
        await writer.flush(within: .milliseconds(50))
        #expect(lines.all.isEmpty)
        for _ in 1...3 { reader.signal() }
        await writer.flush(within: .seconds(60))
        #expect(lines.all == ["1\n", "2\n", "3\n"])
        for _ in 1...3 { reader.signal() }
        writer.write("6\n")
        writer.write("7\n")
        await writer.flush(within: .seconds(60))
        #expect(lines.all.dropFirst(3) == ["2 log lines dropped: standard error was not read in time\n", "6\n", "7\n"])
    }
}
#endif
