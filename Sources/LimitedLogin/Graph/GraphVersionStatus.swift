// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The time for which Facebook serves a version of its Graph API and of its dialogs.
///
/// Facebook promises two years for each version, and serves it for two years after the release of the next one. Calls
/// of a later time are answered in the oldest version that is still served, which may differ.
public enum GraphVersionStatus: Sendable, Hashable {
    /// Facebook serves the version until this date, at least.
    case served(until: Date)
    /// The version is served until this date, which is 90 days away at most.
    case ending(Date)
    /// Facebook no longer serves the version, since this date or an earlier one.
    case ended(Date)
    /// The version is newer than this release, which does not know its dates.
    case unknown

    /// Whether another version should be configured.
    public var isWarning: Bool {
        switch self {
        case .served, .unknown: false
        case .ending, .ended: true
        }
    }

    /// The time before the end of a version from which on its use is a warning.
    private static let notice: TimeInterval = 90 * 86_400

    /// The days on which versions end, by Facebook's changelog of November 2026.
    ///
    /// The changelog has no day yet for the two latest versions. The day of v26.0 is two years after the release of
    /// v27.0, and that of v27.0 two years after its own.
    private static let ends: [(version: Int, day: String)] = [
        (20, "2026-09-24"), (21, "2027-01-21"), (22, "2027-05-20"), (23, "2027-10-08"), (24, "2028-02-18"),
        (25, "2028-07-29"), (26, "2028-11-04"), (27, "2028-11-04"),
    ]

    /// Creates the status of a version.
    ///
    /// - Parameters:
    ///   - version: The version, in the form of `v21.0`.
    ///   - date: The time.
    package init(of version: String, at date: Date) {
        let major = version.dropFirst().split(separator: ".").first.flatMap { Int($0) } ?? 0
        guard let end = Self.ends.first(where: { major <= $0.version }).flatMap({ Self.date($0.day) }) else {
            self = .unknown
            return
        }
        self =
            end <= date
            ? .ended(end) : end.addingTimeInterval(-Self.notice) <= date ? .ending(end) : .served(until: end)
    }

    /// Returns the beginning of a day in UTC.
    private static func date(_ day: String) -> Date? {
        try? Date(day, strategy: Date.ISO8601FormatStyle().year().month().day())
    }

    /// Returns the day of a date in UTC, for example `2028-11-04`.
    package static func day(_ date: Date) -> String { date.formatted(Date.ISO8601FormatStyle().year().month().day()) }
}

extension GraphVersionStatus: CustomStringConvertible {
    /// The status as a sentence, without the version.
    public var description: String {
        switch self {
        case .served(let end): "served until \(Self.day(end)) at least"
        case .ending(let end): "served only until \(Self.day(end))"
        case .ended(let end): "not served since \(Self.day(end)) at the latest"
        case .unknown: "newer than this release, which does not know when it ends"
        }
    }
}

extension FacebookApp {
    /// The version of Facebook's dialogs and Graph API that an app has by default: the latest when this release was
    /// made.
    public static let defaultGraphVersion = "v27.0"

    /// Returns whether Facebook serves the app's version of the Graph API.
    ///
    /// ```swift
    /// let status = app.graphVersionStatus(at: Date())
    /// if status.isWarning { logger.warning("Graph API version ends", metadata: ["status": "\(status)"]) }
    /// ```
    ///
    /// - Parameter date: The time.
    /// - Returns: The status, which no request is needed for.
    public func graphVersionStatus(at date: Date) -> GraphVersionStatus {
        GraphVersionStatus(of: graphVersion, at: date)
    }
}
