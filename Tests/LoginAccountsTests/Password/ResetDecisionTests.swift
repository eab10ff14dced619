// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginProviders
import Testing

@testable import LoginAccounts

@Suite struct ResetDecisionTests {
    private let email = "ada@example.com"

    @Test func `a reset for a verified address changes the password`() {
        let identity = IdentityRecord.test(.password, email, email: email, isProven: true)
        #expect(ResetDecision.decide(identity, among: [identity]) == .change)
        #expect(ResetDecision.decide(identity, among: [identity, .test(.google)]) == .change)
    }

    @Test func `an address that another login of the account verifies counts as verified`() {
        let identity = IdentityRecord.test(.password, email, email: email)
        let google = IdentityRecord.test(.google, email: email, isProven: true)
        #expect(ResetDecision.decide(identity, among: [identity, google]) == .change)
    }

    @Test func `a reset for an unverified address evicts an account without other logins, and does not change others`()
    {
        let identity = IdentityRecord.test(.password, email, email: email)
        #expect(ResetDecision.decide(identity, among: [identity]) == .changeAndEvict)
        let google = IdentityRecord.test(.google, email: "other@example.com", isProven: true)
        #expect(ResetDecision.decide(identity, among: [identity, google]) == .leave)
    }
}
