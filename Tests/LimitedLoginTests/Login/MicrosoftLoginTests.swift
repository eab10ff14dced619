// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginProviders
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// Logins at Microsoft by users of one tenant, of several, and of any.
@Suite struct MicrosoftLoginTests {
    private static let (first, second, foreign) = (
        "aaaaaaaa-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222",
        "33333333-3333-4333-8333-333333333333"
    )
    private static let personal = "9188040d-6c67-4c5b-b112-36a304b66dad"

    private static func provider(_ tenants: [String]) throws -> SignInProvider {
        tenants == ["*"]
            ? .microsoftAnyTenant("microsoft", clientID: "client-1", clientSecret: "s")
            : try .microsoft("microsoft", tenantIDs: tenants, clientID: "client-1", clientSecret: "s")
    }

    /// Logs a user of a tenant in.
    private func logIn(
        _ provider: SignInProvider,
        tenant: String,
        expecting userID: String? = nil,
        callback: [(name: String, value: String)] = [],
        token: (inout TestToken) -> Void = { _ in }
    ) async throws -> LoginResult {
        let bench = DiscoveredLoginBench(TestIssuer(provider: provider.provider, tenant: tenant))
        bench.publish(at: try ProviderMetadata.url(of: provider.provider).description)
        // Whatever the policy accepts, the token has the issuer of its tenant.
        return try await bench.logIn(
            provider,
            expecting: userID,
            callback: callback,
            token: {
                $0.claims["iss"] = .string("https://login.microsoftonline.com/\(tenant)/v2.0")
                $0.claims["tid"] = .string(tenant)
                token(&$0)
            }
        )
    }

    @Test(
        arguments: [
            ([first], first, true), ([first], second, false), ([first, second], first, true),
            ([first, second], second, true), ([first, second], foreign, false), ([first, personal], personal, true),
            (["*"], foreign, true), (["*"], personal, true),
        ] as [([String], String, Bool)]
    )
    func `exactly the users of the accepted tenants log in`(tenants: [String], tenant: String, isAccepted: Bool)
        async throws
    {
        let result = try await logIn(try Self.provider(tenants), tenant: tenant)
        guard isAccepted else {
            #expect(expectFailure(.token, result)?.refusal?.code == .issuer)
            return
        }
        let login = try success(result)
        #expect(login.identity.providerID == "microsoft" && login.identity.token?.tenantID == tenant)
    }

    @Test(arguments: [[first, second], ["*"]])
    func `issuer and tid must name the same tenant`(tenants: [String]) async throws {
        for other in [Self.second, "", "{tenantid}", Self.first.uppercased()] {
            let result = try await logIn(
                try Self.provider(tenants),
                tenant: Self.first,
                token: { $0.claims["tid"] = .string(other) }
            )
            #expect(expectFailure(.token, result)?.refusal?.code == .issuer)
        }
    }

    @Test(.rule("S-KEY-2")) func `users of different tenants with one subject are different identities`() async throws {
        var subjects: [String] = []
        for (tenants, tenant) in [
            ([Self.first, Self.second], Self.first), ([Self.first, Self.second], Self.second),
            ([Self.first], Self.first),
            (["*"], Self.first),
        ] {
            let login = try success(try await logIn(try Self.provider(tenants), tenant: tenant))
            subjects.append(login.identity.subject)
        }
        // The identity stays the same when the accepted tenants change.
        let (ofFirst, ofSecond) = ("\(Self.first)/1000000000000001", "\(Self.second)/1000000000000001")
        #expect(subjects == [ofFirst, ofSecond, ofFirst, ofFirst])
    }

    @Test func `a login for an expected user names the tenant and the subject`() async throws {
        let provider = try Self.provider([Self.first, Self.second])
        let expected = "\(Self.first)/1000000000000001"
        _ = try success(try await logIn(provider, tenant: Self.first, expecting: expected))
        for wrong in ["1000000000000001", "\(Self.second)/1000000000000001"] {
            expectFailure(.userMismatch, try await logIn(provider, tenant: Self.first, expecting: wrong))
        }
    }

    @Test(
        arguments: [
            ([first], "\(first)/v2.0"), ([first, second], "organizations/v2.0"), ([first, personal], "common/v2.0"),
            (["*"], "common/v2.0"),
        ] as [([String], String)]
    )
    func `the discovery document is that of the accepted accounts`(tenants: [String], path: String) throws {
        let provider = try Self.provider(tenants).provider
        let url = try ProviderMetadata.url(of: provider).description
        #expect(url == "https://login.microsoftonline.com/\(path)/.well-known/openid-configuration")
    }

    @Test func `a response may name the issuer of an accepted tenant, and no other`() async throws {
        func result(_ tenants: [String], _ issuer: String) async throws -> LoginResult {
            let callback = [(name: "iss", value: issuer)]
            return try await logIn(try Self.provider(tenants), tenant: Self.first, callback: callback)
        }
        let host = "https://login.microsoftonline.com"
        for tenants in [[Self.first, Self.second], ["*"]] {
            _ = try success(try await result(tenants, "\(host)/\(Self.first)/v2.0"))
            for wrong in [
                "\(host)/common/v2.0", "\(host)/\(Self.first)/v2.0/", "https://evil.example/\(Self.first)/v2.0",
            ] {
                expectFailure(.issuerMismatch, try await result(tenants, wrong))
            }
        }
        expectFailure(.issuerMismatch, try await result([Self.first, Self.second], "\(host)/\(Self.foreign)/v2.0"))
    }

    @Test func `no e-mail address is believed if any tenant is accepted`() throws {
        let transport = StubTransport()
        for trust in [SignInProvider.EmailTrust.verifiedClaimOfAnyDomain, .verifiedClaim(domains: ["corp.example"])] {
            func providers(_ tenants: [String]) throws -> SignInProviders {
                let provider = try Self.provider(tenants).with { $0.emailTrust = trust }
                return try SignInProviders([provider], keys: KeySnapshot([]), transport: transport)
            }
            let error = #expect(throws: LoginManagerError.self) { try providers(["*"]) }
            #expect(error?.code == .client && error?.description.contains("tenant") == true)
            _ = try providers([Self.first, Self.second])
        }
        _ = try SignInProviders([try Self.provider(["*"])], keys: KeySnapshot([]), transport: transport)
    }
}
