// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginClient
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite(.rule("SS-5")) struct ProviderTokenTests {
    private static func open(_ transport: ScriptedTransport, _ cache: any TokenCachingStrategy) async throws
        -> ClientSession
    {
        let client = ClientSession(transport: transport, caching: cache, now: { now })
        try await client.load()
        try await client.open()
        return client
    }

    @Test func `the token of a provider is kept across restarts, and deleted by a sign-out`() async throws {
        try await TokenFileTests.withPath { path in
            let file = TokenFile(path: path)
            try await file.cache(tokens(1))
            let client = try await Self.open(ScriptedTransport(), file)
            let token = ClientProviderToken("EAA/1", expiresAt: now + 60)
            try await client.keep(token, of: "facebook")
            #expect(await client.providerToken(of: "facebook") == token)
            #expect(await client.providerToken(of: "corp") == nil)
            let next = try await Self.open(ScriptedTransport(answer(204, "")), file)
            #expect(await next.providerToken(of: "facebook") == token)
            #expect(try TokenFileTests.mode(of: path) == 0o600)
            try await next.signOut()
            #expect(await next.providerToken(of: "facebook") == nil)
            #expect(try await file.fetch() == nil)
        }
    }

    @Test func `the token of a provider survives a refresh, and new tokens of an operation`() async throws {
        let later = TokenRenewalTests.later
        let transport = ScriptedTransport(session(2, expires: later), session(3, expires: later, account: true))
        let cache = await cached(tokens(1))
        let client = try await TokenRenewalTests.expired(transport, cache)
        try await client.keep(ClientProviderToken("EAA"), of: "facebook")
        _ = try await client.authorizationHeader()
        #expect(await cache.fetch()?.providerTokens == ["facebook": ClientProviderToken("EAA")])
        _ = try await client.user.link(with: .password(email: "ada@corp.example", password: "correct horse"))
        #expect(await cache.fetch()?.refreshToken == "llr_3")
        #expect(await cache.fetch()?.providerTokens == ["facebook": ClientProviderToken("EAA")])
    }

    @Test func `a refresh keeps the token that another client with the same storage has kept`() async throws {
        let cache = await cached(tokens(1))
        let transport = ScriptedTransport(session(2, expires: TokenRenewalTests.later))
        let client = try await TokenRenewalTests.expired(transport, cache)
        try await Self.open(ScriptedTransport(), cache).keep(ClientProviderToken("EAA"), of: "facebook")
        #expect(await client.providerToken(of: "facebook") == nil)
        _ = try await client.authorizationHeader()
        #expect(await client.providerToken(of: "facebook") == ClientProviderToken("EAA"))
    }

    @Test func `an expired token of a provider is not returned, and a deleted one is gone`() async throws {
        let cache = await cached(tokens(1))
        let client = try await Self.open(ScriptedTransport(), cache)
        try await client.keep(ClientProviderToken("EAA", expiresAt: now), of: "facebook")
        #expect(await client.providerToken(of: "facebook") == nil)
        try await client.deleteProviderToken(of: "facebook")
        #expect(await cache.fetch()?.providerTokens == [:])
    }

    @Test func `unlinking a login deletes the token of its provider, and no other`() async throws {
        let cache = await cached(tokens(1))
        let client = try await Self.open(ScriptedTransport(session(2, account: true)), cache)
        for provider in ["facebook", "club"] { try await client.keep(ClientProviderToken("EAA"), of: provider) }
        _ = try await client.user.unlink(provider: "facebook")
        #expect(await cache.fetch()?.providerTokens == ["club": ClientProviderToken("EAA")])
        #expect(await cache.fetch()?.refreshToken == "llr_2")
    }

    @Test(arguments: ["", "a b", "a\n", "\u{E9}", String(repeating: "a", count: 16_385)])
    func `a malformed or long token of a provider is not kept`(_ token: String) async throws {
        let cache = await cached(tokens(1))
        let client = try await Self.open(ScriptedTransport(), cache)
        await ClientSessionTests.expect(.invalidProviderToken) {
            try await client.keep(ClientProviderToken(token), of: "facebook")
        }
        #expect(await cache.fetch() == tokens(1))
    }

    @Test func `the largest tokens of eight providers fit into a token file, and a ninth is refused`() async throws {
        try await TokenFileTests.withPath { path in
            let file = TokenFile(path: path)
            try await file.cache(tokens(1))
            let client = try await Self.open(ScriptedTransport(), file)
            let longest = ClientProviderToken(String(repeating: "\"", count: 16_384))
            for number in 1...8 { try await client.keep(longest, of: "provider-\(number)") }
            #expect(try await file.fetch()?.providerTokens.count == 8)
            try await client.keep(ClientProviderToken("EAA"), of: "provider-8")
            await ClientSessionTests.expect(.invalidProviderToken) {
                try await client.keep(longest, of: "provider-9")
            }
        }
    }

    @Test func `only an open session keeps tokens of providers`() async throws {
        let client = ClientSession(transport: ScriptedTransport())
        await ClientSessionTests.expect(.invalidState) { try await client.keep(ClientProviderToken("EAA"), of: "corp") }
        await ClientSessionTests.expect(.invalidState) { try await client.deleteProviderToken(of: "corp") }
        #expect(!"\(ClientProviderToken("EAA"))".contains("EAA"))
    }
}
