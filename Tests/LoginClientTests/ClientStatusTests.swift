// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import TestSupport
import Testing

@testable import LoginClient

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite(.rule("SS-1")) struct ClientStatusTests {
    private static let resolver = #"""
        ,"resolver":{"attemptsLeft":5,"expiresAt":"2026-03-01T09:11:00Z","token":"llm_1","hints":[]}
        """#

    @Test func `an observer sees the sign-in, its second factor, the user and the sign-out`() async throws {
        let transport = ScriptedTransport(
            attemptAnswer,
            refusal(401, "second-factor-required", members: Self.resolver),
            session(1, account: true),
            answer(204, "")
        )
        let client = ClientSession(transport: transport, now: { now })
        var statuses = await client.statuses().makeAsyncIterator()
        #expect(await statuses.next() == .signedOut)
        let attempt = try await client.begin(provider: "corp")
        #expect(await statuses.next() == .signingIn)
        let outcome = try await client.signIn(with: .idToken("eyJ", attempt: attempt))
        guard case .secondFactorRequired(let resolver) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(await statuses.next() == .secondFactorRequired(resolver))
        _ = try await client.complete(resolver, with: .recoveryCode("1"))
        guard case .signedIn(let user)? = await statuses.next() else {
            Issue.record("\(await client.status)")
            return
        }
        #expect(user.accountID == "a1" && user.provider == "corp" && user.permissions == ["email"])
        #expect(user.refreshDate == now && user.expiresAt == now + 3600)
        #expect(await client.refreshDate == now)
        try await client.signOut()
        #expect(await statuses.next() == .signedOut)
        #expect(await statuses.next() == nil)
    }

    @Test func `stored tokens are shown as such, and tokens that the service refuses as expired`() async throws {
        let cache = await cached(tokens(1, expiresIn: -1))
        let transport = ScriptedTransport(refusal(401, "user-token-expired"))
        let client = ClientSession(transport: transport, caching: cache, now: { now })
        try await client.load()
        var statuses = await client.statuses().makeAsyncIterator()
        guard case .stored(let user)? = await statuses.next() else {
            Issue.record("\(await client.status)")
            return
        }
        #expect(user.accountID == "a1" && user.refreshDate == nil)
        await ClientSessionTests.expect(.userTokenExpired) { try await client.open() }
        #expect(await statuses.next() == .expired)
        #expect(await statuses.next() == nil)
        var late = await client.statuses().makeAsyncIterator()
        #expect(await late.next() == .expired)
        #expect(await late.next() == nil)
    }

    @Test func `each observer gets the newest status, however many it has missed`() async throws {
        let transport = ScriptedTransport(attemptAnswer, session(1, account: true))
        let client = ClientSession(transport: transport, now: { now })
        let (slow, fast) = (await client.statuses(), await client.statuses())
        var seen = fast.makeAsyncIterator()
        #expect(await seen.next() == .signedOut)
        let attempt = try await client.begin(provider: "corp")
        #expect(await seen.next() == .signingIn)
        _ = try await client.signIn(with: .idToken("eyJ", attempt: attempt))
        var missed = slow.makeAsyncIterator()
        let status = await client.status
        #expect(await missed.next() == status)
        #expect(await seen.next() == status)
    }

    @Test func `an observer that has ended is forgotten, and the end of the session ends all streams`() async {
        let observers = StatusObservers()
        let first = observers.add(.signedOut, isLast: false)
        let reader = Task { for await _ in first {} }
        let second = observers.add(.signedOut, isLast: false)
        #expect(observers.count == 2)
        reader.cancel()
        await reader.value
        #expect(observers.count == 1)
        observers.publish(.expired, isLast: true)
        #expect(observers.count == 0)
        var seen = second.makeAsyncIterator()
        #expect(await seen.next() == .expired)
        #expect(await seen.next() == nil)
    }
}
