// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LimitedLogin
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// Who is current, and where nobody is.
@Suite struct WithIdentityTests {
    let bench: FacebookBench

    init() throws {
        bench = try FacebookBench()
    }

    func token(_ person: String) throws -> AuthenticationToken {
        try bench.verify { $0.claims["sub"] = .string(person) }
    }

    /// Who is current, by token and by profile.
    static var current: [String?] { [AuthenticationToken.current?.claims.sub, Profile.current?.userID] }

    @Test func `without an identity nobody is current`() {
        #expect(Self.current == [nil, nil])
    }

    @Test func `what is given is current while the operation runs, and not after`() async throws {
        let token = try token("1")
        let text = await withIdentity(token, profile: token.profile) {
            await Task.yield()
            #expect(Self.current == ["1", "1"])
            return AuthenticationToken.current?.tokenString
        }
        #expect(text == token.tokenString)
        #expect(Self.current == [nil, nil])
        #expect(withIdentity(token, profile: nil) { Self.current } == ["1", nil])
        #expect(Self.current == [nil, nil])
    }

    @Test func `an error ends it too`() async throws {
        let token = try token("1")
        await #expect(throws: CancellationError.self) {
            try await withIdentity(token, profile: nil) { () async throws in
                await Task.yield()
                throw CancellationError()
            }
        }
        #expect(throws: CancellationError.self) {
            try withIdentity(token, profile: nil) { () throws in throw CancellationError() }
        }
        #expect(Self.current == [nil, nil])
    }

    @Test func `an inner identity replaces all of the outer one, and what it leaves nil is hidden`() throws {
        let (outer, inner) = (try token("1"), try token("2"))
        withIdentity(outer, profile: outer.profile) {
            withIdentity(inner, profile: inner.profile) { #expect(Self.current == ["2", "2"]) }
            withIdentity(nil, profile: inner.profile) { #expect(Self.current == [nil, "2"]) }
            withIdentity(inner, profile: nil) { #expect(Self.current == ["2", nil]) }
            withIdentity(nil, profile: nil) { #expect(Self.current == [nil, nil]) }
            #expect(Self.current == ["1", "1"])
        }
    }

    @Test func `requests in flight at one time never see each other's`() async throws {
        let tokens = try (1...20).map { try token("\($0)") }
        await withTaskGroup { group in
            for token in tokens {
                group.addTask {
                    await withIdentity(token, profile: token.profile) {
                        for _ in 0..<100 {
                            #expect(Self.current == [token.claims.sub, token.claims.sub])
                            await Task.yield()
                        }
                    }
                    #expect(Self.current == [nil, nil])
                }
            }
        }
    }

    @Test func `two requests that wait for each other each see their own`() async throws {
        let (first, second) = (try token("1"), try token("2"))
        let (toSecond, secondMayGo) = AsyncStream<Void>.makeStream()
        let (toFirst, firstMayGo) = AsyncStream<Void>.makeStream()
        async let one = withIdentity(first, profile: first.profile) {
            let before = Self.current
            secondMayGo.finish()
            for await _ in toFirst {}
            return [before, Self.current]
        }
        async let two = withIdentity(second, profile: second.profile) {
            for await _ in toSecond {}
            let between = Self.current
            firstMayGo.finish()
            return [between, Self.current]
        }
        #expect(await one == [["1", "1"], ["1", "1"]])
        #expect(await two == [["2", "2"], ["2", "2"]])
    }

    @Test func `child tasks see it`() async throws {
        let token = try token("1")
        await withIdentity(token, profile: token.profile) {
            async let child = Self.current
            #expect(await child == ["1", "1"])
            let inGroup = await withTaskGroup { group in
                group.addTask { Self.current }
                return await group.next()
            }
            #expect(inGroup == ["1", "1"])
        }
    }

    @Test func `a task that is begun inside sees it, even after the operation has returned`() async throws {
        let token = try token("1")
        let (returned, hasReturned) = AsyncStream<Void>.makeStream()
        let task = withIdentity(token, profile: token.profile) {
            Task {
                for await _ in returned {}
                return Self.current
            }
        }
        hasReturned.finish()
        #expect(await task.value == ["1", "1"])
    }

    @Test func `a detached task sees nobody`() async throws {
        let token = try token("1")
        let seen = await withIdentity(token, profile: token.profile) { await Task.detached { Self.current }.value }
        #expect(seen == [nil, nil])
    }

    @Test func `a body that is read after the responder has returned sees nobody`() async throws {
        let token = try token("1")
        // A responder answers with a body that is made when it is read.
        let body = withIdentity(token, profile: token.profile) { AsyncStream { Self.current } }
        var reader = body.makeAsyncIterator()
        #expect(await reader.next() == [nil, nil])
        // What it needs it has to take along.
        let taken = withIdentity(token, profile: token.profile) {
            let profile = Profile.current
            return AsyncStream { profile?.userID }
        }
        var other = taken.makeAsyncIterator()
        #expect(await other.next() == "1")
    }
}
