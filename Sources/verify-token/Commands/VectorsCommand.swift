// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import ArgumentParser
internal import Foundation
internal import LimitedLoginTesting
internal import LoginServer
internal import LoginTesting
internal import LoginTokens

/// A command that runs test vectors.
struct VectorsCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "vectors",
        abstract: "Run test vectors, and print those whose result differs from the expected one."
    )

    @Argument(
        help: ArgumentHelp(
            "Files, or folders whose .json files are run, except .schema.json.",
            valueName: "path"
        )
    )
    var paths: [String]

    func run() async throws {
        var passed = 0
        var failed = 0
        for path in try files() {
            let results: [VectorResult]
            do {
                results = try await VectorFile(json: readFile(path, limit: VectorFile.maximumBytes)).run()
            } catch {
                FileHandle.warn(error is VectorFileError ? "\(ShownArgument(path)): \(error)" : "\(error)")
                throw (error as? FileProblem)?.status ?? .undecided
            }
            for result in results {
                guard let failure = result.failure else { continue }
                try show("\(printable(path)): \(printable(result.id)): \(printable(failure))")
            }
            let failures = results.count { $0.failure != nil }
            passed += results.count - failures
            failed += failures
            try show("\(printable(path)): \(results.count - failures) of \(results.count)")
        }
        try show("\(passed) passed, \(failed) failed")
        guard failed == 0 else { throw ExitCode.refused }
    }

    private func files() throws -> [String] {
        try paths.flatMap { path throws -> [String] in
            // A path that is not a readable folder is read as a file, whose error names the problem.
            guard let names = try? FileManager.default.contentsOfDirectory(atPath: path).sorted() else { return [path] }
            let vectors = names.filter { $0.hasSuffix(".json") && !$0.hasSuffix(".schema.json") }
            guard !vectors.isEmpty else {
                FileHandle.warn("there are no .json files in \(ShownArgument(path))")
                throw ExitCode.undecided
            }
            return vectors.map { path + "/" + $0 }
        }
    }
}
#endif
