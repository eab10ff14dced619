// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import LimitedLogin
import LoginProviders
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// The life of a nonce: issued by a store, sent to an app, put into a token, consumed.
@Suite struct IssuedConfigurationTests {
    let bench: FacebookBench
    let nonces: InMemoryNonceStore
    let binding = NonceBinding(secret: "what the app was given")

    init() throws {
        bench = try FacebookBench()
        nonces = InMemoryNonceStore(clock: bench.issuer.clock)
    }

    /// Returns a new configuration as the app decodes it from the server's response.
    func begin(
        purpose: NoncePurpose = .signIn,
        lifetime: Duration = .seconds(600),
        permissions: Set<Permission> = [.email]
    ) async throws -> LoginConfiguration {
        let configuration = try await LoginConfiguration.issuing(
            from: nonces,
            purpose: purpose,
            binding: binding,
            lifetime: lifetime,
            permissions: permissions,
            tracking: .limited
        )
        return try JSONDecoder().decode(LoginConfiguration.self, from: JSONEncoder().encode(configuration))
    }

    /// Returns a token with the configuration's nonce, unchanged, as Facebook issues it.
    func token(for configuration: LoginConfiguration) -> String {
        bench.issuer.token(nonce: configuration.nonce)
    }

    func finish(
        _ text: String,
        purpose: NoncePurpose = .signIn,
        binding: NonceBinding? = nil,
        hashedByApp: Bool = false
    ) async throws -> AuthenticationToken {
        let nonce = SingleUseNonce.singleUse(
            nonces,
            purpose: purpose,
            binding: binding ?? self.binding,
            hashedByApp: hashedByApp
        )
        return try await bench.verifier.verify(text, nonce: nonce)
    }

    func expectRefused(
        _ code: String,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () async throws -> AuthenticationToken
    ) async {
        do {
            _ = try await body()
            Issue.record("accepted", sourceLocation: sourceLocation)
        } catch {
            #expect((error as? VerificationError)?.code.rawValue == code, sourceLocation: sourceLocation)
        }
    }

    @Test func `a nonce issued by a store is accepted once in a token`() async throws {
        let configuration = try await begin()
        #expect(configuration.requestedPermissions == [.email])
        #expect(configuration.tracking == .limited)
        let text = token(for: configuration)
        #expect(try await finish(text).verified.nonceCheck == .singleUse)
        await expectRefused("replayed") { try await finish(text) }
        let other = token(for: configuration)
        await expectRefused("replayed") { try await finish(other) }
    }

    @Test func `each issued configuration has a different nonce`() async throws {
        let (first, second) = try await (begin(), begin())
        #expect(first.nonce != second.nonce)
        _ = try await finish(token(for: second))
        _ = try await finish(token(for: first))
    }

    @Test func `a nonce for another purpose is refused, and remains valid for its own`() async throws {
        let linking = NoncePurpose.link(session: "session-1")
        let text = try await token(for: begin(purpose: linking))
        await expectRefused("nonce") { try await finish(text) }
        await expectRefused("nonce") { try await finish(text, purpose: .link(session: "session-2")) }
        _ = try await finish(text, purpose: linking)
    }

    @Test(arguments: ["what another app was given", ""])
    func `a nonce of another client is refused, and remains valid for its own`(secret: String) async throws {
        let text = try await token(for: begin())
        await expectRefused("nonce") { try await finish(text, binding: NonceBinding(secret: secret)) }
        _ = try await finish(text)
    }

    @Test func `a nonce is valid until its lifetime ends`() async throws {
        let (first, second) = try await (begin(lifetime: .seconds(60)), begin(lifetime: .seconds(60)))
        let (early, late) = (token(for: first), token(for: second))
        bench.issuer.clock.advance(by: .seconds(59))
        _ = try await finish(early)
        bench.issuer.clock.advance(by: .seconds(1))
        await expectRefused("nonce") { try await finish(late) }
    }

    @Test func `a nonce that the app generated is refused`() async throws {
        let made = try #require(LoginConfiguration(tracking: .limited))
        await expectRefused("nonce") { try await finish(token(for: made)) }
    }

    @Test func `a nonce hashed for Facebook is accepted once in its hashed form`() async throws {
        let configuration = try await begin()
        let hashed = configuration.hashingNonce()
        #expect(hashed.nonce.utf8.count == 64)
        #expect(hashed.codeVerifier == configuration.codeVerifier)
        #expect(hashed.requestedPermissions == configuration.requestedPermissions)
        let text = token(for: hashed)
        await expectRefused("nonce") { try await finish(text) }
        _ = try await finish(text, hashedByApp: true)
        await expectRefused("replayed") { try await finish(text, hashedByApp: true) }
        _ = try await bench.verifier.verify(text, nonce: .sha256(of: configuration.nonce))
    }

    @Test func `a plain nonce is not accepted in place of a hashed one`() async throws {
        let configuration = try await begin()
        let text = token(for: configuration)
        await expectRefused("nonce") { try await finish(text, hashedByApp: true) }
        _ = try await finish(text)
    }

    @Test func `the hash is the SHA-256 in lower-case hexadecimal`() throws {
        let configuration = try LoginConfiguration(validating: [.email], tracking: .limited, nonce: "abc")
        // The first example of FIPS 180-4.
        let hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        #expect(configuration.hashingNonce().nonce == hash)
    }

    @Test func `no nonce is issued if the configuration is invalid`() async throws {
        let small = InMemoryNonceStore(capacity: 1, clock: bench.issuer.clock)
        func begin(_ permissions: Set<Permission>) async throws -> LoginConfiguration {
            try await LoginConfiguration.issuing(
                from: small,
                purpose: .signIn,
                binding: binding,
                permissions: permissions,
                tracking: .limited
            )
        }
        await #expect(throws: LoginConfigurationError.self) { try await begin([.userLikes]) }
        _ = try await begin([.email])
        await #expect(throws: NonceStoreError.full) { try await begin([.email]) }
    }

    @Test func `a lifetime out of range is refused by the store`() async {
        await #expect(throws: NonceStoreError.lifetime) { try await begin(lifetime: .seconds(601)) }
    }

    @Test func `an invalid nonce of a custom store is refused`() async {
        await #expect {
            try await LoginConfiguration.issuing(
                from: CarelessStore(),
                purpose: .signIn,
                binding: binding,
                tracking: .limited
            )
        } throws: {
            ($0 as? LoginConfigurationError)?.code == .nonceWhiteSpace
        }
    }
}

/// A store that issues invalid nonces.
private struct CarelessStore: NonceStore {
    func issue(purpose: NoncePurpose, binding: NonceBinding, lifetime: Duration) async throws -> String { "a\nb" }

    func consume(_ nonce: NonceDigest, purpose: NoncePurpose, binding: NonceBinding) async throws -> NonceUse {
        .unknown
    }
}
