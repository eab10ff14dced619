// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import CMachine

/// Another program: run from its beginning to its end.
public struct Program: Sendable {
    private let arguments: [String]
    private let output: String

    /// A program and what it is given.
    ///
    /// - Parameters:
    ///   - arguments: Its name, looked for in `PATH` if it is no path, and its arguments.
    ///   - output: The file that takes what it prints.
    public init(_ arguments: [String], output: String = "/dev/null") {
        self.arguments = arguments
        self.output = output
    }

    /// Runs it.
    ///
    /// - Returns: What it took.
    /// - Throws: ``Failure`` if it cannot be started, or does not end with 0.
    public func run() throws(Failure) -> Run {
        // One text after the other, each with the zero that ends it in C.
        let texts = arguments.flatMap { Array($0.utf8CString) }
        let result = unsafe CMachine_run(texts, texts.count, output)
        guard result.status == 0 else { throw Failure(status: Int(result.status)) }
        return Run(
            wallSeconds: result.wall_seconds,
            processorSeconds: result.cpu_seconds,
            peakBytes: Int(result.peak_bytes)
        )
    }

    /// What a run took.
    public struct Run: Sendable {
        /// From start to end.
        public let wallSeconds: Double
        /// Of all processors together.
        public let processorSeconds: Double
        /// The most memory at once, or that of the program that started it, whichever is more.
        public let peakBytes: Int
    }

    /// It did not end well.
    public struct Failure: Error, CustomStringConvertible {
        let status: Int

        /// How it ended.
        public var description: String {
            switch status {
            case ..<0: "it could not be started"
            case 129...: "signal \(status - 128) ended it"
            default: "it ended with \(status)"
            }
        }
    }
}
