// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
internal import LoginTokens
internal import Synchronization
internal import TestSupport
internal import Testing

@testable import LoginProviders

/// The metadata of a provider: fetched on demand, shared, and renewed in the background.
@Suite(.timeLimit(.minutes(10))) struct ProviderDiscoveryTests {
    private static let issuer = "https://issuer.example"
    private static let document = "https://issuer.example/.well-known/openid-configuration"
    private static let day = Duration.seconds(86_400)

    private let transport = StubTransport()
    private let clock = ManualContinuousClock()
    private let changes = Changes()
    private let discovery: ProviderDiscovery

    init() {
        let changes = self.changes
        discovery = ProviderDiscovery(
            provider: .openID(issuers: [Self.issuer]),
            transport: transport,
            clock: clock
        ) { changes.add($0) }
    }

    private func answer(
        tokenEndpoint: String = "https://issuer.example/token",
        algorithms: TestJSON? = nil
    ) {
        var document: TestJSON = [
            "issuer": .string(Self.issuer), "jwks_uri": "https://issuer.example/keys",
            "authorization_endpoint": "https://issuer.example/authorize",
            "token_endpoint": .string(tokenEndpoint),
        ]
        document["id_token_signing_alg_values_supported"] = algorithms
        transport.answer(Self.document, with: .json(document))
    }

    /// Waits until the discovery has this token endpoint.
    private func renewal(to tokenEndpoint: String) async throws {
        try await eventually("the metadata is renewed") {
            discovery.knownMetadata?.tokenEndpoint?.description == tokenEndpoint
        }
    }

    @Test func `the first login fetches the metadata, and a login a day later renews it`() async throws {
        answer()
        #expect(transport.requests.isEmpty && discovery.knownMetadata == nil)
        let metadata = try await discovery.current()
        #expect(metadata.issuer == Self.issuer && discovery.knownMetadata == metadata)
        clock.advance(by: Self.day - .milliseconds(1))
        _ = try await discovery.current()
        #expect(transport.requests.map(\.url.description) == [Self.document])
        answer(tokenEndpoint: "https://issuer.example/token2")
        clock.advance(by: .milliseconds(1))
        #expect(try await discovery.current() == metadata)
        try await renewal(to: "https://issuer.example/token2")
        #expect(try await discovery.current() == discovery.knownMetadata)
        #expect(transport.requests.count == 2)
    }

    @Test func `concurrent logins share one metadata request`() async throws {
        answer()
        transport.shut()
        let logins = (0..<50).map { _ in Task { try await discovery.current() } }
        await transport.requests(atLeast: 1)
        transport.open()
        for login in logins { #expect(try await login.value == discovery.knownMetadata) }
        #expect(transport.requests.count == 1)
    }

    @Test func `logins fail at once for five seconds after a failure, then the request is repeated`() async throws {
        for _ in 0..<3 {
            let error = await #expect(throws: ProviderMetadataError.self) { try await discovery.current() }
            #expect(error?.code == .transport(.connection))
            #expect(transport.requests.count == 1)
        }
        clock.advance(by: .milliseconds(4999))
        await #expect(throws: ProviderMetadataError.self) { try await discovery.current() }
        #expect(transport.requests.count == 1)
        clock.advance(by: .milliseconds(1))
        await #expect(throws: ProviderMetadataError.self) { try await discovery.current() }
        #expect(transport.requests.count == 2)
        answer()
        clock.advance(by: .seconds(5))
        #expect(try await discovery.current().issuer == Self.issuer)
        #expect(transport.requests.count == 3)
        // A lasting failure is reported once, and its end once.
        #expect(changes.all == ["unavailable", "available"])
    }

    @Test func `a token with an unlisted algorithm renews metadata that is five minutes old, once`() async throws {
        #expect(discovery.known == nil)
        answer()
        try await discovery.load()
        #expect(discovery.known == [.rs256] && transport.requests.count == 1)
        clock.advance(by: .milliseconds(299_999))
        try await discovery.load()
        #expect(transport.requests.count == 1)
        clock.advance(by: .milliseconds(1))
        answer(algorithms: ["none", "HS256", "ES256", "RS256"])
        try await discovery.load()
        try await discovery.load()
        #expect(discovery.known == [.es256, .rs256] && transport.requests.count == 2)
    }

    @Test func `algorithms stay known while a renewal for a token fails`() async throws {
        answer(algorithms: ["PS256"])
        try await discovery.load()
        transport.answer(Self.document, with: .failure(.connection))
        clock.advance(by: .seconds(300))
        try await discovery.load()
        try await discovery.load()
        #expect(discovery.known == [.ps256] && transport.requests.count == 2)
        clock.advance(by: .seconds(5))
        try await discovery.load()
        #expect(transport.requests.count == 3)
    }

    @Test func `algorithms that were never known make a token undecided, without a request for each`() async {
        for _ in 0..<3 {
            let error = await #expect(throws: VerificationUnavailable.self) { try await discovery.load() }
            #expect(error?.description.contains("discovery document") == true)
        }
        #expect(transport.requests.count == 1 && discovery.known == nil)
    }

    @Test func `metadata of another issuer is refused`() async throws {
        transport.answer(
            Self.document,
            with: .json(["issuer": "https://evil.example", "jwks_uri": "https://evil.example/keys"])
        )
        let error = await #expect(throws: ProviderMetadataError.self) { try await discovery.current() }
        #expect(error?.code == .issuer)
        #expect(discovery.knownMetadata == nil)
    }

    @Test func `the metadata stays in use while a renewal fails`() async throws {
        answer()
        let metadata = try await discovery.current()
        transport.answer(Self.document, with: .failure(.connection))
        clock.advance(by: Self.day)
        #expect(try await discovery.current() == metadata)
        try await eventually("the failure is reported") { changes.all == ["unavailable, age 86400 s"] }
        for _ in 0..<3 { #expect(try await discovery.current() == metadata) }
        #expect(transport.requests.count == 2)
        answer(tokenEndpoint: "https://issuer.example/token2")
        clock.advance(by: .seconds(5))
        #expect(try await discovery.current() == metadata)
        try await renewal(to: "https://issuer.example/token2")
        try await eventually("the recovery is reported") {
            changes.all == ["unavailable, age 86400 s", "available"]
        }
        #expect(transport.requests.count == 3)
    }

    @Test func `no login waits for a renewal, and one renewal runs at a time`() async throws {
        answer()
        let metadata = try await discovery.current()
        clock.advance(by: Self.day)
        transport.shut()
        for _ in 0..<20 { #expect(try await discovery.current() == metadata) }
        await transport.requests(atLeast: 2)
        clock.advance(by: Self.day)
        #expect(try await discovery.current() == metadata)
        #expect(transport.requests.count == 2)
        transport.open()
    }

    @Test func `a renewal continues after the login that started it has ended`() async throws {
        answer()
        _ = try await discovery.current()
        answer(tokenEndpoint: "https://issuer.example/token2")
        clock.advance(by: Self.day)
        transport.shut()
        let login = Task { try await discovery.current() }
        await transport.requests(atLeast: 2)
        login.cancel()
        _ = try await login.value
        transport.open()
        try await renewal(to: "https://issuer.example/token2")
        #expect(transport.requests.count == 2 && changes.all == [])
    }

    @Test func `a cancelled first login does not fail the others`() async throws {
        answer()
        transport.shut()
        let first = Task { try await discovery.current() }
        await transport.requests(atLeast: 1)
        let others = (0..<20).map { _ in Task { try await discovery.current() } }
        first.cancel()
        // One of the others takes over the request.
        await transport.requests(atLeast: 2)
        transport.open()
        for other in others { #expect(try await other.value.issuer == Self.issuer) }
        await #expect(throws: (any Error).self) { try await first.value }
        #expect(transport.requests.count == 2)
        #expect(changes.all == [])
    }

    @Test func `a login that is cancelled before it begins leaves the request to the next one`() async throws {
        answer()
        let result = await withThrowingTaskGroup(of: ProviderMetadata.self) { group in
            group.cancelAll()
            group.addTask { try await discovery.current() }
            return await group.nextResult()
        }
        #expect(throws: (any Error).self) { try result?.get() }
        #expect(transport.requests.count <= 1 && discovery.knownMetadata == nil)
        #expect(try await discovery.current().issuer == Self.issuer)
        #expect(changes.all == [])
    }

    @Test func `the loop fetches at once, again soon after a failure, and then once a day`() async throws {
        let loop = Task { await discovery.run() }
        try await clock.waitForSleepers(1)
        #expect(transport.requests.count == 1 && clock.untilNextWake == .seconds(5))
        answer()
        clock.advance(by: .seconds(5))
        await transport.requests(atLeast: 2)
        try await clock.waitForSleepers(1)
        #expect(discovery.knownMetadata != nil && clock.untilNextWake == Self.day)
        clock.advance(by: Self.day)
        await transport.requests(atLeast: 3)
        try await clock.waitForSleepers(1)
        #expect(transport.requests.count == 3)
        loop.cancel()
        await loop.value
    }

    @Test func `the loop ends when it is cancelled during a request`() async {
        transport.shut()
        let loop = Task { await discovery.run() }
        await transport.requests(atLeast: 1)
        loop.cancel()
        await loop.value
        #expect(transport.requests.count == 1 && changes.all == [])
    }
}

/// The availability changes that a discovery reports.
private final class Changes: Sendable {
    private let seen = Mutex<[String]>([])

    var all: [String] { seen.withLock { $0 } }

    func add(_ change: ProviderDiscovery.Change) {
        let words =
            switch change {
            case .available: "available"
            case .unavailable(_, nil): "unavailable"
            case .unavailable(_, let age?): "unavailable, age \(age.components.seconds) s"
            }
        seen.withLock { $0.append(words) }
    }
}
