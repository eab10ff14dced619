// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginTesting
import TestSupport
import Testing

@testable import LoginAccounts

@Suite struct StoreTimeTests {
    @Test(.rule("STORE-16"), arguments: [Int64.min, .min + 1, -1, 0, 1, .max - 1, .max])
    func `any stored number is read as a time of the years 1 to 9999 that durations can be added to`(_ number: Int64)
        throws
    {
        let column = StoreColumn.integer("created_at")
        var row = StoreRow()
        row[column] = .integer(number)
        let read = try row.value(column, of: StoreTime.self)
        let ends = [StoreTime(milliseconds: .min), StoreTime(milliseconds: .max)]
        for duration in [Duration.zero, .seconds(1), .seconds(Int64.max), .seconds(Int64.min)] {
            for time in [read + duration, read - duration] { #expect(ends[0] <= time && time <= ends[1]) }
        }
        #expect(ends.map(\.milliseconds) == [StoreTime.range.lowerBound, StoreTime.range.upperBound])
        #expect(StoreTime(milliseconds: StoreTime.range.upperBound - 1) < ends[1])
    }

    @Test(.rule("STORE-16")) func `the columns whose names denote times are times, and no others`() throws {
        let columns = StoreSchema.tables.flatMap(\.columns)
        for name in ["at", "created_at", "ends_at", "factor_locked_until", "idle_expires_at", "next_at", "level_at"] {
            #expect(try #require(columns.first { $0.name == name }).isTime)
        }
        for name in ["generation", "level", "count", "attempts", "sealed_with", "session_epoch", "last_step"] {
            #expect(try #require(columns.first { $0.name == name }).isTime == false)
        }
    }

    @Test(.rule("STORE-16"), arguments: StoreUnderTest.all)
    func `a session whose row contains extreme times can be used and refreshed`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        _ = try await fixture.store.transaction { rows in
            try rows.update(
                SessionRecord.table,
                set: ["rotated_at", "last_seen_at", "level_at", "authenticated_at"].map {
                    StoreColumn.integer($0).becomes(Int64.max)
                },
                where: []
            )
        }
        let session = try await fixture.auth.session(ada.tokens.sessionToken)
        #expect(!session.isRecent)
        _ = try await fixture.auth.refresh(ada.tokens.refreshToken)
    }
}
