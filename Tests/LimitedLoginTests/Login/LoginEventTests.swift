// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LimitedLogin
internal import LimitedLoginTesting
internal import LoginTesting
internal import LoginTokens
internal import Synchronization
internal import Testing

@testable internal import LoginProviders

/// The events of browser logins and of the providers' metadata.
@Suite struct LoginEventTests {
    private let facebook = FacebookStandIn()
    private let events = Events()

    private func providers(_ declared: [SignInProvider]) throws -> SignInProviders {
        try SignInProviders(
            declared,
            keys: facebook.issuer.keys,
            transport: facebook,
            clock: facebook.clock,
            observers: [LoginObserver { [events] in events.add($0) }]
        )
    }

    private func logins(attempts: (any AttemptStore)? = nil) async throws -> LoginManager {
        let app = try facebook.app()
        return try await providers([try .facebook(app, permissions: [], tracking: .enabled)]).loginManager(
            for: .facebook,
            redirectURL: LoginBench.redirectURL,
            attempts: attempts ?? InMemoryAttemptStore(clock: facebook.clock)
        )
    }

    /// Returns the callback that the dialog sends to the browser.
    private func callback(_ started: StartedLogin) throws -> LoginCallback {
        LoginCallback(url: try #require(facebook.open(started.url), "the dialog sends nobody back"))
    }

    @Test func `a login begins, and ends with success`() async throws {
        let logins = try await logins()
        let started = try await logins.begin(purpose: .signIn)
        #expect(events.all == ["facebook begun"])
        _ = try await logins.finish(try callback(started), purpose: .signIn, secret: started.secret)
        #expect(events.all == ["facebook begun", "facebook succeeded"])
    }

    @Test func `a login that the user cancels has ended`() async throws {
        let logins = try await logins()
        let started = try await logins.begin(purpose: .signIn)
        facebook.person.cancels = true
        _ = try await logins.finish(try callback(started), purpose: .signIn, secret: started.secret)
        #expect(events.all == ["facebook begun", "facebook cancelled"])
    }

    @Test func `a login that fails has ended, with the reason`() async throws {
        let logins = try await logins()
        let started = try await logins.begin(purpose: .signIn)
        let state = try #require(try parameters(of: started.url)["state"])
        let callback = LoginCallback(query: "error=server_error&state=\(state)")
        _ = try await logins.finish(callback, purpose: .signIn, secret: started.secret)
        #expect(events.all == ["facebook begun", "facebook failed provider-error"])
    }

    @Test func `callbacks that anyone can make up end no login`() async throws {
        let logins = try await logins()
        let started = try await logins.begin(purpose: .signIn)
        let callback = try callback(started)
        _ = try await logins.finish(LoginCallback(query: "code=x"), purpose: .signIn, secret: started.secret)
        _ = try await logins.finish(callback, purpose: .signIn, secret: AttemptSecret().text)
        _ = try await logins.finish(callback, purpose: .signIn, secret: started.secret)
        _ = try await logins.finish(callback, purpose: .signIn, secret: started.secret)
        #expect(
            events.all == [
                "facebook begun", "facebook callback-refused callback", "facebook callback-refused started-elsewhere",
                "facebook succeeded", "facebook callback-refused replayed",
            ]
        )
    }

    @Test func `a login that comes back too late has not ended`() async throws {
        let logins = try await logins()
        let started = try await logins.begin(purpose: .signIn)
        let callback = try callback(started)
        facebook.clock.advance(by: Limits.nonceLifetime.upperBound)
        _ = try await logins.finish(callback, purpose: .signIn, secret: started.secret)
        #expect(events.all == ["facebook begun", "facebook callback-refused expired"])
    }

    @Test func `a login whose attempt is not stored has not begun, and one that may be claimed has not ended`()
        async throws
    {
        let logins = try await logins(attempts: BrokenStore())
        await #expect(throws: BrokenStore.Failure.self) { try await logins.begin(purpose: .signIn) }
        let callback = LoginCallback(query: "code=x&state=\(AttemptSecret().state)")
        await #expect(throws: BrokenStore.Failure.self) {
            try await logins.finish(callback, purpose: .signIn, secret: AttemptSecret().text)
        }
        #expect(events.all.isEmpty)
    }

    @Test func `a provider without metadata is reported once, without an age`() async throws {
        let providers = try SignInProviders(
            [.openID("corp", issuer: "https://login.corp.example", clientID: "web", clientSecret: "s3cr3t")],
            keys: KeySnapshot([]),
            transport: StubTransport(),
            observers: [LoginObserver { [events] in events.add($0) }]
        )
        await providers.prepare()
        await providers.prepare()
        #expect(events.all == ["corp metadata-unavailable"])
    }
}

/// The events, each as its provider, its kind, and the code of its failure.
private final class Events: Sendable {
    private let seen = Mutex<[String]>([])

    var all: [String] { seen.withLock { $0 } }

    func add(_ event: LoginEvent) {
        let age = event.age.map { "\($0)" }
        let words = ["\(event.provider)", event.kind.rawValue, event.failure?.code.rawValue, age].compactMap { $0 }
        seen.withLock { $0.append(words.joined(separator: " ")) }
    }
}

/// A store of attempts that is unavailable.
private struct BrokenStore: AttemptStore {
    struct Failure: Error {}

    func insert(_ attempt: SignInAttempt) async throws { throw Failure() }

    func claim(_ id: SignInAttempt.ID, purpose: NoncePurpose, binding: NonceBinding) async throws -> AttemptClaim {
        throw Failure()
    }
}
