// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// A provider whose tenants each have an issuer of their own.
@Suite struct MicrosoftTests {
    private static let tenant = "0f1e2d3c-4b5a-4697-8899-aabbccddee47"
    private static let another = "11111111-2222-3333-4444-555555555555"
    private static let personal = "9188040d-6c67-4c5b-b112-36a304b66dad"
    private static let template = "https://login.microsoftonline.com/{tenantid}/v2.0"

    private static func issuer(of tenant: String) -> String { "https://login.microsoftonline.com/\(tenant)/v2.0" }

    /// Creates a bench, and changes its published key.
    private static func bench(
        _ provider: Provider,
        key change: (inout TestJSON) -> Void = { _ in }
    ) throws -> Bench {
        let issuer = TestIssuer(provider: provider)
        var key = issuer.key.json
        change(&key)
        let keys = try JSONWebKeySet(json: (["keys": [key]] as TestJSON).text)
        return try Bench(issuer: issuer, keys: KeySnapshot(provider: provider, keys: keys))
    }

    /// Verifies a token with this `iss` and `tid`, which may contradict each other.
    @discardableResult
    private static func verify(_ bench: Bench, iss: String, tid: TestJSON?) throws -> VerifiedToken {
        try bench.verify {
            $0.claims["iss"] = .string(iss)
            $0.claims["tid"] = tid
        }
    }

    @discardableResult
    private static func verify(_ bench: Bench, tenant: String) throws -> VerifiedToken {
        try verify(bench, iss: issuer(of: tenant), tid: .string(tenant))
    }

    // MARK: Any tenant

    @Test(.rule("T-106"), arguments: [tenant, another, personal, "00000000-0000-0000-0000-000000000000"])
    func `each tenant's tokens are accepted, with the tenant's issuer`(tenant: String) throws {
        let token = try Self.verify(try Self.bench(.microsoftAnyTenant), tenant: tenant)
        #expect(token.issuer == Self.issuer(of: tenant))
        #expect(token.provider.name == "microsoft" && token.provider == .microsoftAnyTenant)
        #expect(token.claims["tid"]?.string == tenant)
    }

    @Test(.rule("T-106"))
    func `the tenant in the issuer must be the tenant in the token`() throws {
        let bench = try Self.bench(.microsoftAnyTenant)
        for (issuer, tenant) in [(Self.tenant, Self.another), (Self.another, Self.tenant)] {
            let refusal = expectRefusal(.issuer) {
                try Self.verify(bench, iss: Self.issuer(of: issuer), tid: .string(tenant))
            }
            #expect(refusal?.member == "iss")
        }
    }

    static let tenantsThatAreNone: [TestJSON?] = [
        nil, .null, 1, true, "", [], [.string(tenant)], ["tid": .string(tenant)],
    ]

    @Test(.rule("T-106"), arguments: tenantsThatAreNone)
    func `a token without a tenant has no valid issuer`(tid: TestJSON?) throws {
        let bench = try Self.bench(.microsoftAnyTenant)
        for issuer in [Self.issuer(of: Self.tenant), Self.template, Self.issuer(of: "")] {
            expectRefusal(.issuer) { try Self.verify(bench, iss: issuer, tid: tid) }
        }
    }

    static let tenantsOfAnotherForm = [
        "0F1E2D3C-4B5A-4697-8899-AABBCCDDEE47", "0f1e2d3c-4b5a-4697-8899-aabbccddee4",
        "0f1e2d3c4b5a46978899aabbccddee47",
        "0f1e2d3c-4b5a-4697-8899-aabbccddee47a", "{0f1e2d3c-4b5a-4697-8899-aabbccddee47}", "common", "organizations",
        "consumers", "contoso.example", "{tenantid}", "0f1e2d3c-4b5a-4697-8899-aabbccddee47/v2.0/x", "../evil", "/",
        ".",
        "0f1e2d3c-4b5a-4697-8899-aabbccddee4g", "0f1e2d3c-4b5a-4697-8899-aabbccddee47\0",
        " 0f1e2d3c-4b5a-4697-8899-aabbccddee47", "0f1e2d3c-4b5a-4697-8899-aabbccddee47\n",
        "0f1e2-d3c-4b5a-4697-8899-aabbccddee47", "0f1e2d3c-4b5a-4697-8899-aabbccddee\u{FF14}7",
        "--------", "0f1e2d3c-4b5a-4697-8899-aabbccddee47-", "0f1e2d3c\u{2010}4b5a-4697-8899-aabbccddee47",
    ]

    @Test(.rule("T-106"), arguments: tenantsOfAnotherForm)
    func `a tenant is a lower-case GUID and nothing else is accepted`(tid: String) throws {
        let bench = try Self.bench(.microsoftAnyTenant)
        for issuer in [Self.issuer(of: tid), Self.template, Self.issuer(of: Self.tenant)] {
            expectRefusal(.issuer) { try Self.verify(bench, iss: issuer, tid: .string(tid)) }
        }
    }

    @Test(.rule("T-106"))
    func `each of several allowed tenants is accepted and no other`() throws {
        let provider = try Provider.microsoft(tenantIDs: [Self.tenant, Self.another])
        #expect(provider.keySetURL == Provider.microsoftAnyTenant.keySetURL)
        let any = TestIssuer(provider: .microsoftAnyTenant)
        let policy = try TokenPolicy(provider: provider, audiences: [any.audience])
        let verifier = TokenVerifier(policy: policy, keys: any.keys, clock: any.clock)
        let keys = KeySnapshot(provider: provider, keys: try JSONWebKeySet(json: any.keySet.text))
        for tenant in [Self.tenant, Self.another] {
            let issuer = TestIssuer(provider: provider, tenant: tenant)
            #expect(issuer.token() == TestIssuer(provider: .microsoftAnyTenant, tenant: tenant).token())
            let token = try verifier.verify(issuer.token(), nonce: .mustBeAbsent, with: keys)
            #expect(token.claims["tid"]?.string == tenant)
            #expect(token.issuer.contains(tenant))
        }
        expectRefusal(.issuer) {
            try verifier.verify(
                TestIssuer(provider: .microsoftAnyTenant, tenant: Self.personal).token(),
                nonce: .mustBeAbsent,
                with: keys
            )
        }
    }

    @Test(.rule("T-106"), arguments: [tenant, "{tenantid}", "common"])
    func `an issuer with the literal placeholder is refused`(tid: String) throws {
        let bench = try Self.bench(.microsoftAnyTenant)
        expectRefusal(.issuer) { try Self.verify(bench, iss: Self.template, tid: .string(tid)) }
    }

    @Test(
        .rule("T-101", "T-106"),
        arguments: [
            "https://login.microsoftonline.com/\(tenant)/v2.0/", "https://login.microsoftonline.com/\(tenant)",
            "https://sts.windows.net/\(tenant)/", "http://login.microsoftonline.com/\(tenant)/v2.0",
            "https://login.microsoftonline.com/\(tenant)/v1.0", "https://login.microsoftonline.us/\(tenant)/v2.0",
            "https://login.microsoftonline.com/0F1E2D3C-4B5A-4697-8899-AABBCCDDEE47/v2.0",
            "https://login.microsoftonline.com.evil.example/\(tenant)/v2.0",
        ]
    )
    func `the issuer around the tenant is compared byte for byte`(issuer: String) throws {
        let bench = try Self.bench(.microsoftAnyTenant)
        expectRefusal(.issuer) { try Self.verify(bench, iss: issuer, tid: .string(Self.tenant)) }
    }

    @Test(.rule("T-106"))
    func `the tenant claim must match the issuer even if the policy names the tenant`() throws {
        for (provider, tenant) in [
            (try Provider.microsoft(tenantID: Self.tenant), Self.tenant), (.microsoftPersonal, Self.personal),
        ] {
            let bench = try Self.bench(provider)
            #expect(try Self.verify(bench, tenant: tenant).tenantID == tenant)
            for tid: TestJSON? in [nil, "", .string(Self.another), .string(tenant.uppercased()), 1, [.string(tenant)]] {
                expectRefusal(.issuer) { try Self.verify(bench, iss: provider.issuers[0], tid: tid) }
            }
        }
        #expect(try Bench().verify().tenantID == nil)
    }

    @Test(.rule("T-106"))
    func `another provider can have tenants at other positions of the issuer`() throws {
        let provider = Provider(
            name: "p",
            issuers: ["https://p.example", "https://{tenantid}.p.example/{tenantid}"],
            tenantClaim: "org"
        )
        let bench = try Self.bench(provider)
        let issuer = "https://\(Self.tenant).p.example/\(Self.tenant)"
        let change: (inout TestToken) -> Void = {
            $0.claims["iss"] = .string(issuer)
            $0.claims["org"] = .string(Self.tenant)
        }
        #expect(try bench.verify(change).issuer == issuer)
        expectRefusal(.issuer) {
            try bench.verify {
                change(&$0)
                $0.claims["iss"] = .string("https://\(Self.tenant).p.example/\(Self.another)")
            }
        }
        expectRefusal(.issuer) {
            try bench.verify {
                change(&$0)
                $0.claims["org"] = nil
                $0.claims["tid"] = .string(Self.tenant)
            }
        }
        // The provider's other issuer belongs to no tenant, and every token must belong to one.
        expectRefusal(.issuer) { try bench.verify { $0.claims["iss"] = "https://p.example" } }
    }

    @Test(.rule("T-106"))
    func `braces in an issuer are literal if the provider has no tenants`() throws {
        let bench = try Self.bench(Provider(name: "p", issuers: [Self.template]))
        #expect(try Self.verify(bench, iss: Self.template, tid: .string(Self.tenant)).issuer == Self.template)
        expectRefusal(.issuer) { try Self.verify(bench, tenant: Self.tenant) }
    }

    // MARK: One tenant

    @Test(.rule("T-106"))
    func `a policy for one tenant accepts only its tokens`() throws {
        let bench = try Self.bench(.microsoft(tenantID: Self.tenant))
        let token = try Self.verify(bench, tenant: Self.tenant)
        #expect(token.issuer == Self.issuer(of: Self.tenant) && token.provider.name == "microsoft")
        for tenant in [Self.another, Self.personal, "common", "{tenantid}"] {
            expectRefusal(.issuer) { try Self.verify(bench, tenant: tenant) }
            expectRefusal(.issuer) { try Self.verify(bench, iss: Self.issuer(of: tenant), tid: .string(Self.tenant)) }
        }
    }

    @Test(.rule("T-106"))
    func `a policy for personal accounts accepts only their tenant`() throws {
        let bench = try Self.bench(.microsoftPersonal)
        #expect(try Self.verify(bench, tenant: Self.personal).issuer == Self.issuer(of: Self.personal))
        expectRefusal(.issuer) { try Self.verify(bench, tenant: Self.tenant) }
    }

    @Test(.rule("T-106"), arguments: tenantsOfAnotherForm + [""])
    func `an invalid tenant ID creates no provider`(tenantID: String) throws {
        _ = try Provider.microsoft(tenantID: Self.tenant)
        #expect(throws: PolicyError.self) { try Provider.microsoft(tenantIDs: [Self.tenant, tenantID]) }
        #expect(throws: PolicyError.self) { try Provider.microsoft(tenantIDs: []) }
        let error = #expect(throws: PolicyError.self) { try Provider.microsoft(tenantID: tenantID) }
        #expect(error?.description.hasPrefix("invalid policy: tenant ID: ") == true)
        #expect(error?.description.unicodeScalars.allSatisfy { (0x20...0x7E).contains($0.value) } == true)
    }

    // MARK: Keys

    @Test(.rule("T-105", "T-106"))
    func `keys are requested by the issuer entry of the policy, never by text of the token`() async throws {
        let rows = [
            (Provider.microsoftAnyTenant, Self.tenant), (.microsoftAnyTenant, Self.another),
            (.microsoftPersonal, Self.personal), (try .microsoft(tenantID: Self.tenant), Self.tenant),
        ]
        for (provider, tenant) in rows {
            let issuer = TestIssuer(provider: provider)
            let before = TestIssuer(provider: provider, key: .another)
            let spy = SpyKeySource(before.keys, then: issuer.keys)
            let policy = try TokenPolicy(provider: provider, audiences: [issuer.audience])
            let verifier = TokenVerifier(policy: policy, keys: spy, clock: issuer.clock)
            let text = issuer.token {
                $0.claims["iss"] = .string(Self.issuer(of: tenant))
                $0.claims["tid"] = .string(tenant)
            }
            _ = try await verifier.verify(text, nonce: .mustBeAbsent)
            let entry = provider.issuers[0]
            #expect(
                spy.calls == [
                    .snapshot(issuer: entry), .refreshed(issuer: entry, unknownKeyID: issuer.key.keyID),
                ]
            )
        }
    }

    @Test(.rule("T-106"), arguments: [template, issuer(of: tenant)])
    func `a key restricted to the token's tenant is used`(keyIssuer: String) throws {
        for provider in [Provider.microsoftAnyTenant, try .microsoft(tenantID: Self.tenant)] {
            let bench = try Self.bench(provider) { $0["issuer"] = .string(keyIssuer) }
            try Self.verify(bench, tenant: Self.tenant)
        }
    }

    static let issuersOfOtherKeys: [TestJSON] = [
        .string(issuer(of: another)), .string(issuer(of: "common")), .string(template + "/"), .string(tenant), "",
        "https://login.microsoftonline.com/{tenantID}/v2.0", 1, true, [.string(template)], [:],
    ]

    @Test(.rule("T-106"), arguments: issuersOfOtherKeys)
    func `a key restricted to another issuer is not used for the tenant's tokens`(keyIssuer: TestJSON) throws {
        for provider in [Provider.microsoftAnyTenant, try .microsoft(tenantID: Self.tenant)] {
            let bench = try Self.bench(provider) { $0["issuer"] = keyIssuer }
            let refusal = expectRefusal(.keyUnusable) { try Self.verify(bench, tenant: Self.tenant) }
            #expect(refusal?.member == "kid")
        }
    }

    @Test(.rule("T-106"), arguments: [.string(another), "somewhere", "TENANT", 1, [.string(tenant)]] as [TestJSON])
    func `a token whose tenant claim is another or missing is refused, whatever the key states`(
        tid: TestJSON
    ) throws {
        for keyIssuer in [Self.template, Self.issuer(of: Self.another)] {
            let bench = try Self.bench(.microsoft(tenantID: Self.tenant)) { $0["issuer"] = .string(keyIssuer) }
            expectRefusal(.issuer) { try Self.verify(bench, iss: Self.issuer(of: Self.tenant), tid: tid) }
        }
    }

    @Test(.rule("T-057", "T-106"), arguments: [nil, .null] as [TestJSON?])
    func `a key without an issuer is used for the tokens of every tenant`(keyIssuer: TestJSON?) throws {
        let bench = try Self.bench(.microsoftAnyTenant) { $0["issuer"] = keyIssuer }
        try Self.verify(bench, tenant: Self.tenant)
        try Self.verify(bench, tenant: Self.another)
    }

    @Test(.rule("T-106"), arguments: issuersOfOtherKeys)
    func `the issuer of a key is ignored if the provider has no tenants`(keyIssuer: TestJSON) throws {
        try Self.bench(.openID(issuers: ["https://issuer.example"])) { $0["issuer"] = keyIssuer }.verify()
    }

    @Test(.rule("T-042", "T-106"))
    func `of two keys with the same key ID the one of the tenant is used`() throws {
        let issuer = TestIssuer(provider: .microsoftAnyTenant)
        let keys = try [(TestKey.shared, Self.tenant), (.another, Self.another)].map { key, tenant in
            var json = key.json
            json["kid"] = "1"
            json["issuer"] = .string(Self.issuer(of: tenant))
            return try JSONWebKey(json: json.text)
        }
        let snapshot = KeySnapshot(provider: issuer.provider, keys: JSONWebKeySet(keys))
        let bench = try Bench(issuer: issuer, keys: snapshot)
        for (tenant, key) in [(Self.tenant, TestKey.shared), (Self.another, .another)] {
            for signer in [TestKey.shared, .another] {
                let text = issuer.token {
                    $0.header["kid"] = "1"
                    $0.claims["iss"] = .string(Self.issuer(of: tenant))
                    $0.claims["tid"] = .string(tenant)
                    $0.signing = .key(signer)
                }
                if signer.keyID == key.keyID {
                    try bench.verify(text: text)
                } else {
                    expectRefusal(.signature) { try bench.verify(text: text) }
                }
            }
        }
    }

    @Test(.rule("T-041"))
    func `a token without a key ID is refused`() throws {
        let bench = try Self.bench(.microsoftPersonal)
        expectRefusal(.keyID) {
            try bench.verify {
                $0.claims["tid"] = .string(Self.personal)
                $0.header["kid"] = nil
            }
        }
    }

    // MARK: Refreshed tokens

    @Test(.rule("T-106", "T-144"))
    func `a refreshed token must have the same tenant`() throws {
        let bench = try Self.bench(.microsoftAnyTenant)
        let first = try Self.verify(bench, tenant: Self.tenant)
        let follow = { (tenant: String) throws -> VerifiedToken in
            let text = bench.issuer.token {
                $0.claims["iss"] = .string(Self.issuer(of: tenant))
                $0.claims["tid"] = .string(tenant)
            }
            return try bench.verifier.verifyRefreshed(text, of: OriginalAuthentication(first), with: bench.keys)
        }
        _ = try follow(Self.tenant)
        expectRefusal(.issuer) { try follow(Self.another) }
    }
}
