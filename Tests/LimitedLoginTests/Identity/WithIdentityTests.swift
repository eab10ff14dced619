// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LimitedLogin
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// The current identity, and where there is none.
@Suite struct WithIdentityTests {
    let bench: FacebookBench

    init() throws {
        bench = try FacebookBench()
    }

    @Test func `no identity is current by default`() {
        #expect(Seen() == .nobody)
    }

    @Test func `the given identity is current during the operation and not afterwards`() async throws {
        let person = try Person("1", bench)
        let text = await person.run {
            await Task.yield()
            #expect(Seen() == Seen("1"))
            return AuthenticationToken.current?.tokenString
        }
        #expect(text == person.token.tokenString)
        #expect(Seen() == .nobody)
        #expect(person.runAtOnce { Seen() } == Seen("1"))
        #expect(Seen() == .nobody)
    }

    @Test func `the identity is removed after an error too`() async throws {
        let person = try Person("1", bench)
        await #expect(throws: CancellationError.self) {
            try await person.run { () async throws in
                await Task.yield()
                throw CancellationError()
            }
        }
        #expect(throws: CancellationError.self) {
            try person.runAtOnce { () throws in throw CancellationError() }
        }
        #expect(Seen() == .nobody)
    }

    @Test func `a nested identity replaces the outer one completely, including nil values`() throws {
        let (outer, inner) = (try Person("1", bench), try Person("2", bench))
        outer.runAtOnce {
            inner.runAtOnce { #expect(Seen() == Seen("2")) }
            withIdentity(inner.token, accessToken: nil, profile: nil) {
                #expect(Seen() == Seen(token: "2", accessToken: nil, profile: nil))
            }
            withIdentity(nil, accessToken: inner.accessToken, profile: nil) {
                #expect(Seen() == Seen(token: nil, accessToken: "2", profile: nil))
            }
            withIdentity(nil, accessToken: nil, profile: inner.token.profile) {
                #expect(Seen() == Seen(token: nil, accessToken: nil, profile: "2"))
            }
            withIdentity(nil, accessToken: nil, profile: nil) { #expect(Seen() == .nobody) }
            #expect(Seen() == Seen("1"))
        }
    }

    @Test func `concurrent requests never see each other's identity`() async throws {
        let people = try (1...20).map { try Person("\($0)", bench) }
        await withTaskGroup { group in
            for person in people {
                group.addTask {
                    await person.run {
                        for _ in 0..<100 {
                            #expect(Seen() == Seen(person.id))
                            await Task.yield()
                        }
                    }
                    #expect(Seen() == .nobody)
                }
            }
        }
    }

    @Test func `requests that wait for each other see their own identity`() async throws {
        let (first, second) = (try Person("1", bench), try Person("2", bench))
        let (toSecond, secondMayGo) = AsyncStream<Void>.makeStream()
        let (toFirst, firstMayGo) = AsyncStream<Void>.makeStream()
        async let one = first.run {
            let before = Seen()
            secondMayGo.finish()
            for await _ in toFirst {}
            return [before, Seen()]
        }
        async let two = second.run {
            for await _ in toSecond {}
            let between = Seen()
            firstMayGo.finish()
            return [between, Seen()]
        }
        #expect(await one == [Seen("1"), Seen("1")])
        #expect(await two == [Seen("2"), Seen("2")])
    }

    @Test func `child tasks inherit the identity`() async throws {
        await (try Person("1", bench)).run {
            async let child = Seen()
            #expect(await child == Seen("1"))
            let inGroup = await withTaskGroup { group in
                group.addTask { Seen() }
                return await group.next()
            }
            #expect(inGroup == Seen("1"))
        }
    }

    @Test func `an unstructured task inherits the identity, even after the operation has returned`() async throws {
        let (returned, hasReturned) = AsyncStream<Void>.makeStream()
        let task = try Person("1", bench).runAtOnce {
            Task {
                for await _ in returned {}
                return Seen()
            }
        }
        hasReturned.finish()
        #expect(await task.value == Seen("1"))
    }

    @Test func `a detached task has no identity`() async throws {
        let seen = await (try Person("1", bench)).run { await Task.detached { Seen() }.value }
        #expect(seen == .nobody)
    }

    @Test func `a response body that is produced after the handler returned has no identity`() async throws {
        let person = try Person("1", bench)
        // The responder returns a body that is produced while it is read.
        var body = person.runAtOnce { AsyncStream { Seen() } }.makeAsyncIterator()
        #expect(await body.next() == .nobody)
        // Such a body has to capture what it needs.
        let withProfile = person.runAtOnce {
            let profile = Profile.current
            return AsyncStream { profile?.userID }
        }
        var other = withProfile.makeAsyncIterator()
        #expect(await other.next() == "1")
    }
}

/// A signed-in user.
private struct Person: Sendable {
    let id: String
    let token: AuthenticationToken
    let accessToken: AccessToken

    init(_ id: String, _ bench: FacebookBench) throws {
        self.id = id
        token = try bench.verify { $0.claims["sub"] = .string(id) }
        accessToken = AccessToken(
            tokenString: "made-up",
            permissions: [],
            appID: bench.issuer.audience,
            userID: id,
            expirationDate: nil,
            refreshDate: bench.issuer.clock.now,
            dataAccessExpirationDate: nil
        )
    }

    /// Runs an asynchronous operation with this user's identity.
    func run<Success>(_ operation: () async throws -> Success) async rethrows -> Success {
        try await withIdentity(token, accessToken: accessToken, profile: token.profile, operation: operation)
    }

    /// Runs a synchronous operation with this user's identity.
    func runAtOnce<Success>(_ operation: () throws -> Success) rethrows -> Success {
        try withIdentity(token, accessToken: accessToken, profile: token.profile, operation: operation)
    }
}

/// The user of the current token, access token and profile.
private struct Seen: Equatable, Sendable {
    static let nobody = Seen(token: nil, accessToken: nil, profile: nil)

    let token: String?
    let accessToken: String?
    let profile: String?

    /// Creates the value from the current identity.
    init() {
        token = AuthenticationToken.current?.profile.userID
        accessToken = AccessToken.current?.userID
        profile = Profile.current?.userID
    }

    /// Creates the value that one user's identity leads to.
    init(_ person: String) {
        self.init(token: person, accessToken: person, profile: person)
    }

    init(token: String?, accessToken: String?, profile: String?) {
        self.token = token
        self.accessToken = accessToken
        self.profile = profile
    }
}
