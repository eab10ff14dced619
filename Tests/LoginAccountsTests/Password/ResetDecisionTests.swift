// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginProviders
import Testing

@testable import LoginAccounts

@Suite struct ResetDecisionTests {
    private let email = "ada@example.com"

    @Test func `a proven address changes its password`() {
        let identity = IdentityRecord.test(.password, email, email: email, isProven: true)
        #expect(ResetDecision.decide(identity, among: [identity]) == .change)
        #expect(ResetDecision.decide(identity, among: [identity, .test(.google)]) == .change)
    }

    @Test func `an address that another login of the account proves counts as proven`() {
        let identity = IdentityRecord.test(.password, email, email: email)
        let google = IdentityRecord.test(.google, email: email, isProven: true)
        #expect(ResetDecision.decide(identity, among: [identity, google]) == .change)
    }

    @Test func `an unproven address leaves an account with other logins, and takes one without`() {
        let identity = IdentityRecord.test(.password, email, email: email)
        #expect(ResetDecision.decide(identity, among: [identity]) == .changeAndEvict)
        let google = IdentityRecord.test(.google, email: "other@example.com", isProven: true)
        #expect(ResetDecision.decide(identity, among: [identity, google]) == .leave)
    }
}
