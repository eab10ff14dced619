// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import Foundation
import Testing

@testable import LoginPages

/// Writes every page into a directory for inspection: `PAGE_GALLERY=DIRECTORY swift test --filter PageGallery ...`.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["PAGE_GALLERY"] != nil)) struct PageGallery {
    @Test func `every page is written into a directory`() throws {
        let directory = URL(filePath: try #require(ProcessInfo.processInfo.environment["PAGE_GALLERY"]))
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        try StyleSheet.text.write(to: directory.appending(path: "style.css"), atomically: true, encoding: .utf8)
        for (name, page) in PageSamples.plain.all {
            let markup = page.html.markup.replacing(StyleSheet.asset.path.text, with: "style.css")
            let file = directory.appending(path: name.replacing(", ", with: "-").replacing(" ", with: "-") + ".html")
            try markup.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).count > PageSamples.plain.all.count)
    }
}
#endif
