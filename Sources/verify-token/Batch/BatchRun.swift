// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import ArgumentParser
internal import Foundation
internal import LoginServer
internal import Synchronization

/// One run over all lines: a thread reads, several verify, one writes.
///
/// Every wait is on a thread of its own, since all of them can be long; what is waited for can be called off.
final class BatchRun: Sendable {
    /// Why it ended before the input did.
    enum Stop: Sendable {
        /// With the signal's number.
        case signal(Int32)
        /// Nobody reads the verdicts any more.
        case brokenPipe
        /// The input or the output failed, or a verdict could not be written as JSON.
        case failed(FileProblem)

        /// The status of a process that the signal would have ended (POSIX.1-2024, Shell and Utilities §2.8.2).
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
            case .brokenPipe: "nobody reads the verdicts any more"
            case .failed(let problem): problem.description
            }
        }
    }

    struct Options: Sendable {
        let input: Descriptor
        /// The input's name, for errors.
        let inputName: String
        let output = Descriptor.standardOutput
        let format: ReportFormat
        let workers: Int
        /// Where to say how far it has come; nil for nowhere.
        let progress: BatchProgress?
    }

    private let options: Options
    private let verifier: BatchVerifier
    private let queue: BatchQueue<LineBlock, VerdictBlock>
    private let stopSwitch = StopSwitch()
    private let end = Mutex<(stop: Stop?, readFailure: FileProblem?, summary: BatchSummary)>((nil, nil, BatchSummary()))

    /// - Parameters:
    ///   - options: What to read and write, and how.
    ///   - verifier: Who says what becomes of a token.
    init(_ options: Options, verifier: BatchVerifier) {
        self.options = options
        self.verifier = verifier
        // As many blocks as are being verified wait beside them, so that nobody waits for the reader.
        queue = BatchQueue(workers: options.workers, size: 2 * options.workers + 2)
    }

    /// Runs to the end of the input, or until it is stopped.
    ///
    /// - Returns: What became of the lines whose verdicts were written, and why it ended before the input did.
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
        // What is left to do may wait for a terminal that takes nothing.
        for case (let number, let watch?) in watches { Signals.release(watch, of: number) }
        return end.withLock { end in
            // Everything before what could not be read has its verdict; a stop tells more, where there was one.
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

// MARK: Ending

extension BatchRun {
    /// Ends in good order the first time, and at once the second.
    private func interrupt(_ number: Int32) {
        guard end.withLock({ $0.stop == nil }) else { _exit(128 + number) }
        stop(.signal(number))
    }

    /// Calls everybody off; the first reason counts.
    private func stop(_ reason: Stop) {
        end.withLock { $0.stop = $0.stop ?? reason }
        verifier.stop()
        queue.stop()
        stopSwitch.turn()
    }
}

// MARK: On threads

extension BatchRun {
    private func read() {
        defer { queue.endInput() }
        var cutter = LineCutter()
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
                // What came before is whole, but for a line of which nobody knows whether it had ended.
                let problem = FileProblem("cannot read", options.inputName, plain(error))
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

    /// Writes whole lines, as many at once as fit a pipe: it takes all of them or none (POSIX.1-2024, write()).
    ///
    /// - Returns: Whether all were written; otherwise it was stopped, by a failure or from elsewhere.
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

    /// Writes lines whole: once a part of them is written, it waits for the rest to be taken, even where it was stopped.
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
