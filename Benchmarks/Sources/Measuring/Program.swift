// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import CMachine

/// An external program that is run to its end.
public struct Program: Sendable {
    private let arguments: [String]
    private let output: String

    /// Creates a program with its arguments.
    ///
    /// - Parameters:
    ///   - arguments: The name, searched in `PATH` unless it is a path, and the arguments.
    ///   - output: The file that receives its standard output.
    public init(_ arguments: [String], output: String = "/dev/null") {
        self.arguments = arguments
        self.output = output
    }

    /// Runs the program.
    ///
    /// - Returns: The time and memory it used.
    /// - Throws: ``Failure`` if it cannot be started, or does not exit with 0.
    public func run() throws(Failure) -> Run {
        // The texts are concatenated, each with its terminating NUL byte.
        let texts = arguments.flatMap { Array($0.utf8CString) }
        let result = unsafe CMachine_run(texts, texts.count, output)
        guard result.status == 0 else { throw Failure(status: Int(result.status)) }
        return Run(
            wallSeconds: result.wall_seconds,
            processorSeconds: result.cpu_seconds,
            peakBytes: Int(result.peak_bytes)
        )
    }

    /// The time and memory that a run used.
    public struct Run: Sendable {
        /// The time from start to exit.
        public let wallSeconds: Double
        /// The time of all processors together.
        public let processorSeconds: Double
        /// The peak memory, or that of the parent process if that is more.
        public let peakBytes: Int
    }

    /// A program that could not be started or failed.
    public struct Failure: Error, CustomStringConvertible {
        let status: Int

        /// The exit status or signal.
        public var description: String {
            switch status {
            case ..<0: "it could not be started"
            case 129...: "signal \(status - 128) ended it"
            default: "it ended with \(status)"
            }
        }
    }
}
