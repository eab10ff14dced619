// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if PostgreSQL
import LoginAccounts
import LoginStorePostgreSQL
import Testing

/// Opening, sharing and closing connections.
@Suite(.enabled(if: PostgreSQLServer.connection != nil)) struct PostgreSQLConnectionTests {
    private static let password = "hunter2-hunter2"

    @Test(arguments: [
        "password=\(password) host", "postgresql://login@host/?passwrd=\(password)",
        "host=localhost passwrd=\(password)", "host='\(password)",
    ])
    func `an invalid connection string is refused at once, and not quoted`(connection: String)
        throws
    {
        let fault = #expect(throws: StoreError.self) { try PostgreSQLAccountStore(connection) }
        #expect(fault?.code == .unavailable)
        #expect(fault?.description.contains("hunter2") == false)
        #expect(fault?.description.contains("connection string") == true)
        #expect(throws: StoreError.self) { try PostgreSQLAccountStore("host=localhost\0\(connection)") }
    }

    @Test(arguments: [
        ("host=/nowhere/\(password)", "no server responds"),
        // A password with an @, after which libpq expects the host.
        ("postgresql://login:pass@\(password)@127.0.0.1:1/db", "responds"),
        ("host=127.0.0.1 port=1 password=\(password)", "no server responds"),
        ("postgresql://login:\(password)@localhost:port/", "connection string"),
        ("host=localhost sslmode=\(password)", "an option"),
    ])
    func `an unreachable server is reported without the connection string`(connection: String, says: String)
        async throws
    {
        let store = try PostgreSQLAccountStore(connection)
        let fault = try await store.fault("SELECT 1")
        #expect(fault.code == .unavailable)
        #expect(fault.detail.contains(says), "\(fault)")
        #expect(!fault.description.contains("hunter2"), "\(fault)")
        await store.shutdown()
    }

    @Test func `a wrong password or database name is reported without its text, and correct ones are accepted`()
        async throws
    {
        let server = try #require(PostgreSQLServer.connection)
        try await PostgreSQLServer.withStore(connections: 1) { store async throws in
            try await store.sql(
                """
                DO $$ BEGIN CREATE ROLE login_password LOGIN PASSWORD '\(Self.password)';
                EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$
                """
            )
        }
        let cases = [
            ("user=login_password password=\(Self.password)", true),
            ("user=login_password password=\(Self.password)-no", false),
            ("user=login_password", false), ("dbname=hunter2", false), ("user=hunter2", false),
        ]
        for (words, isRight) in cases {
            let store = try PostgreSQLAccountStore("\(server) \(words)", timeouts: .patient())
            if isRight {
                #expect(try await store.sql("SELECT 1 AS n").integer("n") == 1)
            } else {
                let fault = try await store.fault("SELECT 1")
                #expect(fault.code == .unavailable)
                #expect(fault.detail.contains("refuses the connection"))
                #expect(!fault.description.contains("hunter2"))
            }
            await store.shutdown()
        }
    }

    @Test func `a database that is not encoded as UTF-8 is refused`() async throws {
        let server = try #require(PostgreSQLServer.connection)
        // CREATE DATABASE cannot run within a transaction, so psql runs it. `template0` permits another encoding.
        let name = "latin_\(UInt32.random(in: 0 ... .max))"
        try await psql(server, "CREATE DATABASE \(name) TEMPLATE template0 ENCODING 'LATIN1'")
        let store = try PostgreSQLAccountStore("\(server) dbname=\(name)", timeouts: .patient())
        #expect(try await store.fault("SELECT 1").code == .schema)
        await store.shutdown()
        try await psql(server, "DROP DATABASE \(name) WITH (FORCE)")
    }

    @Test func `a transaction waits for a free connection, and fails after the timeout`() async throws {
        let timeouts = PostgreSQLTimeouts.patient(freeConnection: .milliseconds(200))
        try await PostgreSQLServer.withStore(connections: 1, timeouts: timeouts) { store async throws in
            try await store.sql("SELECT 1")
            let latch = Latch()
            let (begins, began) = AsyncStream.makeStream(of: Void.self)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await store.transaction { rows in
                        began.yield()
                        latch.wait()
                    }
                }
                for await _ in begins { break }
                let fault = try await store.fault("SELECT 1")
                #expect(fault.code == .unavailable)
                #expect(fault.detail.contains("no connection was free"))
                latch.open()
                try await group.waitForAll()
            }
            #expect(try await store.sql("SELECT 1 AS n").integer("n") == 1)
        }
    }

    @Test func `cancellation ends the wait for a connection, but not a transaction that has begun`() async throws {
        try await PostgreSQLServer.withStore(connections: 1) { store async throws in
            try await store.sql("CREATE TABLE kept (n BIGINT)")
            let latch = Latch()
            let (begins, began) = AsyncStream.makeStream(of: Void.self)
            let first = Task {
                try await store.transaction { rows in
                    began.yield()
                    latch.wait()
                    try rows.sql("INSERT INTO kept VALUES (1)")
                }
            }
            for await _ in begins { break }
            let second = Task { try await store.sql("INSERT INTO kept VALUES (2)") }
            // Time to enter the queue; a task that was cancelled earlier leaves it as well.
            try await Task.sleep(for: .milliseconds(50))
            second.cancel()
            first.cancel()
            await #expect { _ = try await second.value } throws: {
                ($0 as? StoreError)?.detail.contains("cancelled") == true
            }
            latch.open()
            try await first.value
            let early = Task {
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                return try await store.sql("INSERT INTO kept VALUES (3)")
            }
            await #expect(throws: StoreError.self) { _ = try await early.value }
            #expect(try await store.sql("SELECT sum(n)::bigint AS n FROM kept").integer("n") == 1)
        }
    }

    @Test func `200 concurrent transactions share four connections without a lost update`()
        async throws
    {
        try await PostgreSQLServer.withStore(connections: 4) { store async throws in
            try await store.sql("CREATE TABLE kept (n BIGINT)")
            try await store.sql("INSERT INTO kept VALUES (0)")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<200 {
                    group.addTask {
                        try await store.transaction { rows in
                            try rows.sql("UPDATE kept SET n = n + 1")
                            try rows.sql("SELECT n FROM kept")
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await store.sql("SELECT n FROM kept").integer("n") == 200)
        }
    }

    @Test func `no transaction starts after a shutdown, and a shutdown may be repeated, even concurrently`()
        async throws
    {
        let server = try #require(PostgreSQLServer.connection)
        let store = try PostgreSQLAccountStore(server, connections: 2, timeouts: .patient())
        let (begins, began) = AsyncStream.makeStream(of: Void.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await store.transaction { rows in
                    began.yield()
                    // A transaction that has begun is completed.
                    try rows.sql("SELECT pg_sleep(0.3)")
                }
            }
            for await _ in begins { break }
            group.addTask { await store.shutdown() }
            group.addTask { await store.shutdown() }
            try await group.waitForAll()
        }
        #expect(try await store.fault("SELECT 1").code == .unavailable)
        await store.shutdown()
    }

    @Test func `a store that is released without a shutdown closes its connections`() async throws {
        let server = try #require(PostgreSQLServer.connection)
        let name = "gone-\(UInt32.random(in: 0 ... .max))"
        try await PostgreSQLAccountStore("\(server) application_name=\(name)", connections: 2, timeouts: .patient())
            .sql("SELECT 1")
        try await PostgreSQLServer.withStore(connections: 1) { store async throws in
            var count: Int64?
            for _ in 0..<3000 where count != 0 {
                let found = try await store.sql(
                    "SELECT count(*) AS n FROM pg_catalog.pg_stat_activity WHERE application_name = $1",
                    .text(name)
                )
                count = found.integer("n")
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(count == 0)
        }
    }
}
#endif
