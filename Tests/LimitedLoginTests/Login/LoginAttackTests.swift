// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LimitedLogin
internal import LimitedLoginTesting
import LoginProviders
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// Attacks on a login, and their outcomes.
///
/// Ada logs in; Eve has her own browser and her own account, and sees whatever she can.
@Suite struct LoginAttackTests {
    private static let eveID = "1000000000000666"

    private let bench: LoginBench

    init() throws { bench = try LoginBench() }

    private func request(_ tracking: LoginTracking) throws -> LoginRequest {
        try .facebook(permissions: [.email, .userBirthday], tracking: tracking)
    }

    /// Returns the callback of the dialog if Eve logs in there.
    private func answerOfEve(to url: String) throws -> Answer {
        let ada = bench.facebook.person
        defer { bench.facebook.person = ada }
        bench.facebook.person.id = Self.eveID
        return try bench.answer(to: url)
    }

    // MARK: State

    @Test(.rule("F5.9"), .rule("S-CSR-1"), arguments: [LoginTracking.enabled, .limited])
    func `swapped state: another user's response does not log the browser's user in`(tracking: LoginTracking)
        async throws
    {
        let url = try await bench.begin(try request(tracking), as: .eve)
        let answer = try answerOfEve(to: url)
        expectFailure(.startedElsewhere, try await bench.finish(answer), hiding: [answer["state"], answer["code"]])
        // Eve can still finish it herself: the attempt was not consumed.
        bench.facebook.person.id = Self.eveID
        let login = try success(try await bench.finish(answer, as: .eve))
        #expect(login.identity.subject == Self.eveID)
    }

    @Test(.rule("F5.9"), arguments: [LoginTracking.enabled, .limited])
    func `swapped state: another user's response with this browser's state is refused`(tracking: LoginTracking)
        async throws
    {
        let adas = try parameters(of: try await bench.begin(try request(tracking)))
        var answer = try answerOfEve(to: try await bench.begin(try request(tracking), as: .eve))
        answer["state"] = adas["state"]
        let failure = try await bench.finish(answer)
        if tracking == .limited {
            #expect(expectFailure(.token, failure)?.refusal?.code == .nonce)
        } else {
            // Facebook compares the code verifier.
            expectFailure(.exchangeRefused, failure)
        }
    }

    @Test(.rule("F5.9"), arguments: [LoginTracking.enabled, .limited])
    func `a forged, missing or empty state matches no attempt`(tracking: LoginTracking) async throws {
        let answer = try bench.answer(to: try await bench.begin(try request(tracking)))
        let state = try #require(answer["state"])
        let others = [
            "x", String(state.dropLast()), state + "A", state.lowercased(), String(repeating: "A", count: 43),
            String(repeating: "é", count: 43), "null",
        ]
        for other in others where other != state {
            var changed = answer
            changed["state"] = other
            expectFailure(.stateUnknown, try await bench.finish(changed), hiding: [state])
        }
        for missing in [nil, ""] {
            var changed = answer
            changed["state"] = missing
            expectFailure(.callback, try await bench.finish(changed))
        }
        _ = try success(try await bench.finish(answer))
    }

    // MARK: Once

    @Test(.rule("F5.9"), arguments: [LoginTracking.enabled, .limited])
    func `replayed callback: a callback is evaluated once`(tracking: LoginTracking) async throws {
        let answer = try bench.answer(to: try await bench.begin(try request(tracking)))
        _ = try success(try await bench.finish(answer))
        let replayed = expectFailure(.replayed, try await bench.finish(answer), hiding: [answer["state"]])
        #expect(replayed?.endsAttempt == false)
        // A failure consumes an attempt too.
        var other = try bench.answer(to: try await bench.begin(try request(tracking)))
        let good = other
        other["user_id"] = Self.eveID
        #expect(expectFailure(.userMismatch, try await bench.finish(other))?.endsAttempt == true)
        expectFailure(.replayed, try await bench.finish(good))
    }

    @Test(arguments: [LoginTracking.enabled, .limited])
    func `exactly one of a hundred concurrent callbacks succeeds`(tracking: LoginTracking) async throws {
        let answer = try bench.answer(to: try await bench.begin(try request(tracking)))
        let results = try await withThrowingTaskGroup(of: LoginResult.self) { group in
            for _ in 0..<100 { group.addTask { try await bench.finish(answer) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let successes = results.count { if case .success = $0 { true } else { false } }
        #expect(successes == 1)
        for result in results {
            if case .failed(let failure) = result { #expect(failure.code == .replayed) }
        }
    }

    @Test(.rule("F5.31"))
    func `a callback is accepted until just before the attempt expires`() async throws {
        for (seconds, isLate) in [(599, false), (600, true)] {
            let bench = try LoginBench()
            let url = try await bench.begin(try request(.limited))
            bench.facebook.clock.advance(by: .seconds(seconds))
            let answer = try bench.answer(to: url)
            if isLate {
                expectFailure(.expired, try await bench.finish(answer), hiding: [answer["state"]])
            } else {
                _ = try success(try await bench.finish(answer))
            }
        }
    }

    // MARK: Codes and nonces of others

    @Test func `another attempt's code: PKCE binds a code to the browser that began the login`() async throws {
        let code = try answerOfEve(to: try await bench.begin(try request(.enabled), as: .eve))["code"]
        var answer = try bench.answer(to: try await bench.begin(try request(.enabled)))
        answer["code"] = code
        expectFailure(.exchangeRefused, try await bench.finish(answer), hiding: [code, answer["state"]])
    }

    @Test func `another attempt's token: the nonce binds it to the browser that began the login`() async throws {
        let token = try answerOfEve(to: try await bench.begin(try request(.limited), as: .eve))["id_token"]
        var answer = try bench.answer(to: try await bench.begin(try request(.limited)))
        answer["id_token"] = token
        let failure = expectFailure(.token, try await bench.finish(answer), hiding: [token])
        #expect(failure?.refusal?.code == .nonce)
    }

    @Test(arguments: [LoginTracking.enabled, .limited])
    func `a nonce of another purpose: a sign-in never completes as a link, nor a link in another session`(
        tracking: LoginTracking
    ) async throws {
        let purposes: [NoncePurpose] = [
            .signIn, .link(session: "A"), .link(session: "B"), .reauthenticate(session: "A"), .merge(session: "A"),
        ]
        for purpose in purposes {
            let answer = try bench.answer(to: try await bench.begin(try request(tracking), purpose: purpose))
            for other in purposes where other != purpose {
                expectFailure(.startedElsewhere, try await bench.finish(answer, purpose: other))
            }
            _ = try success(try await bench.finish(answer, purpose: purpose))
        }
    }

    @Test(.rule("S-CSR-1"), arguments: [LoginTracking.enabled, .limited])
    func `a nonce of another browser: a callback without the cookie, or with another, completes nothing`(
        tracking: LoginTracking
    ) async throws {
        _ = try await bench.begin(try request(tracking), as: .eve)
        let started = try await bench.logins.begin(try request(tracking), purpose: .signIn)
        let callback = try bench.answer(to: started.url).callback
        for browser in [LoginBench.Browser.nobody, .eve, .ada] {
            let result = try await bench.finish(callback, state: nil, as: browser)
            expectFailure(.startedElsewhere, result, hiding: [started.secret])
        }
        let others = [
            "", "lla_", "the cookie of Ada", started.secret + " ", String(started.secret.dropLast()),
            started.secret.uppercased(), AttemptSecret().text,
        ]
        for other in others {
            let result = try await bench.logins.finish(callback, purpose: .signIn, secret: other)
            expectFailure(.startedElsewhere, result, hiding: [started.secret])
        }
        _ = try success(try await bench.logins.finish(callback, purpose: .signIn, secret: started.secret))
    }

    // MARK: Issuers

    @Test func `issuer mix-up: a response that names another issuer is refused`() async throws {
        for issuer in ["https://evil.example", "https://www.facebook.com.evil.example", "https://www.facebook.com//"] {
            var answer = try bench.answer(to: try await bench.begin(try request(.enabled)))
            answer["iss"] = issuer
            expectFailure(.issuerMismatch, try await bench.finish(answer), hiding: [answer["code"]])
        }
        #expect(bench.facebook.requestCount(of: "oauth/access_token") == 0)
        var honest = try bench.answer(to: try await bench.begin(try request(.enabled)))
        honest["iss"] = "https://www.facebook.com"
        _ = try success(try await bench.finish(honest))
    }

    @Test func `issuer mix-up: a login that began at another provider is not completed`() async throws {
        // Two apps share a store, as two providers of one server do.
        let other = try LoginBench(
            FacebookStandIn(appID: "999"),
            attempts: bench.attempts,
            cookies: bench.cookies
        )
        let answer = try bench.answer(to: try await bench.begin(try request(.enabled)))
        expectFailure(.issuerMismatch, try await other.finish(answer), hiding: [answer["code"]])
        #expect(other.facebook.requestCount() == 0)
        // The same provider with another redirect URI counts as another provider.
        let door = try LoginBench(
            bench.facebook,
            attempts: bench.attempts,
            cookies: bench.cookies,
            redirectURL: "https://example.com/other"
        )
        let second = try bench.answer(to: try await bench.begin(try request(.enabled)))
        expectFailure(.issuerMismatch, try await door.finish(second))
    }

    // MARK: What the browser claims

    @Test(
        arguments: [
            "https://evil.example/", "//evil.example/", "/\\evil.example/", "\\/evil.example", "/\t/evil.example",
            "/\n/evil.example", " /a", "", "a", "javascript:alert(1)", "/.//evil.example", "/..//evil.example",
            "/a/../b",
            "/a//b", "/%09/evil.example", "/%0a/evil.example", "/%2Fevil.example", "/%2fevil.example",
            "/%5Cevil.example", "/..", "/.", "/é", "/a b",
            "/" + String(repeating: "a", count: 2048), "/a/./", "///",
        ]
    )
    func `open redirect: a return path must be a path of this site`(returnTo: String) async throws {
        let error = await #expect(throws: LoginManagerError.self) {
            try await bench.begin(try request(.limited), returnTo: returnTo)
        }
        #expect(error?.code == .returnTo)
    }

    @Test(
        arguments: [
            "/", "/a", "/a/", "/a/b?next=https://example.com//x", "/a#//b", "/a.b/..c/...", "/a%2F%2Fexample.com",
            "/%3F",
            "/?..",
            "/" + String(repeating: "a", count: 2047),
        ]
    )
    func `open redirect: a path of this site is returned unchanged`(returnTo: String) async throws {
        let answer = try bench.answer(to: try await bench.begin(try request(.limited), returnTo: returnTo))
        #expect(try success(try await bench.finish(answer)).returnTo == returnTo)
    }

    @Test func `open redirect: a return path in the callback is ignored`() async throws {
        let login = try success(
            try await bench.logIn(try request(.limited)) { answer in
                for name in ["return_to", "returnTo", "redirect_uri", "next"] { answer[name] = "https://evil.example/" }
            }
        )
        #expect(login.returnTo == nil)
    }

    @Test(.rule("F5.17"), arguments: [LoginTracking.enabled, .limited])
    func `app-supplied user ID: a different one fails the login, and an equal one proves nothing`(
        tracking: LoginTracking
    ) async throws {
        let told = try await bench.logIn(try request(tracking)) { $0["user_id"] = Self.eveID }
        expectFailure(.userMismatch, told, hiding: [Self.eveID, bench.facebook.person.id])
        let id = bench.facebook.person.id
        #expect(try success(try await bench.logIn(try request(tracking)) { $0["user_id"] = id }).identity.subject == id)
        // Without a token, the user ID alone proves nothing.
        let alone = try await bench.logIn(try request(tracking)) { answer in
            answer["user_id"] = id
            answer["id_token"] = nil
            answer["code"] = nil
        }
        expectFailure(.callback, alone)
    }

    @Test(.rule("F5.17"))
    func `app-supplied user ID: a signed request in the callback is ignored`() async throws {
        // {"user_id":"1000000000000666","algorithm":"HMAC-SHA256"}, without a valid signature.
        let forged = "AAAA.eyJ1c2VyX2lkIjoiMTAwMDAwMDAwMDAwMDY2NiIsImFsZ29yaXRobSI6IkhNQUMtU0hBMjU2In0"
        let login = try success(try await bench.logIn(try request(.limited)) { $0["signed_request"] = forged })
        #expect(login.identity.subject == bench.facebook.person.id)
    }

    @Test(
        .rule("F5.16"),
        arguments: [
            ("openid,public_profile,email", "user_birthday,email"), ("openid,public_profile", "email"),
            ("openid,public_profile", ""), ("", ""), ("openid,email,EMAIL", ""), ("email,", ""), ("email, openid", ""),
            ("openid,email", "user birthday"), ("openid,email,user_birthday", "public_profile"),
        ]
    )
    func `altered granted scopes: a list that contradicts the token or itself fails the login`(
        granted: String,
        denied: String
    ) async throws {
        let result = try await bench.logIn(try request(.limited)) { answer in
            answer["granted_scopes"] = granted
            answer["denied_scopes"] = denied
        }
        expectFailure(.permissions, result)
    }

    @Test(.rule("F5.16", "F5.23"))
    func `altered granted scopes: the list is ignored with tracking, because Facebook is asked`() async throws {
        bench.facebook.person.declines = ["email", "user_birthday"]
        let login = try success(
            try await bench.logIn(try request(.enabled)) { answer in
                answer["granted_scopes"] = "openid,email,user_birthday,ads_read"
                answer["denied_scopes"] = ""
            }
        )
        let permissions = try #require(login.identity.permissions)
        #expect(!permissions.hasGranted(.email))
        #expect(!permissions.hasGranted(.adsRead))
        #expect(permissions.declined == [.email, .userBirthday])
    }

    // MARK: The store

    @Test func `the store reveals neither state nor nonce nor code verifier`() async throws {
        let store = LeakyStore(clock: bench.facebook.clock)
        let watched = try LoginBench(bench.facebook, attempts: store)
        let seen = try parameters(of: try await watched.begin(try request(.enabled), returnTo: "/a-place-of-mine"))
        let attempt = try #require(await store.kept.first)
        #expect(attempt.sealed.count > 100)
        let text = String(decoding: attempt.sealed, as: UTF8.self) + "\(attempt.id.bytes) \(attempt)"
        for secret in [seen["state"], seen["nonce"], "a-place-of-mine", "code"] {
            #expect(try !text.contains(#require(secret)))
        }
        #expect("\(attempt)" == "attempt at facebook, for sign-in")
        #expect(Mirror(reflecting: attempt).children.isEmpty)
    }

    @Test func `a modified store cannot give an attempt to another browser, purpose or state`() async throws {
        let store = LeakyStore(clock: bench.facebook.clock)
        let watched = try LoginBench(bench.facebook, attempts: store)
        let eves = try watched.answer(to: try await watched.begin(try request(.limited), as: .eve))
        // From here on the store confirms every claim.
        await store.surrender()
        expectFailure(.stateUnknown, try await watched.finish(eves, as: .ada))
        expectFailure(
            .stateUnknown,
            try await watched.finish(eves, purpose: .link(session: "A"), as: .eve)
        )
        var adas = try watched.answer(to: try await watched.begin(try request(.limited)))
        adas["state"] = String(repeating: "A", count: 43)
        expectFailure(.stateUnknown, try await watched.finish(adas))
    }

    @Test func `an unavailable store is reported as such`() async throws {
        let store = LeakyStore(clock: bench.facebook.clock)
        let watched = try LoginBench(bench.facebook, attempts: store)
        let answer = try watched.answer(to: try await watched.begin(try request(.limited)))
        await store.breakDown()
        await #expect(throws: LeakyStore.Broken.self) { try await watched.finish(answer) }
        await #expect(throws: LeakyStore.Broken.self) { try await watched.begin(try request(.limited)) }
    }
}

/// A store that reveals its contents, and can be made to confirm every claim or to fail.
private actor LeakyStore: AttemptStore {
    struct Broken: Error {}

    private(set) var kept: [SignInAttempt] = []
    private let store: InMemoryAttemptStore
    private var gives = false
    private var isBroken = false

    init(clock: any WallClock) { store = InMemoryAttemptStore(clock: clock) }

    func surrender() { gives = true }
    func breakDown() { isBroken = true }

    func insert(_ attempt: SignInAttempt) async throws {
        if isBroken { throw Broken() }
        kept.append(attempt)
        try await store.insert(attempt)
    }

    func claim(_ id: SignInAttempt.ID, purpose: NoncePurpose, binding: NonceBinding) async throws -> AttemptClaim {
        if isBroken { throw Broken() }
        if gives, let attempt = kept.last { return .claimed(sealed: attempt.sealed) }
        return await store.claim(id, purpose: purpose, binding: binding)
    }
}
