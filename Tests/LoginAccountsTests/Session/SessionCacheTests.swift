// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginProviders
import LoginTesting
import TestSupport
import Testing

@testable import LoginAccounts

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite(.rule("SS-5")) struct SessionCacheTests {
    static let key = [UInt8](repeating: 3, count: 32)

    /// Calls the body with the path of a directory that does not exist yet, and removes the directory afterwards.
    static func withDirectory(_ body: (String) async throws -> Void) async throws {
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "limited-login-tokens-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        try await body(directory.path)
    }

    @Test func `a client that begins anew opens a session with what it kept`() async throws {
        let fixture = try await AuthFixture(InMemoryAccountStore())
        let cache = SessionCache(auth: fixture.auth, strategy: InMemoryTokenCache())
        #expect(try await cache.state() == .created)
        #expect(try await cache.resume() == nil)
        let ada = try await fixture.signIn(as: "ada")
        try await cache.keep(ada.tokens)
        #expect(try await cache.state() == .createdTokenLoaded)
        try await cache.closeKeepingTokens(ada.session)
        let resumed = try #require(try await cache.resume())
        #expect(resumed.session.id != ada.session.id)
        #expect(resumed.session.accountID == ada.account.id)
        let again = try #require(try await cache.resume())
        #expect(again.session.id == resumed.session.id)
        try await cache.signOut(again.session)
        #expect(try await cache.state() == .created)
    }

    @Test func `tokens that lead nowhere are forgotten, and those that might are not`() async throws {
        var fixture = try await AuthFixture(InMemoryAccountStore())
        let strategy = InMemoryTokenCache()
        let ada = try await fixture.signIn(as: "ada")
        await strategy.cache(ada.tokens)
        let down = Auth(store: StoreThatIsDown(), providers: .none, secrets: AuthFixture.secrets, clock: fixture.clock)
        await expectError(.storeUnavailable) { try await SessionCache(auth: down, strategy: strategy).resume() }
        #expect(await strategy.fetch() != nil)
        try await ada.session.signOut()
        await expectError(.invalidUserToken) {
            try await SessionCache(auth: fixture.auth, strategy: strategy).resume()
        }
        #expect(await strategy.fetch() == nil)
        fixture.use(SessionPolicy(idle: .seconds(60)))
        let bob = try await fixture.signIn(as: "bob")
        await strategy.cache(bob.tokens)
        fixture.clock.advance(by: .seconds(60))
        await expectError(.userTokenExpired) {
            try await SessionCache(auth: fixture.auth, strategy: strategy).resume()
        }
        #expect(await strategy.fetch() == nil)
    }

    @Test func `a file of tokens is sealed, replaced as a whole, and nobody else's`() async throws {
        let fixture = try await AuthFixture(InMemoryAccountStore())
        let (ada, bob) = (try await fixture.signIn(as: "ada"), try await fixture.signIn(as: "bob"))
        try await Self.withDirectory { directory in
            let path = directory + "/session-tokens"
            let file = TokenFile(directory: directory, key: Self.key)
            #expect(try await file.fetch() == nil)
            try await file.clear()
            for tokens in [ada.tokens, bob.tokens] {
                try await file.cache(tokens)
                let read = try #require(try await file.fetch())
                #expect(read.sessionToken == tokens.sessionToken)
                #expect(read.refreshToken == tokens.refreshToken)
                #expect(read.expiresAt == tokens.expiresAt)
                #expect(try Self.mode(of: path) == 0o600)
                #expect(try Self.mode(of: directory) == 0o700)
            }
            // If the permissions of the file were widened, they are restricted again.
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
            try await file.cache(ada.tokens)
            #expect(try Self.mode(of: path) == 0o600)
            let bytes = Array(try Data(contentsOf: URL(filePath: path)))
            #expect(!String(decoding: bytes, as: UTF8.self).contains("lls_"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory).count == 1)

            #expect(try await TokenFile(directory: directory, key: [UInt8](repeating: 4, count: 32)).fetch() == nil)
            for index in stride(from: 0, to: bytes.count, by: 31) {
                var changed = bytes
                changed[index] ^= 1
                try Data(changed).write(to: URL(filePath: path))
                #expect(try await file.fetch() == nil)
            }
            try await file.clear()
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test func `what is no file of ours is not read and not followed`() async throws {
        let tokens = try await AuthFixture(InMemoryAccountStore()).signIn(as: "ada").tokens
        try await Self.withDirectory { directory in
            let path = directory + "/session-tokens"
            let file = TokenFile(directory: directory, key: Self.key)
            try await file.cache(tokens)
            try Data(repeating: 0, count: 4096).write(to: URL(filePath: path))
            #expect(try await file.fetch() == nil)
            try Data(repeating: 0, count: 4097).write(to: URL(filePath: path))
            await #expect(throws: CocoaError.self) { try await file.fetch() }
            try FileManager.default.moveItem(atPath: path, toPath: path + "-elsewhere")
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path + "-elsewhere")
            await #expect(throws: CocoaError.self) { try await file.fetch() }
            await #expect(throws: CocoaError.self) { try await file.cache(tokens) }
            try FileManager.default.removeItem(atPath: path)
            try await file.cache(tokens)
            // A directory that is readable by the group.
            try FileManager.default.setAttributes([.posixPermissions: 0o750], ofItemAtPath: directory)
            await #expect(throws: CocoaError.self) { try await file.fetch() }
            await #expect(throws: CocoaError.self) { try await file.cache(tokens) }
        }
    }

    private static func mode(of path: String) throws -> Int? {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        let mode = attributes[.posixPermissions]
        return mode as? Int ?? (mode as? UInt).map { Int($0) } ?? (mode as? UInt16).map { Int($0) }
    }
}

/// A store that never responds.
private struct StoreThatIsDown: AccountStore {
    func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
    ) async throws -> Value {
        throw StoreError(.unavailable, "it is down")
    }

    func migrate() async throws(StoreError) -> [String] { [] }
}
