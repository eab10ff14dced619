// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation

/// The memory use of this process, as Linux reports it.
struct ProcessMemory {
    /// Creates the measurement; nil where the system does not report it, and under a sanitizer, which retains freed
    /// memory.
    init?() {
        guard ProcessInfo.processInfo.environment["LIMITED_LOGIN_QUICK"] != "1", (try? Self.kilobytes("VmRSS")) != nil,
            (try? resetPeak()) != nil
        else { return nil }
    }

    /// Resets the peak, so that earlier memory use cannot hide later use.
    ///
    /// - Returns: The memory in use now, in KiB.
    func startMeasuring() throws -> Int {
        try resetPeak()
        return try Self.kilobytes("VmRSS")
    }

    /// Returns the peak since then, in KiB.
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
