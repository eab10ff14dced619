// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if PostgreSQL
import LoginStorePostgreSQL

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
#endif

extension StoreUnderTest {
    #if PostgreSQL
    /// PostgreSQL, if the environment names a server: each place is a schema of its own, removed together with the
    /// server.
    static let postgreSQL: [Self] =
        PostgreSQLServer.connection.map { connection in
            [
                Self("PostgreSQL") {
                    let schema = "test_\(UUID().uuidString.prefix(13))"
                    return {
                        try PostgreSQLAccountStore(connection, schema: schema, connections: 6, timeouts: .patient())
                    }
                }
            ]
        } ?? []
    #else
    static let postgreSQL: [Self] = []
    #endif
}
