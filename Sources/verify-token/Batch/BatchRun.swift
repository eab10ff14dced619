// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import ArgumentParser
internal import Foundation
internal import LoginServer
internal import Synchronization

/// One run over all lines of the input: one thread reads, several verify, and one writes.
///
/// Reading, verifying and writing can block for long, so each has threads of its own. Every wait can be cancelled.
final class BatchRun: Sendable {
    /// The reason why the run ended before the input did.
    enum Stop: Sendable {
        /// A signal, with its number.
        case signal(Int32)
        /// The reader of standard output closed the pipe.
        case brokenPipe
        /// Reading or writing failed, or a verdict could not be encoded as JSON.
        case failed(FileProblem)

        /// The exit status.
        ///
        /// For a signal and a broken pipe it is the status a shell reports for a process that the signal ended
        /// (POSIX.1-2024, Shell and Utilities §2.8.2).
        var exitCode: ExitCode {
            switch self {
            case .signal(let number): ExitCode(128 + number)
            case .brokenPipe: ExitCode(128 + SIGPIPE)
            case .failed: .undecided
            }
        }

        var words: String {
            switch self {
            case .signal(SIGINT): "SIGINT"
            case .signal(SIGTERM): "SIGTERM"
            case .signal(let number): "signal \(number)"
            case .brokenPipe: "the reader of the verdicts closed the pipe"
            case .failed(let problem): problem.description
            }
        }
    }

    struct Options: Sendable {
        let input: Descriptor
        /// The input's name, for error messages.
        let inputName: String
        let output = Descriptor.standardOutput
        let format: ReportFormat
        /// The maximum length of a token.
        let tokenBytes: Int
        let workers: Int
        /// The progress line; nil for none.
        let progress: BatchProgress?
    }

    private let options: Options
    private let verifier: BatchVerifier
    private let queue: BatchQueue<LineBlock, VerdictBlock>
    private let stopSwitch = StopSwitch()
    private let end = Mutex<(stop: Stop?, readFailure: FileProblem?, summary: BatchSummary)>((nil, nil, BatchSummary()))

    /// Creates a run.
    ///
    /// - Parameters:
    ///   - options: The input, the output, the format and the number of workers.
    ///   - verifier: The verifier of the tokens.
    init(_ options: Options, verifier: BatchVerifier) {
        self.options = options
        self.verifier = verifier
        // Each worker has one block in progress and one in reserve, so that no worker waits for the reader.
        queue = BatchQueue(workers: options.workers, size: 2 * options.workers + 2)
    }

    /// Runs to the end of the input, or until it is stopped.
    ///
    /// - Returns: The summary of the lines whose verdicts were written, and the reason for an early end.
    func run() async -> (summary: BatchSummary, stop: Stop?) {
        Signals.ignoreBrokenPipes()
        let watches = [SIGINT, SIGTERM].map { number in (number, Signals.watch(number) { self.interrupt(number) }) }
        let threads = DispatchGroup()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.verifier.serve() }
            await withCheckedContinuation { continuation in
                start(in: threads) { self.read() }
                for _ in 1...options.workers { start(in: threads) { self.verify() } }
                start(in: threads) { self.write() }
                threads.notify(queue: .global()) { continuation.resume() }
            }
            group.cancelAll()
        }
        // The remaining output may block on a terminal. From here on, signals have their default action again.
        for case (let number, let watch?) in watches { Signals.release(watch, of: number) }
        return end.withLock { end in
            // All lines before a read failure have their verdicts. A stop, if any, takes precedence as the reason.
            (end.summary, end.stop ?? end.readFailure.map(Stop.failed))
        }
    }

    private func start(in threads: DispatchGroup, _ body: @escaping @Sendable () -> Void) {
        threads.enter()
        Thread.detachNewThread {
            body()
            threads.leave()
        }
    }
}

// MARK: Stopping

extension BatchRun {
    /// Stops the run.
    ///
    /// If it is already stopping, exits the process immediately.
    private func interrupt(_ number: Int32) {
        guard end.withLock({ $0.stop == nil }) else { _exit(128 + number) }
        stop(.signal(number))
    }

    /// Stops all threads.
    ///
    /// Only the first reason is stored.
    private func stop(_ reason: Stop) {
        end.withLock { $0.stop = $0.stop ?? reason }
        verifier.stop()
        queue.stop()
        stopSwitch.turn()
    }
}

// MARK: Thread bodies

extension BatchRun {
    private func read() {
        defer { queue.endInput() }
        var cutter = LineCutter(tokenBytes: options.tokenBytes)
        var buffer = [UInt8](repeating: 0, count: LineCutter.blockBytes)
        while options.input.wait(for: POLLIN, unless: stopSwitch) {
            switch options.input.read(into: &buffer) {
            case .bytes(0):
                guard let last = cutter.end() else { return }
                return hand(last)
            case .bytes(let count):
                cutter.cut(buffer[..<count]) { hand($0) }
            case .notNow:
                continue
            case .failed(let error):
                // All complete lines before the failure are verified. A partial last line is dropped.
                let problem = FileProblem("cannot read", options.inputName, error)
                return end.withLock { $0.readFailure = problem }
            }
        }
    }

    private func hand(_ block: LineBlock) {
        if queue.waitForRoom() { queue.add(block) }
    }

    private func verify() {
        while let (number, block) = queue.take() {
            do {
                guard let verdicts = try verifier.verdicts(on: block, format: options.format) else { return }
                queue.complete(number, verdicts)
            } catch {
                return stop(.failed(FileProblem("cannot encode a verdict: \(error)")))
            }
        }
    }

    private func write() {
        var summary = BatchSummary()
        var progress = options.progress
        while let block = queue.next() {
            guard write(block, &summary) else { break }
            queue.wasWritten()
            progress?.show(lines: summary.lines, bytes: block.inputEnd)
        }
        progress?.erase()
        end.withLock { $0.summary = summary }
    }

    /// Writes whole lines, grouped into writes of at most `PIPE_BUF` bytes unless a single line is longer.
    ///
    /// Writes of up to that size to a pipe are atomic (POSIX.1-2024, write()).
    ///
    /// - Returns: Whether all lines were written; false after a failure or a stop.
    private func write(_ block: VerdictBlock, _ summary: inout BatchSummary) -> Bool {
        var (line, start) = (0, 0)
        while line < block.ends.count {
            var next = line + 1
            while next < block.ends.count, block.ends[next] - start <= PIPE_BUF { next += 1 }
            guard write(block.text[start..<block.ends[next - 1]]) else { return false }
            summary.count(block.verdicts[line..<next])
            (line, start) = (next, block.ends[next - 1])
        }
        return true
    }

    /// Writes lines completely.
    ///
    /// A stop ends the wait only before the first byte is written. After that, the rest is written too.
    private func write(_ lines: ArraySlice<UInt8>) -> Bool {
        var rest = lines
        while !rest.isEmpty {
            guard options.output.wait(for: POLLOUT, unless: rest.count == lines.count ? stopSwitch : nil) else {
                return false
            }
            switch options.output.write(rest) {
            case .bytes(let count): rest = rest.dropFirst(count)
            case .notNow: continue
            case .failed(let error):
                let problem = FileProblem("cannot write", "standard output", error)
                stop(error.code == .EPIPE ? .brokenPipe : .failed(problem))
                return false
            }
        }
        return true
    }
}
#endif
