// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginTesting
import LoginText
internal import LoginTokens
internal import TestSupport
internal import Testing

/// The in-memory store, and the values of its interface.
@Suite struct NonceStoreTests {
    private let clock = ManualClock()
    private let store: InMemoryNonceStore
    private let binding = NonceBinding(secret: "the cookie of Alice")

    init() {
        store = InMemoryNonceStore(clock: clock)
    }

    private func consume(_ nonce: String, by binding: NonceBinding? = nil) async -> NonceUse {
        await store.consume(NonceDigest(of: nonce), purpose: .signIn, binding: binding ?? self.binding)
    }

    // MARK: The store

    @Test
    func `a nonce has 128 random bits and is consumed once`() async throws {
        var nonces: Set<String> = []
        for _ in 0..<100 {
            let nonce = try await store.issue(purpose: .signIn, binding: binding)
            nonces.insert(nonce)
            #expect(Base64URL.decode(nonce.utf8)?.count == 16)
            #expect(await consume(nonce) == .consumed)
            #expect(await consume(nonce) == .replayed)
        }
        #expect(nonces.count == 100)
    }

    @Test
    func `a nonce is unknown to every other store`() async throws {
        let nonce = try await store.issue(purpose: .signIn, binding: binding)
        let restarted = InMemoryNonceStore(clock: clock)
        #expect(await restarted.consume(NonceDigest(of: nonce), purpose: .signIn, binding: binding) == .unknown)
        #expect(await consume(nonce) == .consumed)
    }

    @Test
    func `a nonce expires after ten minutes of the given clock by default`() async throws {
        let short = try await store.issue(purpose: .signIn, binding: binding, lifetime: .seconds(60))
        let long = try await (store as any NonceStore).issue(purpose: .signIn, binding: binding)
        clock.advance(by: .seconds(60))
        #expect(await consume(short) == .expired)
        clock.advance(by: .seconds(539))
        #expect(await consume(long) == .consumed)
        let longer = try await store.issue(purpose: .signIn, binding: binding)
        clock.advance(by: .seconds(600))
        #expect(await consume(longer) == .expired)
        clock.advance(by: .seconds(-600))
        #expect(await consume(longer) == .expired)
    }

    @Test
    func `a full store refuses new nonces, and pending attempts can be completed`() async throws {
        let store = InMemoryNonceStore(capacity: 2, clock: clock)
        let first = try await store.issue(purpose: .signIn, binding: binding, lifetime: .seconds(60))
        let second = try await store.issue(purpose: .signIn, binding: binding)
        for _ in 0..<100 {
            let error = await #expect(throws: NonceStoreError.full) {
                try await store.issue(purpose: .signIn, binding: NonceBinding(secret: "a flood"))
            }
            #expect(error?.description == "the nonce store is full: too many sign-ins are in progress")
        }
        #expect(await store.consume(NonceDigest(of: first), purpose: .signIn, binding: binding) == .consumed)
        clock.advance(by: .seconds(60))
        _ = try await store.issue(purpose: .signIn, binding: binding)
        #expect(await store.consume(NonceDigest(of: second), purpose: .signIn, binding: binding) == .consumed)
    }

    @Test
    func `an error for a lifetime out of range states the range`() async throws {
        for seconds in [0, 601] {
            let error = await #expect(throws: NonceStoreError.lifetime) {
                try await store.issue(purpose: .signIn, binding: binding, lifetime: .seconds(seconds))
            }
            #expect(error?.description == "the lifetime of a nonce must be 1.0 seconds to 600.0 seconds")
        }
    }

    // MARK: Many tasks

    @Test
    func `of 64 tasks that consume one nonce exactly one succeeds`() async throws {
        for _ in 0..<50 {
            let nonce = try await store.issue(purpose: .signIn, binding: binding)
            let uses = await withTaskGroup { group in
                for _ in 0..<64 { group.addTask { await consume(nonce) } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(uses.count { $0 == .consumed } == 1)
            #expect(uses.count { $0 == .replayed } == 63)
        }
    }

    @Test
    func `concurrent tasks with another binding change nothing`() async throws {
        let nonce = try await store.issue(purpose: .signIn, binding: binding)
        let uses = await withTaskGroup { group in
            for task in 0..<64 {
                let stranger = NonceBinding(secret: "stranger \(task)")
                group.addTask { await consume(nonce, by: task % 2 == 0 ? stranger : nil) }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(uses.count { $0 == .issuedElsewhere } == 32)
        #expect(uses.count { $0 == .consumed } == 1)
        #expect(uses.count { $0 == .replayed } == 31)
    }

    @Test
    func `ten thousand attempts can be pending at once, and each completes once`() async throws {
        let uses = try await withThrowingTaskGroup { group in
            for task in 0..<10 {
                group.addTask {
                    var numbers = SeededNumbers(seed: UInt64(task))
                    var attempts: [(nonce: String, binding: NonceBinding)] = []
                    for number in 0..<1000 {
                        let binding = NonceBinding(secret: "cookie \(task) \(number)")
                        attempts.append((try await store.issue(purpose: .signIn, binding: binding), binding))
                    }
                    var uses: [NonceUse] = []
                    for (nonce, binding) in (attempts + attempts).shuffled(using: &numbers) {
                        uses.append(await consume(nonce, by: binding))
                    }
                    return uses
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(uses.count == 20_000)
        #expect(uses.count { $0 == .consumed } == 10_000)
        #expect(uses.count { $0 == .replayed } == 10_000)
    }

    // MARK: Values

    // FIPS 180-4, example "abc".
    private static let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

    @Test
    func `a digest is parsed only from 64 lower-case hexadecimal digits`() {
        let digest = NonceDigest(hexadecimal: Self.abc)
        #expect(digest == NonceDigest(of: "abc"))
        #expect(digest?.bytes == Digest.sha256.hash("abc".utf8))
        #expect(NonceDigest(hexadecimal: "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef") != nil)
        let digits = Self.abc.dropFirst()
        let others: [String] = [
            "", String(digits), String(digits.dropLast()), Self.abc + "0", Self.abc + "00", Self.abc.uppercased(),
            "B\(digits)", "g\(digits)", "/\(digits)", ":\(digits)", "`\(digits)", " \(digits)",
            "0x\(digits.dropFirst())",
            "\(Self.abc)\n", "\(digits)\0", "\u{FF11}\(digits)", "\u{FF11}\(digits.dropFirst(2))", "\(Self.abc)\u{301}",
        ]
        for other in others {
            #expect(NonceDigest(hexadecimal: other) == nil, "\(other)")
        }
    }

    @Test
    func `a binding is the SHA-256 of its secret, compared byte for byte`() {
        #expect(hexadecimal(NonceBinding(secret: "abc").bytes) == Self.abc)
        #expect(NonceBinding(secret: "abc") == NonceBinding(secret: "abc"))
        #expect(NonceBinding(secret: "abc").hashValue == NonceBinding(secret: "abc").hashValue)
        for other in ["ABC", "abc ", "ab", "abc\0", ""] {
            #expect(NonceBinding(secret: "abc") != NonceBinding(secret: other))
        }
        #expect(NonceBinding(secret: "caf\u{E9}") != NonceBinding(secret: "cafe\u{301}"))
    }

    @Test
    func `an empty secret or session matches nothing, not even another empty one`() async throws {
        #expect(NonceBinding(secret: "") != NonceBinding(secret: ""))
        #expect(NonceBinding(secret: "").bytes != Digest.sha256.hash([]))
        #expect(NoncePurpose.link(session: "") != .link(session: ""))
        let nonce = try await store.issue(purpose: .signIn, binding: NonceBinding(secret: ""))
        #expect(await consume(nonce, by: NonceBinding(secret: "")) == .issuedElsewhere)
        let link = NonceDigest(of: try await store.issue(purpose: .link(session: ""), binding: binding))
        #expect(await store.consume(link, purpose: .link(session: ""), binding: binding) == .issuedElsewhere)
    }

    @Test
    func `purposes, and their storage keys, are equal if name and session are equal`() {
        let purposes: [NoncePurpose] = [
            .signIn, .link(session: "A"), .link(session: "B"), .reauthenticate(session: "A"), .merge(session: "A"),
            .link(session: "A:B"), .merge(session: "B"),
        ]
        for (index, first) in purposes.enumerated() {
            for (other, second) in purposes.enumerated() {
                #expect((first == second) == (index == other))
                #expect((first.storageKey == second.storageKey) == (index == other))
            }
        }
        #expect(NoncePurpose.link(session: "A") == .link(session: "A"))
        #expect(NoncePurpose.signIn.storageKey == "sign-in")
        #expect(NoncePurpose.link(session: "abc").storageKey == "link:\(Self.abc)")
        #expect(purposes.map(\.name).prefix(5) == ["sign-in", "link", "link", "reauthenticate", "merge"])
    }

    // MARK: Redaction

    private func texts(of value: some Any) -> [String] {
        var dumped = ""
        dump([value], to: &dumped)
        return ["\(value)", String(reflecting: value), "\([value])", dumped]
    }

    @Test(.rule("T-147"))
    func `no description or dump shows a nonce, a secret, a session, or a digest of them`() async throws {
        let (secret, session) = ("the cookie of Alice", "session 4711")
        let nonce = try await store.issue(purpose: .link(session: session), binding: binding)
        let shown =
            texts(of: store) + texts(of: NonceDigest(of: nonce)) + texts(of: binding)
            + texts(of: NoncePurpose.link(session: session))
        let hidden = [nonce, secret, session].flatMap { text in
            // As text, in hexadecimal, and as an array of bytes is printed or dumped.
            let bytes = Digest.sha256.hash(text.utf8)
            return [text, hexadecimal(bytes.prefix(4)), "\(bytes[0]), \(bytes[1])", "- \(bytes[0])\n"]
        }
        for text in shown {
            for value in hidden { #expect(!text.contains(value), "\(text)") }
            #expect(text.utf8.count < 100)
        }
        #expect("\(NoncePurpose.link(session: session))" == "link")
        #expect(
            "\(store) \(binding) \(NonceDigest(of: nonce))" == "nonces in memory binding of a nonce SHA-256 of a nonce"
        )
    }

    @Test(.rule("T-147"))
    func `the ledger stores no nonce in clear text`() throws {
        var ledger = NonceLedger(capacity: 10)
        let nonces = (0..<10).map { _ in Nonce.random() }
        for nonce in nonces {
            let digest = NonceDigest(of: nonce)
            try ledger.issue(digest, purpose: .signIn, binding: binding, lifetime: .seconds(60), now: clock.now)
        }
        var dumped = ""
        dump(ledger, to: &dumped)
        // Make sure that the dump is complete: it has all ten entries.
        #expect(dumped.split(separator: "isConsumed").count == 11)
        for nonce in nonces { #expect(!dumped.contains(nonce)) }
    }
}
