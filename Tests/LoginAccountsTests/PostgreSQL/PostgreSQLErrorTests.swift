// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if PostgreSQL
import Dispatch
import Foundation
import LoginAccounts
import LoginStorePostgreSQL
import Testing

/// Errors of a real server, and their descriptions.
@Suite(.enabled(if: PostgreSQLServer.connection != nil)) struct PostgreSQLErrorTests {
    @Test(arguments: [
        ("INSERT INTO kept VALUES (1, 'secret-words')", StoreError.Code.constraint, "23505"),
        ("UPDATE kept SET n = 1, t = 'secret-words' WHERE n = 2", .constraint, "23505"),
        ("INSERT INTO kept (t) VALUES ('secret-words')", .constraint, "23502"),
        ("INSERT INTO kept VALUES (-1, 'secret-words')", .constraint, "23514"),
        ("INSERT INTO child VALUES (99)", .constraint, "23503"),
        ("UPDATE kept SET n = n + 9223372036854775807", .constraint, "22003"),
        ("SELECT 'secret-words'::bigint", .constraint, "22P02"),
        ("INSERT INTO kept VALUES (5, repeat(md5('secret-words'), 1000000))", .constraint, "54000"),
        ("SELECT 'secret-words", .constraint, "42601"),
        ("SELECT * FROM secret_words", .schema, "42P01"),
        ("SELECT secret_words FROM kept", .schema, "42703"),
        ("SELECT secret_words(1)", .schema, "42883"),
        ("CREATE TABLE secret_words.kept (n BIGINT)", .schema, "3F000"),
        ("COPY kept TO STDOUT", .constraint, "COPY"),
        ("DO $$ BEGIN RAISE EXCEPTION 'secret-words'; END $$", .constraint, "P0001"),
    ])
    func `each server error has a code, and its description contains no value of a row`(
        statement: String,
        code: StoreError.Code,
        says: String
    ) async throws {
        try await PostgreSQLServer.withStore { store async throws in
            try await store.sql("CREATE TABLE kept (n BIGINT PRIMARY KEY CHECK (n > 0), t TEXT UNIQUE)")
            try await store.sql(
                "CREATE TABLE child (n BIGINT REFERENCES kept (n) DEFERRABLE INITIALLY DEFERRED)"
            )
            try await store.sql("INSERT INTO kept VALUES (1, 'one'), (2, 'two')")
            let fault = try await store.fault(statement)
            #expect(fault.code == code)
            #expect(fault.description.contains(says), "\(fault)")
            #expect(!fault.description.contains("secret"), "\(fault)")
            #expect(try await store.sql("SELECT count(*) AS n FROM kept").integer("n") == 2)
        }
    }

    @Test func `a missing privilege is a schema error`() async throws {
        try await PostgreSQLServer.withStore { store async throws in
            let fault = try await store.fault { rows in
                try rows.sql("CREATE TABLE kept (n BIGINT)")
                try rows.sql("SET LOCAL ROLE pg_monitor")
                try rows.sql("SELECT * FROM kept")
            }
            #expect(fault.code == .schema)
        }
    }

    @Test func `a server that refuses writes is unavailable`() async throws {
        try await PostgreSQLServer.withStore { store async throws in
            try await store.sql("CREATE TABLE kept (n BIGINT)")
            let fault = try await store.fault { rows in
                try rows.sql("SET LOCAL transaction_read_only = on")
                try rows.sql("INSERT INTO kept VALUES (1)")
            }
            #expect(fault.code == .unavailable)
            #expect(try await store.sql("SELECT count(*) AS n FROM kept").integer("n") == 0)
        }
    }

    @Test func `in a deadlock one transaction is busy, and nothing of it is written`() async throws {
        try await PostgreSQLServer.withStore { store async throws in
            try await store.sql("CREATE TABLE kept (n BIGINT PRIMARY KEY, count BIGINT)")
            try await store.sql("INSERT INTO kept VALUES (1, 0), (2, 0)")
            let both = (Latch(), Latch())
            let codes = await withTaskGroup(of: StoreError.Code?.self) { group in
                let orders: [(Int64, Int64, Latch, Latch)] = [(1, 2, both.0, both.1), (2, 1, both.1, both.0)]
                for (first, second, mine, other) in orders {
                    group.addTask {
                        do {
                            try await store.transaction { rows in
                                let add = "UPDATE kept SET count = count + 1 WHERE n = $1"
                                try rows.sql(add, [.integer(first)])
                                mine.open()
                                other.wait()
                                try rows.sql(add, [.integer(second)])
                            }
                            return nil
                        } catch {
                            return (error as? StoreError)?.code
                        }
                    }
                }
                return await group.reduce(into: [StoreError.Code?]()) { $0.append($1) }
            }
            #expect(codes.count { $0 == nil } == 1)
            #expect(codes.count { $0 == .busy } == 1)
            #expect(try await store.sql("SELECT sum(count)::bigint AS n FROM kept").integer("n") == 2)
        }
    }

    @Test func `a lock that is not acquired within the timeout is a busy error`() async throws {
        try await PostgreSQLServer.withStore(timeouts: .patient(lock: .milliseconds(100))) {
            store async throws in
            try await store.sql("CREATE TABLE kept (n BIGINT PRIMARY KEY)")
            try await store.sql("INSERT INTO kept VALUES (1)")
            let (holds, held) = AsyncStream.makeStream(of: Void.self)
            let latch = Latch()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await store.transaction { rows in
                        try rows.sql("UPDATE kept SET n = 2")
                        held.yield()
                        latch.wait()
                    }
                }
                for await _ in holds { break }
                #expect(try await store.fault("UPDATE kept SET n = 3").code == .busy)
                // The same for a key that another transaction has inserted but not committed.
                #expect(try await store.fault("INSERT INTO kept VALUES (2) ON CONFLICT DO NOTHING").code == .busy)
                latch.open()
                try await group.waitForAll()
            }
            #expect(try await store.sql("SELECT n FROM kept").integer("n") == 2)
        }
    }

    @Test func `a statement that exceeds its timeout is an unavailable error, and the connection stays open`()
        async throws
    {
        let timeouts = PostgreSQLTimeouts.patient(statement: .seconds(3))
        try await PostgreSQLServer.withStore(connections: 1, timeouts: timeouts) { store async throws in
            let before = try await store.sql("SELECT pg_backend_pid() AS n")
            let fault = try await store.fault("SELECT pg_sleep(60)")
            #expect(fault.code == .unavailable)
            #expect(fault.detail.contains("57014"))
            #expect(try await store.sql("SELECT pg_backend_pid() AS n") == before)
        }
    }

    @Test func `the server ends a transaction that is idle for too long`() async throws {
        let timeouts = PostgreSQLTimeouts.patient(idleTransaction: .seconds(3))
        try await PostgreSQLServer.withStore(connections: 1, timeouts: timeouts) { store async throws in
            try await store.sql("CREATE TABLE kept (n BIGINT)")
            let fault = try await store.fault { rows in
                try rows.sql("INSERT INTO kept VALUES (1)")
                hang(milliseconds: 10_000)
                try rows.sql("INSERT INTO kept VALUES (2)")
            }
            #expect(fault.code == .unavailable)
            #expect(try await store.sql("SELECT count(*) AS n FROM kept").integer("n") == 0)
        }
    }

    @Test func `a connection lost within a transaction is an unavailable error, and is replaced for the next one`()
        async throws
    {
        try await PostgreSQLServer.withStore(connections: 1) { store async throws in
            try await store.sql("CREATE TABLE kept (n BIGINT)")
            let fault = try await store.fault { rows in
                try rows.sql("INSERT INTO kept VALUES (1)")
                try rows.sql("SELECT pg_terminate_backend(pg_backend_pid())")
            }
            #expect(fault.code == .unavailable)
            #expect(!fault.detail.contains("may have been written"))
            #expect(try await store.sql("SELECT count(*) AS n FROM kept").integer("n") == 0)
        }
    }

    @Test func `a connection that broke while idle is replaced without an error`() async throws {
        try await PostgreSQLServer.withStore(connections: 1) { store async throws in
            let first = try await store.sql("SELECT pg_backend_pid() AS n")
            try await PostgreSQLServer.withStore { other async throws in
                try await other.sql("SELECT pg_terminate_backend($1::integer, 5000)", .integer(first.integer("n") ?? 0))
            }
            let second = try await store.sql("SELECT pg_backend_pid() AS n")
            #expect(first != second)
        }
    }

    @Test func `a read with one statement replaces a connection that broke while idle, without an error`()
        async throws
    {
        try await PostgreSQLServer.withStore(connections: 1) { store async throws in
            let first = try await store.sql("SELECT pg_backend_pid() AS n")
            try await PostgreSQLServer.withStore { other async throws in
                try await other.sql("SELECT pg_terminate_backend($1::integer, 5000)", .integer(first.integer("n") ?? 0))
            }
            let second = try await store.readOnce { rows in try rows.sql("SELECT pg_backend_pid() AS n") }
            #expect(first != second)
        }
    }

    @Test func `a commit whose response is lost is reported as possibly written`() async throws {
        try await PostgreSQLServer.withStore(connections: 1) { store async throws in
            try await store.transaction { rows in
                try rows.sql("CREATE TABLE kept (n BIGINT)")
                try rows.sql(
                    """
                    CREATE FUNCTION leave() RETURNS trigger LANGUAGE plpgsql AS
                        'BEGIN PERFORM pg_catalog.pg_terminate_backend(pg_catalog.pg_backend_pid()); RETURN NULL; END'
                    """
                )
                try rows.sql(
                    """
                    CREATE CONSTRAINT TRIGGER leave AFTER INSERT ON kept DEFERRABLE INITIALLY DEFERRED
                        FOR EACH ROW EXECUTE FUNCTION leave()
                    """
                )
            }
            let fault = try await store.fault("INSERT INTO kept VALUES (1)")
            #expect(fault.code == .unavailable)
            #expect(fault.detail.contains("may have been written"))
        }
    }

    @Test func `no connections leak after many errors`() async throws {
        let name = "leak-\(UInt32.random(in: 0 ... .max))"
        try await PostgreSQLServer.withStore(connections: 3, name: name) { store async throws in
            try await store.sql("CREATE TABLE kept (n BIGINT PRIMARY KEY)")
            let statements = [
                "SELECT pg_terminate_backend(pg_backend_pid())", "SELECT * FROM missing",
                "INSERT INTO kept VALUES (1), (1)",
                "COPY kept TO STDOUT", "COMMIT", "SELECT 1",
            ]
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<60 {
                    group.addTask { _ = try? await store.sql(statements[number % statements.count]) }
                }
            }
            #expect(try await Self.connections(called: name, is: { $0 <= 3 }))
            #expect(try await store.sql("SELECT 1 AS n").integer("n") == 1)
        }
        #expect(try await Self.connections(called: name, is: { $0 == 0 }))
    }

    /// Polls for some time, since the server closes abandoned connections a moment later.
    private static func connections(called name: String, is enough: (Int64) -> Bool) async throws -> Bool {
        try await PostgreSQLServer.withStore(connections: 1) { store async throws in
            for _ in 0..<3000 {
                let count = try await store.sql(
                    "SELECT count(*) AS n FROM pg_catalog.pg_stat_activity WHERE application_name = $1",
                    .text(name)
                )
                if let count = count.integer("n"), enough(count) { return true }
                try await Task.sleep(for: .milliseconds(20))
            }
            return false
        }
    }
}

/// Blocks this thread, as a body does that calls a blocking function.
func hang(milliseconds: UInt32) {
    usleep(milliseconds * 1000)
}
#endif
