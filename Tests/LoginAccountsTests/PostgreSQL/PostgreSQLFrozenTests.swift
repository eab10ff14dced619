// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if PostgreSQL
import Foundation
import LoginAccounts
import LoginStorePostgreSQL
import TestSupport
import Testing

/// A server that accepts connections but no longer responds: a separate one, one process of which is stopped.
@Suite(.enabled(if: PostgreSQLServer.connection != nil)) struct PostgreSQLFrozenTests {
    private static let timeouts = PostgreSQLTimeouts(
        freeConnection: .seconds(60),
        connecting: .seconds(10),
        lock: .seconds(10),
        statement: .seconds(10),
        idleTransaction: .seconds(60)
    )

    @Test(.rule("STORE-15"), .timeLimit(.minutes(10)), arguments: [true, false])
    func `an unresponsive server times out, its connections are replaced, and the shutdown completes`(inCommit: Bool)
        async throws
    {
        try await withServer { try await freeze($0, inCommit: inCommit) }
    }

    @Test(.rule("STORE-15"), .timeLimit(.minutes(5)))
    func `a read with one statement replaces a connection that stopped responding while idle`() async throws {
        try await withServer { directory in
            // Only the timeout of what a server answers at once ends the wait within the time limit of the test.
            var timeouts = Self.timeouts
            timeouts.statement = .seconds(3600)
            let store = try PostgreSQLAccountStore(
                "host=\(directory) user=login dbname=postgres",
                connections: 1,
                timeouts: timeouts
            )
            let query = "SELECT pg_catalog.pg_backend_pid() AS pid"
            let first = try #require(try await store.sql(query).integer("pid"))
            #expect(kill(pid_t(first), SIGSTOP) == 0)
            defer { kill(pid_t(first), SIGCONT) }
            let next = try await store.readOnce { rows in try rows.sql(query) }
            #expect(try #require(next.integer("pid")) != first)
            await store.shutdown()
        }
    }

    /// Calls a body with the directory of a server of its own, which is removed afterwards.
    private func withServer(_ body: (String) async throws -> Void) async throws {
        let directory = try await PostgreSQLServer.run(["scripts/postgresql", "start"])
        let result: Result<Void, any Error>
        do { result = .success(try await body(directory)) } catch { result = .failure(error) }
        try await PostgreSQLServer.run(["scripts/postgresql", "remove", directory])
        try result.get()
    }

    private func freeze(_ directory: String, inCommit: Bool) async throws {
        let store = try PostgreSQLAccountStore(
            "host=\(directory) user=login dbname=postgres",
            connections: 1,
            timeouts: Self.timeouts
        )
        try await store.sql("CREATE TABLE kept (n BIGINT PRIMARY KEY)")
        let stopped = Shared<pid_t>(0)
        defer { if stopped.now > 0 { kill(stopped.now, SIGCONT) } }
        let began = ContinuousClock.now
        let fault = try await store.fault { rows in
            try rows.sql("INSERT INTO kept VALUES (1)")
            let process = try #require(rows.sql("SELECT pg_catalog.pg_backend_pid() AS pid").integer("pid"))
            #expect(kill(pid_t(process), SIGSTOP) == 0)
            stopped.change { $0 = pid_t(process) }
            if !inCommit { try rows.sql("INSERT INTO kept VALUES (2)") }
        }
        #expect(fault.code == .unavailable)
        #expect(fault.detail.contains("does not respond in time"))
        #expect(fault.detail.contains("may have been written") == inCommit)
        // The timeout of the statement plus five seconds; the server does not end it.
        let elapsed = ContinuousClock.now - began
        #expect(elapsed > .seconds(10) && elapsed < .seconds(120))
        // The only connection was closed and replaced.
        #expect(try await store.sql("SELECT 7 AS n").integer("n") == 7)
        // A connection that stopped responding while idle is detected at its next use.
        let next = try #require(try await store.sql("SELECT pg_catalog.pg_backend_pid() AS pid").integer("pid"))
        #expect(kill(pid_t(next), SIGSTOP) == 0)
        defer { kill(pid_t(next), SIGCONT) }
        #expect(try await store.sql("SELECT 8 AS n").integer("n") == 8)
        await store.shutdown()
    }
}
#endif
