// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
import Foundation
import Testing

/// A page of `docs/guides/providers`.
struct ProviderPage {
    private static let directory = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../docs/guides/providers")

    /// The lines of the page.
    let lines: [Substring]

    /// Reads the page with this name, without `.md`.
    init(named name: String) throws {
        let file = Self.directory.appending(path: "\(name).md")
        lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
    }

    /// The names of all pages, without the index.
    static var names: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: directory.path).filter { $0.hasSuffix(".md") }
                .map { String($0.dropLast(3)) }.filter { $0 != "README" }.sorted()
        }
    }

    /// Returns the configuration with this number, from 0.
    func configuration(_ number: Int) throws -> String {
        let blocks = lines.split(separator: "```yaml", omittingEmptySubsequences: false).dropFirst()
        let block = try #require(blocks.dropFirst(number).first)
        return block.prefix { $0 != "```" }.joined(separator: "\n") + "\n"
    }

    /// The redirect URI to be registered, with the placeholder `HOST`.
    var redirectURI: String {
        get throws {
            let line = try #require(lines.first { $0.contains("https://HOST/") })
            let start = try #require(line.firstRange(of: "https://HOST/")).lowerBound
            return String(line[start...].prefix { !"`\" ,.".contains($0) || $0 == "." })
        }
    }

    /// The results of the usual mistakes: the texts in the first cell of each row.
    var results: [[String]] {
        let table = lines.drop { !$0.hasPrefix("| result |") }.dropFirst(2).prefix { $0.hasPrefix("|") }
        return table.map { row in
            let cell = row.dropFirst().prefix { $0 != "|" }
            let parts = cell.split(separator: "`", omittingEmptySubsequences: false)
            return parts.indices.filter { $0 % 2 == 1 }.map { String(parts[$0]) }
        }
    }
}
#endif
