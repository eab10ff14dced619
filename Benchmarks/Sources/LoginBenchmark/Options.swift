// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation

/// The command-line options.
struct Options {
    static let usage = """
        usage: LoginBenchmark [option value]...

          --rounds NUMBER          quotients for each row (300); fewer are faster and less certain
          --batch-tokens NUMBER    lines of the file that `verify-token batch` reads (1000000)
          --verify-token FILE      the command, built for release (.build-install/release/verify-token)
          --directory DIRECTORY    for files that are made (.build-benchmarks/files)
          --json FILE              where the JSON lines go (after the table)
        """

    var rounds = 300
    var batchTokens = 1_000_000
    var program = ".build-install/release/verify-token"
    var directory = URL(filePath: ".build-benchmarks/files")
    var json: URL?

    /// Parses the arguments; nil if they are invalid.
    init?(_ arguments: [String]) {
        var rest = arguments[...]
        while let name = rest.popFirst() {
            guard let value = rest.popFirst() else { return nil }
            switch name {
            case "--rounds": rounds = Int(value) ?? 0
            case "--batch-tokens": batchTokens = Int(value) ?? 0
            case "--verify-token": program = value
            case "--directory": directory = URL(filePath: value)
            case "--json": json = URL(filePath: value)
            default: return nil
            }
        }
        guard rounds > 0, batchTokens > 0 else { return nil }
    }
}
