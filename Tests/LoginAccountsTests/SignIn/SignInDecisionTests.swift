// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginProviders
import TestSupport
import Testing

@testable import LoginAccounts

@Suite struct SignInDecisionTests {
    private let owner = AccountID(rawValue: "owner")

    private func policy(_ matching: LinkPolicy.EmailMatching, oneAccountPerEmail: Bool = true) -> LinkPolicy {
        var policy = LinkPolicy()
        (policy.emailMatching, policy.oneAccountPerEmail) = (matching, oneAccountPerEmail)
        return policy
    }

    private func decide(
        _ credential: VerifiedCredential,
        _ owner: AccountID?,
        having logins: [ProviderID] = [.apple],
        _ policy: LinkPolicy
    ) -> SignInDecision {
        .decide(for: credential, owner: owner, having: logins, policy: policy)
    }

    @Test func `a login whose address no account has verified creates an account`() {
        for matching in [LinkPolicy.EmailMatching.never, .verifiedBoth, .evictUnverified] {
            #expect(decide(.test(), nil, having: [], policy(matching)) == .create)
        }
    }

    @Test func `a login is linked to the account that verified the same address, if the policy allows it`() {
        #expect(decide(.test(), owner, policy(.verifiedBoth)) == .join(owner))
        #expect(decide(.test(), owner, policy(.evictUnverified)) == .join(owner))
        #expect(decide(.test(), owner, policy(.never)) == .conflict(owner))
    }

    @Test func `a login with an unverified or a private address is not linked by address`() {
        #expect(decide(.test(isProven: false), owner, policy(.verifiedBoth)) == .conflict(owner))
        #expect(decide(.test(isPrivate: true), owner, policy(.verifiedBoth)) == .conflict(owner))
    }

    @Test func `a login is not linked by address to an account with another login of its provider`() {
        #expect(decide(.test(.google), owner, having: [.google], policy(.verifiedBoth)) == .conflict(owner))
        #expect(decide(.test(.google), owner, having: [.apple, .google], policy(.verifiedBoth)) == .conflict(owner))
    }

    @Test func `if accounts may share an address, a login that is not linked by address creates an account`() {
        #expect(decide(.test(isProven: false), owner, policy(.verifiedBoth, oneAccountPerEmail: false)) == .create)
        #expect(decide(.test(), owner, policy(.verifiedBoth, oneAccountPerEmail: false)) == .join(owner))
    }

    @Test func `only an account with nothing but unverified passwords can be taken over`() {
        func facts(_ identities: [IdentityRecord], factors: [FactorRecord] = [], isDisabled: Bool = false)
            -> AccountFacts
        {
            let now = StoreTime(milliseconds: 0)
            var account = AccountRecord(id: owner, isAnonymous: false, createdAt: now, updatedAt: now)
            account.disabledAt = isDisabled ? now : nil
            return AccountFacts(account: account, identities: identities, factors: factors)
        }
        let unproven = IdentityRecord.test(.password, email: "ada@example.com")
        let proven = IdentityRecord.test(.password, email: "ada@example.com", isProven: true)
        let factor = FactorRecord(
            id: "factor",
            accountID: owner,
            kind: "totp",
            secret: [],
            sealedWith: 0,
            createdAt: StoreTime(milliseconds: 0)
        )
        #expect(SignInDecision.mayTakeOver(facts([unproven])))
        #expect(!SignInDecision.mayTakeOver(facts([proven])))
        #expect(!SignInDecision.mayTakeOver(facts([unproven, .test(.google)])))
        #expect(!SignInDecision.mayTakeOver(facts([unproven], factors: [factor])))
        #expect(!SignInDecision.mayTakeOver(facts([unproven], isDisabled: true)))
    }
}
