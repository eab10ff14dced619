// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// OpenID Connect Core §12.2: the claims that a refreshed ID token shares with the first one of its sign-in.
@Suite struct RefreshedTokenTests {
    typealias Change = @Sendable (inout TestToken) -> Void

    private static let names = ["https://issuer.example", "https://issuer.example/"]

    private let bench: Bench
    private let now = 1_760_000_000

    /// Creates a bench that accepts each token by itself, so that only the comparison of two tokens can fail.
    init() throws {
        let issuer = TestIssuer(provider: .openID(issuers: Self.names))
        let policy = try TokenPolicy(
            provider: issuer.provider,
            audiences: ["client-1", "client-2"],
            trustedAudiences: ["api"],
            authorizedParties: ["partner", "caf\u{E9}", "cafe\u{301}"],
            leeway: .zero
        )
        bench = try Bench(issuer: issuer, policy: policy)
    }

    /// Returns a verified token of the original sign-in.
    private func signedIn(_ change: (inout TestToken) -> Void = { _ in }) throws -> VerifiedToken {
        try bench.verify(nonce: .notChecked(because: "a test"), change)
    }

    @discardableResult
    private func refresh(
        _ signedIn: VerifiedToken,
        _ change: (inout TestToken) -> Void = { _ in }
    ) throws(TokenRefusal) -> VerifiedToken {
        try bench.verifier.verifyRefreshed(
            bench.issuer.token(change),
            of: OriginalAuthentication(signedIn),
            with: bench.keys
        )
    }

    /// Expects that a token with the new claims may or may not replace one with the old claims.
    private func expect(
        _ code: VerificationCode?,
        _ member: String? = nil,
        from old: [String: TestJSON?],
        to new: [String: TestJSON?],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let first = try signedIn { for (name, value) in old { $0.claims[name] = value } }
        let step = { () throws -> VerifiedToken in
            try refresh(first) { for (name, value) in new { $0.claims[name] = value } }
        }
        guard let code else {
            #expect(throws: Never.self, sourceLocation: sourceLocation) { try step() }
            return
        }
        let refusal = expectRefusal(code, sourceLocation: sourceLocation, step)
        #expect(refusal?.member == member, sourceLocation: sourceLocation)
        // By itself the token is valid.
        #expect(throws: Never.self, sourceLocation: sourceLocation) {
            try signedIn { for (name, value) in new { $0.claims[name] = value } }
        }
    }

    // MARK: Issuer, subject and audience

    @Test(.rule("T-144"))
    func `a refreshed token with the same claims is accepted`() throws {
        let first = try signedIn()
        let second = try refresh(first) { $0.claims["iat"] = .number("\(now)") }
        #expect(second.subject == first.subject && second.issuer == first.issuer && second.audience == first.audience)
        #expect(second.issuedAt == Date(timeIntervalSince1970: Double(now)))
        #expect(second.nonceCheck == .absent)
        // The refreshed token can be refreshed in turn.
        try refresh(second) { $0.claims["iat"] = .number("\(now)") }
    }

    @Test(.rule("T-144"))
    func `the issuer must be the same, in the same spelling`() throws {
        for name in Self.names { try expect(nil, from: ["iss": .string(name)], to: ["iss": .string(name)]) }
        try expect(.issuer, "iss", from: [:], to: ["iss": .string(Self.names[1])])
        try expect(.issuer, "iss", from: ["iss": .string(Self.names[1])], to: [:])
    }

    @Test(.rule("T-144"), arguments: ["1000000000000002", "100000000000000", "10000000000000011", "a"])
    func `the subject must be the same`(subject: String) throws {
        try expect(nil, from: ["sub": .string(subject)], to: ["sub": .string(subject)])
        try expect(.subject, "sub", from: [:], to: ["sub": .string(subject)])
        try expect(.subject, "sub", from: ["sub": "A"], to: ["sub": .string(subject)])
    }

    @Test(
        .rule("T-144"),
        arguments: [
            ("client-1", "client-1"), ("client-1", ["client-1"]), (["client-1"], "client-1"),
            (["client-1", "client-1"], "client-1"), ("client-1", ["api", "client-1"]),
            (["client-1", "api"], ["api", "client-1"]), (["client-1", "api"], ["client-2", "api", "client-1"]),
        ] as [(TestJSON, TestJSON)]
    )
    func `the audiences must be the same, in any order`(old: TestJSON, new: TestJSON) throws {
        try expect(nil, from: ["aud": old, "azp": "client-1"], to: ["aud": new, "azp": "client-1"])
    }

    @Test(
        .rule("T-144"),
        arguments: [
            ("client-1", "client-2"), (["client-1", "api"], "client-1"), (["client-1", "api"], ["client-1"]),
            (["client-1", "api"], ["client-1", "client-2"]), (["client-1", "client-2"], ["api", "client-2"]),
        ] as [(TestJSON, TestJSON)]
    )
    func `a missing audience is refused`(old: TestJSON, new: TestJSON) throws {
        try expect(.audience, "aud", from: ["aud": old, "azp": "client-1"], to: ["aud": new, "azp": "client-1"])
    }

    @Test(.rule("T-144"), arguments: ["client-1", "client-2", "partner"])
    func `the authorized party must be the same, or absent in both`(party: String) throws {
        try expect(nil, from: [:], to: [:])
        try expect(nil, from: ["azp": .string(party)], to: ["azp": .string(party)])
        try expect(.authorizedParty, "azp", from: [:], to: ["azp": .string(party)])
        try expect(.authorizedParty, "azp", from: ["azp": .string(party)], to: [:])
        try expect(.authorizedParty, "azp", from: ["azp": "caf\u{E9}"], to: ["azp": .string(party)])
    }

    @Test(.rule("T-144"))
    func `authorized parties that differ only in Unicode normalization are different`() throws {
        try expect(nil, from: ["azp": "caf\u{E9}"], to: ["azp": .raw(#""caf\u00e9""#)])
        try expect(.authorizedParty, "azp", from: ["azp": "caf\u{E9}"], to: ["azp": "cafe\u{301}"])
    }

    // MARK: Times

    @Test(.rule("T-144"), arguments: ["1759990000", "1759990000.0", "1.75999e9"])
    func `auth_time must have the same value in any notation, or be absent`(
        digits: String
    ) throws {
        try expect(nil, from: ["auth_time": 1_759_990_000], to: ["auth_time": .number(digits)])
        try expect(nil, from: ["auth_time": .number(digits)], to: [:])
        try expect(nil, from: [:], to: [:])
    }

    @Test(
        .rule("T-144"),
        arguments: [
            1_759_990_001, 1_759_989_999, 0, .number("1759990000.5"), .number("1e300"), "1759990000", .null, true,
            [1_759_990_000],
        ] as [TestJSON]
    )
    func `a different auth_time is refused`(time: TestJSON) throws {
        try expect(.authTime, "auth_time", from: ["auth_time": 1_759_990_000], to: ["auth_time": time])
    }

    @Test(.rule("T-144"))
    func `an auth_time is accepted if the first token has none and was issued later`() throws {
        let issued: [String: TestJSON?] = ["iat": 1_759_995_000]
        for time: TestJSON in [0, 1_759_990_000, 1_759_995_000] {
            try expect(nil, from: issued, to: ["auth_time": time])
        }
        for time: TestJSON in [1_759_995_001, 1_760_000_000, "1759990000", .null] {
            try expect(.authTime, "auth_time", from: issued, to: ["auth_time": time])
        }
    }

    @Test(.rule("T-144"))
    func `a refreshed token is compared with the first one, whatever later ones omitted`() throws {
        let whole: Change = {
            $0.claims["auth_time"] = 1_759_990_000
            $0.claims["nonce"] = "n-1"
        }
        let original = OriginalAuthentication(try signedIn(whole))
        let kept = try JSONDecoder().decode(OriginalAuthentication.self, from: JSONEncoder().encode(original))
        #expect(kept == original)
        let token = { (change: Change) throws -> VerifiedToken in
            try bench.verifier.verifyRefreshed(bench.issuer.token(change), of: kept, with: bench.keys)
        }
        #expect(try token { _ in }.nonceCheck == .absent)
        #expect(try token(whole).nonceCheck == .exactly)
        expectRefusal(.authTime) { try token { $0.claims["auth_time"] = 1_759_990_001 } }
        expectRefusal(.nonce) { try token { $0.claims["nonce"] = "n-2" } }
        #expect("\(original)" == "original authentication by \"https://issuer.example\"")
        var shown = ""
        dump(original, to: &shown)
        #expect(!shown.contains("n-1") && !shown.contains("1000000000000001"))
    }

    @Test(.rule("T-144"))
    func `later versions can decode a stored OriginalAuthentication`() throws {
        let kept = """
            {"issuer": "https://issuer.example", "subject": "1000000000000001", "audiences": ["client-1"],
            "authorizedParty": "client-1", "authenticatedAt": 1759990000, "issuedAt": 1759999940, "nonce": "n-1"}
            """
        let token = try signedIn {
            $0.claims["azp"] = "client-1"
            $0.claims["auth_time"] = 1_759_990_000
            $0.claims["nonce"] = "n-1"
        }
        let read = try JSONDecoder().decode(OriginalAuthentication.self, from: Data(kept.utf8))
        #expect(read == OriginalAuthentication(token))
    }

    @Test(.rule("T-136", "T-144"))
    func `at_hash of a refreshed token can be compared with an access token`() throws {
        let original = OriginalAuthentication(try signedIn())
        for (accessToken, code) in [("a", nil), ("b", VerificationCode.accessTokenHash)] {
            // The left half of the SHA-256 of "a".
            let text = bench.issuer.token { $0.claims["at_hash"] = "ypeBEsobvcr6wjGzmiPcTQ" }
            let step = { () throws -> VerifiedToken in
                try bench.verifier.verifyRefreshed(
                    text,
                    of: original,
                    accessToken: .required(accessToken),
                    with: bench.keys
                )
            }
            if let code { expectRefusal(code, step) } else { #expect(throws: Never.self) { try step() } }
        }
    }

    @Test(.rule("T-144"))
    func `two invalid times do not count as equal`() throws {
        for time: TestJSON in ["1759990000", .null, .number("1e300")] {
            try expect(.authTime, "auth_time", from: ["auth_time": time], to: ["auth_time": time])
            try expect(nil, from: ["auth_time": time], to: [:])
        }
    }

    @Test(.rule("T-144"), arguments: ["1759999000", "1759999000.25", "0"])
    func `a refreshed token older than the first one is refused`(digits: String) throws {
        let old: [String: TestJSON?] = ["iat": .number(digits)]
        for (offset, code) in [(0, nil), (1, nil), (-1, VerificationCode.tooOld)] {
            let value = try #require(Double(digits)) + Double(offset)
            guard value >= 0 else { continue }
            try expect(code, code.map { _ in "iat" }, from: old, to: ["iat": .number("\(value)")])
        }
    }

    @Test(.rule("T-144"))
    func `a refreshed token is accepted although the first one has expired`() throws {
        let text = bench.issuer.token()
        let first = try bench.verify(text: text)
        bench.issuer.clock.advance(by: .seconds(86400))
        expectRefusal(.expired) { try bench.verify(text: text) }
        try refresh(first)
    }

    // MARK: Nonce

    @Test(.rule("T-144"))
    func `the nonce must be the same or absent`() throws {
        let first = try signedIn { $0.claims["nonce"] = "n-1" }
        #expect(try refresh(first) { $0.claims["nonce"] = "n-1" }.nonceCheck == .exactly)
        #expect(try refresh(first) { $0.claims["nonce"] = nil }.nonceCheck == .absent)
        for nonce in ["n-2", "N-1", "n-1 ", "n-", "n-1\0", ""] {
            try expect(.nonce, "nonce", from: ["nonce": "n-1"], to: ["nonce": .string(nonce)])
        }
    }

    @Test(.rule("T-144"), arguments: ["n-1", ""])
    func `a nonce is refused if the first token had none`(nonce: String) throws {
        try expect(.nonce, "nonce", from: [:], to: ["nonce": .string(nonce)])
        // An empty nonce counts as missing.
        try expect(.nonce, "nonce", from: ["nonce": ""], to: ["nonce": .string(nonce)])
    }

    @Test(.rule("T-144"))
    func `the nonce claim is compared, however the nonce of the first token was checked`() throws {
        // SHA-256 of "abc" (FIPS 180-4).
        let hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        let text = bench.issuer.token(nonce: hash)
        let first = try bench.verifier.verify(text, nonce: .sha256(of: "abc"), with: bench.keys)
        try refresh(first) { $0.claims["nonce"] = .string(hash) }
        expectRefusal(.nonce) { try refresh(first) { $0.claims["nonce"] = "abc" } }
    }

    @Test(.rule("T-144"))
    func `no text shows the nonce of an expectation`() throws {
        let first = try signedIn { $0.claims["nonce"] = "nonce-of-the-first-attempt" }
        let refusal = expectRefusal(.nonce) { try refresh(first) { $0.claims["nonce"] = "nonce-of-another-attempt" } }
        #expect(refusal?.description.contains("attempt") == false)
        let subject = expectRefusal(.subject) { try refresh(first) { $0.claims["sub"] = "2000000000000002" } }
        #expect(subject?.description.contains("000000000") == false)
    }

    // MARK: The policy

    static let badTokens: [(VerificationCode, Change)] = [
        (.expired, { $0.claims["exp"] = 1_760_000_000 }), (.signature, { $0.signing = .key(.another) }),
        (.keyNotFound, { $0.header["kid"] = "nobody" }), (.audience, { $0.claims["aud"] = ["client-1", "evil"] }),
        (.issuer, { $0.claims["iss"] = "https://evil.example" }), (.missingClaim, { $0.claims["sub"] = nil }),
        (.claimType, { $0.claims["nonce"] = 1 }), (.algorithm, { $0.header["alg"] = "none" }),
        (.tokenType, { $0.claims["events"] = [:] }), (.issuedInFuture, { $0.claims["iat"] = 1_760_000_001 }),
        (.notYetValid, { $0.claims["nbf"] = 1_760_000_001 }),
    ]

    @Test(.rule("T-144"), arguments: badTokens.indices)
    func `a refreshed token must satisfy the policy`(index: Int) throws {
        let (code, change) = Self.badTokens[index]
        let first = try signedIn()
        try refresh(first)
        expectRefusal(code) { try refresh(first, change) }
    }

    @Test(.rule("T-138", "T-144"))
    func `the age of the authentication increases with each refreshed token`() throws {
        let issuer = TestIssuer()
        let policy = try TokenPolicy(
            provider: issuer.provider,
            audiences: [issuer.audience],
            leeway: .zero,
            maximumAuthenticationAge: .seconds(600)
        )
        let strict = try Bench(issuer: issuer, policy: policy)
        let change: Change = { $0.claims["auth_time"] = 1_760_000_000 }
        let original = OriginalAuthentication(try strict.verify(change))
        issuer.clock.advance(by: .seconds(600))
        _ = try strict.verifier.verifyRefreshed(issuer.token(change), of: original, with: strict.keys)
        expectRefusal(.authTime) {
            try strict.verifier.verifyRefreshed(issuer.token(), of: original, with: strict.keys)
        }
        issuer.clock.advance(by: .seconds(1))
        expectRefusal(.authTime) {
            try strict.verifier.verifyRefreshed(issuer.token(change), of: original, with: strict.keys)
        }
    }

    // MARK: Synchronous and asynchronous

    /// A token that differs in each compared claim, one that differs in none, and two that fail by themselves.
    static let successors: [(Check?, Change)] = [
        (nil, { _ in }), (.issuer, { $0.claims["iss"] = .string(names[1]) }),
        (.audience, { $0.claims["aud"] = "client-2" }), (.authorizedParty, { $0.claims["azp"] = "client-1" }),
        (.subject, { $0.claims["sub"] = "2" }), (.age, { $0.claims["iat"] = 1_759_999_939 }),
        (.authTime, { $0.claims["auth_time"] = 1_759_999_941 }), (.nonce, { $0.claims["nonce"] = "n-1" }),
        (.signature, { $0.signing = .key(.another) }), (.segments, { $0.signing = .bytes([]) }),
    ]

    @Test(.rule("T-144", "T-146", "T-182"), arguments: successors.indices)
    func `the asynchronous and the synchronous method report the same in the check of the claim`(index: Int)
        async throws
    {
        let (check, change) = Self.successors[index]
        let original = OriginalAuthentication(try signedIn())
        let text = bench.issuer.token(change)
        var reports: (sync: [CheckReport], async: [CheckReport]) = ([], [])
        var texts: (sync: String, async: String) = ("", "")
        do throws(TokenRefusal) {
            let token = try bench.verifier.verifyRefreshed(text, of: original, with: bench.keys) {
                reports.sync.append($0)
            }
            texts.sync = token.description
        } catch {
            texts.sync = error.description
        }
        do throws(VerificationError) {
            let token = try await bench.verifier.verifyRefreshed(text, of: original) { reports.async.append($0) }
            texts.async = token.description
        } catch {
            texts.async = error.description
        }
        #expect(texts.sync == texts.async && texts.sync.hasPrefix("token refused: ") == (check != nil))
        #expect(reports.sync == reports.async)
        #expect(reports.sync.map(\.check) == Check.inOrder)
        #expect(reports.sync.first { $0.outcome == .fail }?.check == check)
    }

    @Test(.rule("T-105", "T-144"))
    func `no key is requested for a token of another issuer`() async throws {
        let first = try signedIn()
        let spy = SpyKeySource(bench.keys)
        let verifier = TokenVerifier(policy: bench.policy, keys: spy, clock: bench.issuer.clock)
        let text = bench.issuer.token { $0.claims["iss"] = .string(Self.names[1]) }
        await expectRefused(.issuer) { () async throws(VerificationError) in
            try await verifier.verifyRefreshed(text, of: OriginalAuthentication(first))
        }
        #expect(spy.calls.isEmpty)
    }
}
