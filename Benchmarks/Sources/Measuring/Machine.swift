// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation

/// A description of the machine, so that a reader can judge the numbers.
public enum Machine {
    /// The processor, the number of its cores, and the kernel.
    public static var description: String {
        let information = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        let model = information.split(separator: "\n").first { $0.hasPrefix("model name") }?
            .split(separator: ":").last?.trimmingCharacters(in: .whitespaces)
        let system = ProcessInfo.processInfo
        return "\(model ?? "unknown processor"), \(system.activeProcessorCount) of them usable; "
            + system.operatingSystemVersionString
    }

    /// The load average of the last minute.
    public static var load: String {
        let text = try? String(contentsOfFile: "/proc/loadavg", encoding: .utf8)
        return text?.split(separator: " ").first.map(String.init) ?? "unknown"
    }

    /// The peak memory of this process; nil where the kernel does not report it.
    public static var peakBytes: Int? {
        let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = text?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * 1024 }
    }
}

/// The processors' time since boot by use, in ticks of the kernel.
public struct ProcessorTimes {
    private let idle: Double
    private let stolen: Double
    private let all: Double

    /// Reads the current values; nil where the kernel does not report them.
    public static func now() -> Self? {
        // proc_stat(5): user, nice, system, idle, iowait, irq, softirq, steal; the time of guests is included in user.
        let text = try? String(contentsOfFile: "/proc/stat", encoding: .utf8)
        let line = text?.split(separator: "\n").first { $0.hasPrefix("cpu ") }
        let numbers = line?.split(separator: " ").dropFirst().prefix(8).compactMap { Double($0) } ?? []
        guard numbers.count == 8 else { return nil }
        return Self(idle: numbers[3] + numbers[4], stolen: numbers[7], all: numbers.reduce(0, +))
    }

    /// Describes the shares of processor time since then that were stolen and idle.
    public func sentence(since start: Self) -> String {
        let passed = max(all - start.all, 1)
        let stolen = (self.stolen - start.stolen) / passed * 100
        let idle = (self.idle - start.idle) / passed * 100
        return String(format: "stolen by other machines %.1f %%, idle %.1f %% of the processors' time", stolen, idle)
    }
}
