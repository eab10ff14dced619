// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// The verifier's method with a nonce store, which accepts each token once.
@Suite struct SingleUseNonceTests {
    private let bench: Bench
    private let store: InMemoryNonceStore
    private let alice = NonceBinding(secret: "the cookie of Alice")
    private let bob = NonceBinding(secret: "the cookie of Bob")

    init() throws {
        bench = try Bench()
        store = InMemoryNonceStore(clock: bench.issuer.clock)
    }

    private func issue(for purpose: NoncePurpose = .signIn) async throws -> String {
        try await store.issue(purpose: purpose, binding: alice)
    }

    private func verify(
        _ text: String,
        for purpose: NoncePurpose = .signIn,
        by binding: NonceBinding? = nil,
        hashedByApp: Bool = false,
        verifier: TokenVerifier? = nil,
        explain: ((CheckReport) -> Void)? = nil
    ) async throws -> VerifiedToken {
        let nonce = SingleUseNonce.singleUse(
            store,
            purpose: purpose,
            binding: binding ?? alice,
            hashedByApp: hashedByApp
        )
        return try await (verifier ?? bench.verifier).verify(text, nonce: nonce, explain: explain)
    }

    /// Expects that `body` refuses a token for this reason.
    @discardableResult
    private func expectRefused(
        _ code: VerificationCode,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () async throws -> VerifiedToken
    ) async -> TokenRefusal? {
        let result: Result<VerifiedToken, any Error>
        do {
            result = .success(try await body())
        } catch VerificationError.refused(let refusal) {
            result = .failure(refusal)
        } catch {
            result = .failure(error)
        }
        return expectRefusal(code, sourceLocation: sourceLocation) { try result.get() }
    }

    // MARK: Once

    @Test(.rule("T-132"))
    func `a token with a single-use nonce is verified once, then refused as replayed`() async throws {
        let text = bench.issuer.token(nonce: try await issue())
        let token = try await verify(text)
        #expect(token.nonceCheck == .singleUse)
        for _ in 0..<3 {
            let refusal = await expectRefused(.replayed) { try await verify(text) }
            #expect(refusal?.member == "nonce")
        }
        // Another token with the same nonce belongs to the same attempt.
        let other = bench.issuer.token(nonce: token.claims.nonce) { $0.claims["jti"] = "another" }
        await expectRefused(.replayed) { try await verify(other) }
    }

    @Test(.rule("T-132"))
    func `of 64 tasks that verify one token with a single-use nonce exactly one succeeds`() async throws {
        let text = bench.issuer.token(nonce: try await issue())
        let codes = await withTaskGroup { group in
            for _ in 0..<64 {
                group.addTask {
                    do {
                        _ = try await verify(text)
                        return "verified"
                    } catch let error as VerificationError {
                        return error.code.rawValue
                    } catch {
                        return "\(error)"
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes.count { $0 == "verified" } == 1)
        #expect(codes.count { $0 == "replayed" } == 63)
    }

    // MARK: Binding, purpose and lifetime

    @Test(.rule("T-132"))
    func `a token from another client is refused, and the owner can still use it`() async throws {
        let text = bench.issuer.token(nonce: try await issue())
        for stranger in [bob, NonceBinding(secret: "")] {
            await expectRefused(.nonce) { try await verify(text, by: stranger) }
        }
        _ = try await verify(text)
        // To another client it is not a replay, because the nonce was never bound to it.
        await expectRefused(.nonce) { try await verify(text, by: bob) }
    }

    @Test(.rule("T-132"))
    func `a nonce for linking is valid only for linking, and only in its session`() async throws {
        let text = bench.issuer.token(nonce: try await issue(for: .link(session: "A")))
        for other: NoncePurpose in [
            .signIn, .link(session: "B"), .reauthenticate(session: "A"), .merge(session: "A"), .link(session: ""),
        ] {
            await expectRefused(.nonce) { try await verify(text, for: other) }
        }
        _ = try await verify(text, for: .link(session: "A"))
        await expectRefused(.replayed) { try await verify(text, for: .link(session: "A")) }
    }

    @Test(.rule("T-132"))
    func `a nonce is accepted until it expires`() async throws {
        let text = bench.issuer.token(nonce: try await issue())
        let late = bench.issuer.token(nonce: try await issue())
        bench.issuer.clock.advance(by: .seconds(599))
        _ = try await verify(text)
        bench.issuer.clock.advance(by: .seconds(1))
        let refusal = await expectRefused(.nonce) { try await verify(late) }
        #expect(refusal?.description.contains("has expired") == true)
    }

    @Test(.rule("T-132"))
    func `a nonce that the store did not issue is refused, and so is an absent one`() async throws {
        let nonce = try await issue()
        for claim: TestJSON? in [
            "made up by the app", .string(nonce + " "), .string(String(nonce.dropLast())), "", nil,
        ] {
            await expectRefused(.nonce) { try await verify(bench.issuer.token { $0.claims["nonce"] = claim }) }
        }
        await expectRefused(.claimType) { try await verify(bench.issuer.token { $0.claims["nonce"] = 1 }) }
        _ = try await verify(bench.issuer.token(nonce: nonce))
    }

    @Test(.rule("T-132"))
    func `a refused token does not consume its nonce`() async throws {
        let nonce = try await issue()
        let faults: [(code: VerificationCode, change: (inout TestToken) -> Void)] = [
            (.expired, { $0.claims["exp"] = 1 }), (.audience, { $0.claims["aud"] = "somebody-else" }),
            (.signature, { $0.signing = .key(.another) }), (.tokenType, { $0.header["typ"] = "at+jwt" }),
        ]
        for fault in faults {
            let text = bench.issuer.token(nonce: nonce, fault.change)
            await expectRefused(fault.code) { try await verify(text) }
        }
        let wrongHash = bench.issuer.token(nonce: nonce) { $0.claims["at_hash"] = "AAAAAAAAAAAAAAAAAAAAAA" }
        await expectRefused(.accessTokenHash) {
            let single = SingleUseNonce.singleUse(store, purpose: .signIn, binding: alice)
            return try await bench.verifier.verify(wrongHash, nonce: single, accessToken: .required("access"))
        }
        _ = try await verify(bench.issuer.token(nonce: nonce))
    }

    @Test
    func `a token with an undecided verdict does not consume its nonce`() async throws {
        let text = bench.issuer.token(nonce: try await issue())
        let blind = TokenVerifier(policy: bench.policy, keys: KeySnapshot([]), clock: bench.issuer.clock)
        let error = await #expect(throws: VerificationError.self) { try await verify(text, verifier: blind) }
        #expect(error?.code == .keysUnavailable)
        _ = try await verify(text)
    }

    // MARK: Apps that hash

    @Test(.rule("T-132"))
    func `the lower-case SHA-256 of the nonce is expected if the app hashes it`() async throws {
        let nonce = try await issue()
        let hash = hexadecimal(Digest.sha256.hash(nonce.utf8))
        for claim in [nonce, hash.uppercased(), String(hash.dropLast()), hash + "0"] {
            let text = bench.issuer.token(nonce: claim)
            await expectRefused(.nonce) { try await verify(text, hashedByApp: true) }
        }
        let text = bench.issuer.token(nonce: hash)
        // Unless the app hashes, the hash is a nonce that was never issued.
        await expectRefused(.nonce) { try await verify(text) }
        #expect(try await verify(text, hashedByApp: true).nonceCheck == .singleUse)
        await expectRefused(.replayed) { try await verify(text, hashedByApp: true) }
        // The hash and the nonce are one entry, so both are consumed.
        await expectRefused(.replayed) { try await verify(bench.issuer.token(nonce: nonce)) }
    }

    // MARK: A store that fails

    private struct BrokenStore: NonceStore {
        struct Failure: Error, Equatable {}

        func issue(purpose: NoncePurpose, binding: NonceBinding, lifetime: Duration) async throws -> String {
            throw Failure()
        }

        func consume(_ nonce: NonceDigest, purpose: NoncePurpose, binding: NonceBinding) async throws -> NonceUse {
            throw Failure()
        }
    }

    @Test
    func `an error of the nonce store is rethrown, and the token is not accepted`() async throws {
        let broken = SingleUseNonce.singleUse(BrokenStore(), purpose: .signIn, binding: alice)
        let text = bench.issuer.token(nonce: "n-1")
        var reports: [CheckReport] = []
        await #expect(throws: BrokenStore.Failure()) {
            try await bench.verifier.verify(text, nonce: broken) { reports.append($0) }
        }
        #expect(reports.map(\.check) == Check.inOrder)
        #expect(reports.last?.outcome == .skipped)
        #expect(!reports.contains { $0.outcome == .fail })
        // The store is called only for tokens with a valid signature.
        let forged = bench.issuer.token(nonce: "n-1") { $0.signing = .key(.another) }
        await expectRefused(.signature) { try await bench.verifier.verify(forged, nonce: broken) }
        await expectRefused(.nonce) { try await bench.verifier.verify(bench.issuer.token(), nonce: broken) }
    }

    // MARK: Reports

    private func reports(_ text: String, by binding: NonceBinding? = nil) async -> [CheckReport] {
        var reports: [CheckReport] = []
        _ = try? await verify(text, by: binding) { reports.append($0) }
        #expect(reports.map(\.check) == Check.inOrder)
        return reports
    }

    @Test(.rule("T-182"))
    func `the report ends with the check of the single use`() async throws {
        let nonce = try await issue()
        let text = bench.issuer.token(nonce: nonce)
        let strange = await reports(text, by: bob).last
        #expect(strange?.outcome == .fail && strange?.detail.hasPrefix("nonce: ") == true)
        let first = await reports(text)
        #expect(!first.contains { $0.outcome == .fail } && first.last?.outcome == .pass)
        let second = await reports(text)
        #expect(second.filter { $0.outcome == .fail }.map(\.check) == [.singleUse])
        #expect(second.last?.detail.hasPrefix("replayed: ") == true)
        let forged = await reports(bench.issuer.token(nonce: nonce) { $0.signing = .key(.another) })
        #expect(forged.last?.outcome == .skipped && forged.last?.detail == "not reached")
    }

    @Test(.rule("T-147"))
    func `no text about a refusal shows the nonce, the secret or the session`() async throws {
        let hidden = ["the cookie of Alice", "session 4711", try await issue(for: .link(session: "session 4711"))]
        let text = bench.issuer.token(nonce: hidden[2])
        let expectation = SingleUseNonce.singleUse(store, purpose: .link(session: hidden[1]), binding: alice)
        var shown = ["\(expectation)", String(reflecting: expectation)]
        dump(expectation, to: &shown[0])
        for _ in 0..<2 {
            do {
                _ = try await bench.verifier.verify(text, nonce: expectation) { shown.append($0.detail) }
            } catch let error as VerificationError {
                shown += ["\(error)", String(reflecting: error), error.publicMessage]
                dump(error, to: &shown[0])
            }
        }
        for value in hidden {
            let hash = hexadecimal(Digest.sha256.hash(value.utf8))
            for text in shown { #expect(!text.contains(value) && !text.contains(hash), "\(text)") }
        }
    }

    // MARK: Texts for the operator

    @Test(.rule("T-132"))
    func `a missing client secret and a wrong one have different reasons`() async throws {
        let text = bench.issuer.token(nonce: try await issue())
        let none = await expectRefused(.nonce) { try await verify(text, by: NonceBinding(secret: "")) }
        #expect(none?.description.contains("no secret was presented") == true)
        let other = await expectRefused(.nonce) { try await verify(text, by: bob) }
        #expect(other?.description.contains("to another client") == true)
        _ = try await verify(text)
    }

    @Test(.rule("T-132"))
    func `a nonce that was hashed unexpectedly is recognized`() async throws {
        let hash = hexadecimal(NonceDigest(of: try await issue()).bytes)
        let refusal = await expectRefused(.nonce) { try await verify(bench.issuer.token(nonce: hash)) }
        #expect(refusal?.description.contains("does the app hash its nonce?") == true)
        let upper = await expectRefused(.nonce) { try await verify(bench.issuer.token(nonce: hash.uppercased())) }
        #expect(upper?.description.contains("does the app hash") == false)
        _ = try await verify(bench.issuer.token(nonce: hash), hashedByApp: true)
    }

    @Test(.rule("T-132"))
    func `a custom purpose is separate from all others`() async throws {
        let export = NoncePurpose("export-data", session: "s-1")
        let text = bench.issuer.token(nonce: try await issue(for: export))
        for other in [NoncePurpose.signIn, NoncePurpose("export-data", session: "s-2"), NoncePurpose("export-data")] {
            await expectRefused(.nonce) { try await verify(text, for: other) }
        }
        _ = try await verify(text, for: NoncePurpose("export-data", session: "s-1"))
        #expect(NoncePurpose("link", session: "s-1") == .link(session: "s-1"))
    }
}
