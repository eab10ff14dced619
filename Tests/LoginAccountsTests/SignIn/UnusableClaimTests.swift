// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginProviders
import LoginTesting
import Synchronization
import TestSupport
import Testing

@testable import LoginAccounts

/// Claims about addresses and phone numbers, as providers write them.
@Suite struct UnusableClaimTests {
    /// The claims that were reported.
    private final class Reports: Sendable {
        private let claims = Mutex<[UnusableClaim]>([])
        var all: [UnusableClaim] { claims.withLock { $0 } }

        func append(_ claim: UnusableClaim) { claims.withLock { $0.append(claim) } }
    }

    private let fixture: AuthFixture
    private let auth: Auth
    private let reports = Reports()

    init() async throws {
        fixture = try await AuthFixture(InMemoryAccountStore()) { providers in
            providers[0].emailTrust = .verifiedClaim(domains: ["example.com", "b\u{FC}cher.example"])
        }
        var auth = fixture.auth
        auth.onUnusableClaim = { [reports] in reports.append($0) }
        self.auth = auth
    }

    private func signIn(_ change: (inout TestToken) -> Void) async throws -> Account {
        let credential = try await fixture.credential(as: "ada", with: .google, email: "ada@example.com", change)
        return try await auth.signIn(with: credential).get().account
    }

    @Test(
        .rule("T-142", "S-EML-5"),
        arguments: [(true, true), ("true", true), (false, false), ("false", false)] as [(TestJSON, Bool)]
    )
    func `an address is verified if the flag is true or the text true, at any provider`(
        flag: TestJSON,
        isVerified: Bool
    ) async throws {
        let account = try await signIn {
            $0.claims["email_verified"] = flag
            $0.claims["phone_number_verified"] = flag
        }
        #expect(account.isEmailVerified == isVerified && reports.all.isEmpty)
    }

    @Test(
        .rule("T-142"),
        arguments: ["email_verified", "phone_number_verified"],
        ["yes", "True", "", 1, []] as [TestJSON]
    )
    func `a flag of another value is unknown, and reported once`(name: String, value: TestJSON) async throws {
        let account = try await signIn { $0.claims[name] = value }
        #expect(account.isEmailVerified == (name != "email_verified"))
        #expect(
            reports.all == [UnusableClaim(provider: .google, claim: name, reason: "it is neither true nor false")]
        )
    }

    @Test(
        .rule("S-EML-2"),
        arguments: ["ada@localhost", "ada\u{200B}@example.com", "ada@\u{2615}.example", "", 1] as [TestJSON]
    )
    func `an address that cannot be stored is reported once, without the address`(value: TestJSON) async throws {
        let account = try await signIn { $0.claims["email"] = value }
        #expect(account.email == nil && !account.isEmailVerified)
        #expect(reports.all.map(\.claim) == ["email"])
        #expect(reports.all.allSatisfy { !$0.reason.isEmpty && !"\($0)".contains("ada@") })
    }

    @Test(.rule("S-EML-2"), arguments: ["email", "email_verified", "phone_number_verified"])
    func `a claim that is missing or null is not reported`(name: String) async throws {
        for value in [nil, .null] as [TestJSON?] { _ = try await signIn { $0.claims[name] = value } }
        #expect(reports.all.isEmpty)
    }

    @Test(.rule("S-EML-1", "S-EML-2"), arguments: StoreUnderTest.all)
    func `two spellings of an international address are one address, of one account`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada", email: "J\u{F6}rg@B\u{DC}CHER.example")
        #expect(ada.account.email == "j\u{F6}rg@xn--bcher-kva.example")
        await expectError(.accountExistsWithDifferentCredential) {
            try await fixture.signIn(as: "x", with: .apple, email: "jo\u{308}rg@xn--bcher-kva.example")
        }
        let found = try await fixture.auth.accounts(email: "jo\u{308}rg@bu\u{308}cher.example")
        #expect(found.map(\.id) == [ada.account.id])
    }

    @Test(.rule("S-PRE-5", "S-EML-2"))
    func `a trusted domain may be written in its own script`() async throws {
        let account = try await signIn {
            $0.claims["email"] = "ada@xn--bcher-kva.example"
            $0.claims["email_verified"] = true
        }
        #expect(account.isEmailVerified)
    }
}
