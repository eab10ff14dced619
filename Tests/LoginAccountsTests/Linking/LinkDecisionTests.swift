// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginProviders
import TestSupport
import Testing

@testable import LoginAccounts

@Suite struct LinkDecisionTests {
    private let other = AccountID(rawValue: "other")

    private func decide(
        having logins: [ProviderID] = [],
        holder: AccountID? = nil,
        owner: AccountID? = nil,
        perProvider: LinkPolicy.IdentitiesPerProvider = .one,
        oneAccountPerEmail: Bool = true
    ) -> LinkDecision {
        var policy = LinkPolicy()
        (policy.identitiesPerProvider, policy.oneAccountPerEmail) = (perProvider, oneAccountPerEmail)
        return .decide(.google, having: logins, holder: holder, owner: owner, policy: policy)
    }

    @Test func `a login without an account is linked`() {
        #expect(decide() == .link)
        #expect(decide(having: [.apple]) == .link)
    }

    @Test(.rule("R-LNK-3")) func `a second login of one provider is linked only if several are allowed`() {
        #expect(decide(having: [.google]) == .providerAlreadyLinked)
        #expect(decide(having: [.google], perProvider: .many) == .link)
        #expect(decide(having: [.google], holder: other) == .providerAlreadyLinked)
    }

    @Test(.rule("R-LNK-3")) func `an account has at most a thousand logins of a provider`() {
        let logins = Array(repeating: ProviderID.google, count: 999)
        #expect(decide(having: logins + [.apple], perProvider: .many) == .link)
        #expect(decide(having: logins + [.google], perProvider: .many) == .providerAlreadyLinked)
    }

    @Test func `a login of another account is a conflict, whatever e-mail address it names`() {
        #expect(decide(holder: other) == .loginTaken(other))
        #expect(decide(holder: other, owner: AccountID(rawValue: "third")) == .loginTaken(other))
    }

    @Test func `an e-mail address of another account is a conflict, unless accounts may share it`() {
        #expect(decide(owner: other) == .emailTaken(other))
        #expect(decide(owner: other, oneAccountPerEmail: false) == .link)
    }

    private func unlink(
        _ identities: [(id: String, provider: ProviderID, isUsable: Bool)],
        named: String?? = nil
    ) -> UnlinkDecision {
        .decide(.google, named: named, among: identities)
    }

    @Test func `a login is unlinked only if another usable login remains`() {
        #expect(unlink([("g", .google, true), ("a", .apple, true)]) == .unlink("g"))
        #expect(unlink([("g", .google, true), ("a", .apple, false)]) == .lastProvider)
        #expect(unlink([("g", .google, false), ("a", .apple, true)]) == .unlink("g"))
        #expect(unlink([("g", .google, true)]) == .lastProvider)
    }

    @Test(.rule("R-UNL-5")) func `the subject selects which of several logins of a provider is unlinked`() {
        let several: [(id: String, provider: ProviderID, isUsable: Bool)] = [
            ("g1", .google, true), ("g2", .google, true),
        ]
        #expect(unlink(several) == .ambiguous(2))
        #expect(unlink(several, named: "g2") == .unlink("g2"))
    }

    @Test(.rule("R-UNL-2")) func `a login that the account does not have cannot be unlinked`() {
        #expect(unlink([("a", .apple, true)]) == .noSuchProvider)
        #expect(unlink([("g", .google, true), ("a", .apple, true)], named: .some(nil)) == .noSuchProvider)
        #expect(unlink([("g", .google, true), ("a", .apple, true)], named: "a") == .noSuchProvider)
    }
}
