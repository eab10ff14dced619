// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation

/// How much memory this process uses, as Linux tells it.
struct ProcessMemory {
    /// Nil where the system does not tell, and under a sanitizer, which holds back what was freed.
    init?() {
        guard ProcessInfo.processInfo.environment["LIMITED_LOGIN_QUICK"] != "1", (try? Self.kilobytes("VmRSS")) != nil,
            (try? resetPeak()) != nil
        else { return nil }
    }

    /// Forgets the peak so far, so that what was used before cannot hide what is used from now on.
    ///
    /// - Returns: What is used now, in KiB.
    func startMeasuring() throws -> Int {
        try resetPeak()
        return try Self.kilobytes("VmRSS")
    }

    /// The most that was used since, in KiB.
    func peakKilobytes() throws -> Int {
        try Self.kilobytes("VmHWM")
    }

    private func resetPeak() throws {
        // proc(5): 5 sets the peak resident set size to the current one.
        let file = try FileHandle(forWritingTo: URL(filePath: "/proc/self/clear_refs"))
        try file.write(contentsOf: Data("5".utf8))
        try file.close()
    }

    private static func kilobytes(_ name: String) throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix(name + ":") }),
            let value = Int(line.filter(\.isNumber))
        else { throw CocoaError(.fileReadCorruptFile) }
        return value
    }
}
