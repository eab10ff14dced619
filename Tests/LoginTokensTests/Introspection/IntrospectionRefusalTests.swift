// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
internal import LoginTokens
internal import Synchronization
internal import TestSupport
internal import Testing

/// The refusals of an introspected token, each from both sides of its limit.
@Suite struct IntrospectionRefusalTests {
    /// A fault of an answer, with the code and the member of its refusal.
    struct Fault: CustomTestStringConvertible, Sendable {
        let member: String
        let value: TestJSON?
        let code: VerificationCode

        init(_ member: String, _ value: TestJSON?, _ code: VerificationCode) {
            self.member = member
            self.value = value
            self.code = code
        }

        var testDescription: String { "\(member) is \(value?.text.prefix(40) ?? "missing")" }
    }

    static let parties: [Fault] = [
        Fault("iss", nil, .missingClaim), Fault("iss", "https://login.example/", .issuer), Fault("iss", 1, .claimType),
        Fault("iss", ["https://login.example"], .claimType), Fault("iss", .null, .missingClaim),
        Fault("aud", nil, .missingClaim), Fault("aud", "https://orders.example/", .audience),
        Fault("aud", [], .audience), Fault("aud", 1, .claimType),
        Fault("aud", ["https://orders.example", 1], .claimType), Fault("aud", .null, .missingClaim),
        Fault("sub", .null, .missingClaim), Fault("client_id", .null, .missingClaim),
        Fault("sub", nil, .missingClaim), Fault("sub", 1, .claimType), Fault("sub", "", .subject),
        Fault("sub", .string(String(repeating: "x", count: 1025)), .subject),
        Fault("client_id", nil, .missingClaim), Fault("client_id", "", .missingClaim),
        Fault("client_id", 1, .claimType),
    ]

    static let others: [Fault] = [
        Fault("exp", nil, .missingClaim), Fault("exp", "soon", .claimType), Fault("exp", -1, .claimType),
        Fault("exp", 253_402_300_800, .claimType), Fault("exp", 1, .expired),
        Fault("iat", nil, .missingClaim), Fault("iat", true, .claimType), Fault("iat", 253_402_300_000, .expired),
        Fault("nbf", "soon", .claimType), Fault("nbf", 253_402_300_000, .notYetValid),
        Fault("exp", .null, .missingClaim), Fault("iat", .null, .missingClaim),
    ]

    static let kinds: [Fault] = [
        Fault("token_type", "mac", .tokenType), Fault("token_type", 1, .tokenType), Fault("token_type", "", .tokenType),
        Fault("token_use", "refresh_token", .tokenType), Fault("token_use", "id", .tokenType),
        Fault("token_use", 1, .tokenType), Fault("typ", "Refresh", .tokenType), Fault("typ", "Offline", .tokenType),
        Fault("typ", "ID", .tokenType), Fault("typ", "REFRESH", .tokenType), Fault("events", [:], .tokenType),
        Fault("at_hash", "x", .tokenType),
        Fault("c_hash", "x", .tokenType), Fault("token_use", .null, .tokenType), Fault("events", .null, .tokenType),
    ]

    @Test(.rule("T-243", "T-244"), arguments: parties + others + kinds)
    func `an answer with one fault is refused, and the refusal names the member`(fault: Fault) async throws {
        let bench = try IntrospectionBench()
        bench.answer { $0[fault.member] = fault.value }
        let refusal = await refusal(fault.code, try bench.introspector())
        #expect(fault.code == .expired || refusal?.member == fault.member)
    }

    @Test(.rule("T-243"), arguments: [["https://orders.example"], ["other", "https://orders.example"]])
    func `a token that also names other audiences is accepted`(audiences: [String]) async throws {
        let bench = try IntrospectionBench()
        bench.answer { $0["aud"] = .array(audiences.map { .string($0) }) }
        #expect(try await accepted(bench).audience == "https://orders.example")
    }

    // MARK: Kinds of token

    @Test(.rule("T-244"), arguments: [nil, "Bearer", "bearer", "BEARER"] as [TestJSON?])
    func `a bearer token is accepted, whatever the case of its type`(type: TestJSON?) async throws {
        let bench = try IntrospectionBench()
        bench.answer { $0["token_type"] = type }
        #expect(try await !accepted(bench).confirmation.isBound)
    }

    @Test(.rule("T-244"), arguments: ["access_token", "access"])
    func `a token that is marked as an access token is accepted`(use: String) async throws {
        let bench = try IntrospectionBench()
        bench.answer {
            $0["token_use"] = .string(use)
            $0["typ"] = "Bearer"
            $0["nonce"] = "n-1"
        }
        _ = try await accepted(bench)
    }

    @Test(.rule("T-244"))
    func `only the types of the policy are accepted`() async throws {
        let bench = try IntrospectionBench(tokenTypes: ["access_token"])
        await refusal(.tokenType, try bench.introspector())
        bench.answer { $0["token_type"] = "access_token" }
        _ = try await accepted(bench)
    }

    @Test(.rule("T-231", "T-244"), arguments: ["DPoP", "dpop"])
    func `a DPoP token without a key is refused, and with one it is bound`(type: String) async throws {
        let bench = try IntrospectionBench()
        bench.answer { $0["token_type"] = .string(type) }
        let refusal = await refusal(.confirmationUnsupported, try bench.introspector())
        #expect(refusal?.member == "cnf")
        bench.answer {
            $0["token_type"] = .string(type)
            $0["cnf"] = ["jkt": "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs"]
        }
        #expect(try await accepted(bench).confirmation.keyThumbprint != nil)
    }

    @Test(.rule("T-244"), arguments: [.null, "x", [:], ["jkt": 1], ["x5t#S256": "x"]] as [TestJSON])
    func `a token that is bound in an unknown way counts as bound`(confirmation: TestJSON) async throws {
        let bench = try IntrospectionBench()
        bench.answer { $0["cnf"] = confirmation }
        let token = try await accepted(bench)
        #expect(token.confirmation.isBound)
        expectRefusal(.confirmationUnsupported) { try token.confirmation.check() }
    }

    // MARK: Times

    @Test(.rule("T-243"))
    func `exp, nbf and iat are checked to the second, with the leeway`() async throws {
        for leeway in [0, 30] {
            let bench = try IntrospectionBench(leeway: .seconds(leeway))
            let limits: [(String, Int, Int, VerificationCode)] = [
                ("exp", 1 - leeway, -leeway, .expired), ("nbf", leeway, leeway + 1, .notYetValid),
                ("iat", leeway, leeway + 1, .issuedInFuture),
            ]
            for (member, good, bad, code) in limits {
                bench.answer { $0[member] = bench.time(good) }
                _ = try await accepted(bench)
                bench.answer { $0[member] = bench.time(bad) }
                await refusal(code, try bench.introspector())
            }
        }
    }

    @Test(.rule("T-243"))
    func `a token older than the maximum age is refused`() async throws {
        _ = try await accepted(try IntrospectionBench(maximumAge: .seconds(60)))
        await refusal(.tooOld, try IntrospectionBench(maximumAge: .seconds(59)).introspector())
    }

    // MARK: Requirements of the policy

    @Test(.rule("T-243"))
    func `only an allowed client is accepted`() async throws {
        let bench = try IntrospectionBench(allowedClients: ["client-one", "client-app"])
        _ = try await accepted(bench)
        bench.answer { $0["client_id"] = "client-two" }
        let refusal = await refusal(.authorizedParty, try bench.introspector())
        #expect(refusal?.member == "client_id")
    }

    @Test(.rule("T-243"))
    func `a token without a client is refused if clients are limited, although the member is optional`() async throws {
        let open = try IntrospectionBench(optionalMembers: [.client])
        open.answer { $0["client_id"] = nil }
        #expect(try await accepted(open).clientID == nil)
        let strict = try IntrospectionBench(allowedClients: ["client-app"], optionalMembers: [.client])
        strict.answer { $0["client_id"] = nil }
        await refusal(.authorizedParty, try strict.introspector())
    }

    @Test(.rule("T-243"))
    func `all required scopes must be in the answer, whole and in the same case`() async throws {
        let bench = try IntrospectionBench(requiredScopes: ["orders:read", "orders:write"])
        bench.answer { $0["scope"] = "orders:write profile orders:read" }
        #expect(try await accepted(bench).scopes == ["orders:read", "orders:write", "profile"])
        for scope in [nil, "", "orders:read", "orders:read Orders:write", "orders:read orders:writes"] as [TestJSON?] {
            bench.answer { $0["scope"] = scope }
            let refusal = await refusal(.insufficientScope, try bench.introspector())
            #expect(refusal?.member == "scope")
        }
    }

    @Test(.rule("T-243"))
    func `a required value is compared, and the received one is in no message`() async throws {
        let bench = try IntrospectionBench(requiredValues: ["plan": ["gold"]])
        bench.answer { $0["plan"] = "gold" }
        _ = try await accepted(bench)
        bench.answer { $0["plan"] = "secret-plan" }
        let refusal = await refusal(.claimValue, try bench.introspector())
        #expect(refusal?.description.contains("secret-plan") == false)
    }

    // MARK: Optional members

    @Test(.rule("T-243"), arguments: IntrospectionPolicy.Member.allCases)
    func `a member may be missing only if it is optional, and is still checked`(
        member: IntrospectionPolicy.Member
    ) async throws {
        let strict = try IntrospectionBench()
        strict.answer { $0[member.rawValue] = nil }
        await refusal(.missingClaim, try strict.introspector())
        let lenient = try IntrospectionBench(optionalMembers: [member])
        lenient.answer { $0[member.rawValue] = nil }
        _ = try await accepted(lenient)
        lenient.answer { $0[member.rawValue] = .null }
        _ = try await accepted(lenient)
        lenient.answer { $0[member.rawValue] = [1] }
        if member == .client {
            // Nothing uses it.
            #expect(try await accepted(lenient).clientID == nil)
        } else {
            await refusal(.claimType, try lenient.introspector())
        }
    }

    @Test(.rule("T-243"))
    func `an answer with the single member active is accepted if all others are optional`() async throws {
        let bench = try IntrospectionBench(optionalMembers: Set(IntrospectionPolicy.Member.allCases))
        bench.answer { $0 = ["active": true] }
        let token = try await accepted(bench)
        #expect(token.issuer == nil && token.audience == nil && token.subject == nil && token.clientID == nil)
        #expect(token.scopes.isEmpty && token.expiresAt == nil && token.issuedAt == nil)
        #expect(token.description == "access token of an unnamed issuer for an unnamed audience, accepted")
    }

    @Test func `a policy must be complete and consistent`() {
        let (issuers, audiences) = (["https://login.example"], ["https://orders.example"])
        #expect(throws: PolicyError.self) { try IntrospectionPolicy(issuers: [], audiences: audiences) }
        #expect(throws: PolicyError.self) { try IntrospectionPolicy(issuers: issuers, audiences: []) }
        #expect(throws: PolicyError.self) { try IntrospectionPolicy(issuers: issuers, audiences: [""]) }
        for scope in ["a b", ""] {
            #expect(throws: PolicyError.self) {
                try IntrospectionPolicy(issuers: issuers, audiences: audiences, requiredScopes: [scope])
            }
        }
        #expect(throws: PolicyError.self) {
            try IntrospectionPolicy(issuers: issuers, audiences: audiences, tokenTypes: [])
        }
        #expect(throws: PolicyError.self) {
            try IntrospectionPolicy(
                issuers: issuers,
                audiences: audiences,
                optionalMembers: [.issuedAt],
                maximumAge: .seconds(60)
            )
        }
    }

    @Test(.rule("T-243"))
    func `the subject is the first of the stated members that the answer contains`() async throws {
        let bench = try IntrospectionBench(subjectMembers: ["username", "client_id"])
        bench.answer { $0["username"] = "alice" }
        #expect(try await accepted(bench).subject == "alice")
        bench.answer { $0["sub"] = nil }
        #expect(try await accepted(bench).subject == "client-app")
        for (value, code) in [(1, .claimType), ("", .subject)] as [(TestJSON, VerificationCode)] {
            bench.answer { $0["username"] = value }
            await refusal(code, try bench.introspector())
        }
    }

    // MARK: For a route

    @Test(.rule("T-243"))
    func `a verifier of bearer tokens accepts the answer, with the subject, the scopes and the members`() async throws {
        let bench = try IntrospectionBench(optionalMembers: [.issuer, .audience, .issuedAt, .expiry])
        bench.answer { for member in ["iss", "aud", "iat", "exp"] { $0[member] = nil } }
        let verifier: any BearerTokenVerifier = try bench.introspector()
        let token = try await verifier.verified(IntrospectionBench.token)
        #expect(token.subject == "user-1" && token.clientID == "client-app" && token.scopes == ["orders:read"])
        #expect(token.issuer == IntrospectionBench.issuer && token.audience == IntrospectionBench.audience)
        #expect(token.issuedAt == nil && token.expiresAt == nil && token.jws == nil && token.tenantID == nil)
        #expect(verifier.requirements.audiences == [IntrospectionBench.audience])
    }

    @Test(.rule("T-243"))
    func `a verifier of bearer tokens refuses an answer without a subject, also if it is optional`() async throws {
        let bench = try IntrospectionBench(optionalMembers: [.subject])
        bench.answer { $0["sub"] = nil }
        let introspector = try bench.introspector()
        _ = try await introspector.verify(IntrospectionBench.token)
        await expectRefused(.missingClaim) { () async throws(VerificationError) in
            try await introspector.verified(IntrospectionBench.token)
        }
    }

    @Test func `a verifier of bearer tokens reports each verdict once`() async throws {
        let bench = try IntrospectionBench(optionalMembers: [.subject])
        var introspector = try bench.introspector()
        let verdicts = Mutex<[VerificationCode?]>([])
        introspector.onVerdict = { error in verdicts.withLock { $0.append(error?.code) } }
        _ = try await introspector.verified(IntrospectionBench.token)
        bench.answer { $0["sub"] = nil }
        _ = try? await introspector.verified("another-token")
        #expect(verdicts.withLock { $0 } == [nil, .missingClaim])
    }

    private func accepted(_ bench: IntrospectionBench) async throws -> AcceptedAccessToken {
        try await bench.introspector().verify(IntrospectionBench.token)
    }

    @discardableResult
    private func refusal(_ code: VerificationCode, _ introspector: TokenIntrospector) async -> TokenRefusal? {
        await expectRefused(code) { () async throws(VerificationError) in
            try await introspector.verify(IntrospectionBench.token)
        }
    }
}
