// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import TestSupport
internal import Testing

@testable internal import LimitedLogin

/// The time for which Facebook serves versions of its Graph API.
@Suite(.rule("F6.23")) struct GraphVersionStatusTests {
    private func status(_ version: String, _ time: String) throws -> GraphVersionStatus {
        try FacebookApp(id: "1", graphVersion: version).graphVersionStatus(at: Date(time, strategy: .iso8601))
    }

    private static let unknownDay = "this release does not know the day on which it ends"

    @Test(arguments: [
        ("v21.0", "2026-10-22T23:59:59Z", "served until 2027-01-21 at least", false),
        ("v21.0", "2026-10-23T00:00:00Z", "served only until 2027-01-21", true),
        ("v21.0", "2027-01-20T23:59:59Z", "served only until 2027-01-21", true),
        ("v21.0", "2027-01-21T00:00:00Z", "not served since 2027-01-21 at the latest", true),
        ("v2.10", "2026-11-27T00:00:00Z", "not served since 2026-09-24 at the latest", true),
        ("v27.0", "2028-08-05T23:59:59Z", "served until 2028-11-04 at least", false),
        ("v26.0", "2028-08-06T00:00:00Z", "served until 2028-11-04 at least; \(unknownDay)", true),
        ("v27.0", "2040-01-01T00:00:00Z", "served until 2028-11-04 at least; \(unknownDay)", true),
        ("v28.0", "2040-01-01T00:00:00Z", "newer than this release, which does not know when it ends", false),
    ])
    func `a version is a warning from 90 days before its end`(
        version: String,
        time: String,
        sentence: String,
        isWarning: Bool
    ) throws {
        let status = try status(version, time)
        #expect("\(status)" == sentence && status.isWarning == isWarning)
    }

    @Test func `versions and their days ascend, and each day is valid`() throws {
        let (versions, days) = (GraphVersionStatus.ends.map(\.version), GraphVersionStatus.ends.map(\.day))
        let dates = try days.map { try #require(GraphVersionStatus.date($0)) }
        #expect(versions == Array(Set(versions)).sorted() && dates == dates.sorted())
        #expect(dates.map { GraphVersionStatus.day($0) } == days)
    }

    @Test func `this release knows until when the default version is served at least`() throws {
        let app = try FacebookApp(id: "1")
        #expect(app.graphVersion == FacebookApp.defaultGraphVersion)
        #expect(app.graphVersionStatus(at: .distantFuture) != .unknown)
    }
}
