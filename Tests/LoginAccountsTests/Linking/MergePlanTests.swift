// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LimitedLogin
import LoginProviders
import TestSupport
import Testing

@testable import LoginAccounts

@Suite struct MergePlanTests {
    private func identity(_ id: String, _ provider: ProviderID) -> IdentityRecord {
        IdentityRecord(
            id: id,
            accountID: AccountID(rawValue: "account"),
            providerID: provider,
            subject: id,
            linkedAt: StoreTime(milliseconds: 0),
            lastSignInAt: StoreTime(milliseconds: 0)
        )
    }

    private func plan(
        _ source: [IdentityRecord],
        _ target: [IdentityRecord],
        _ perProvider: LinkPolicy.IdentitiesPerProvider,
        _ resolution: MergeConflicts
    ) -> (moves: [String], drops: [String], conflicts: [ProviderID]) {
        let plan = MergePlan(from: source, into: target, perProvider: perProvider, resolution: resolution)
        return (plan.moves.map(\.id), plan.drops.map(\.id), plan.conflicts)
    }

    @Test(.rule("R-MRG-5")) func `what both have is a conflict, unless one may have many`() {
        let source = [identity("a", .google), identity("b", .apple)]
        let target = [identity("c", .google), identity("d", .facebook)]
        for resolution in [MergeConflicts.refuse, .keepTarget, .keepSource] {
            #expect(plan(source, target, .one, resolution).conflicts == [.google])
            let many = plan(source, target, .many, resolution)
            #expect(many.conflicts.isEmpty && many.drops.isEmpty)
            #expect(many.moves == ["a", "b"])
        }
        #expect(plan(source, target, .one, .keepTarget).moves == ["b"])
        #expect(plan(source, target, .one, .keepTarget).drops == ["a"])
        #expect(plan(source, target, .one, .keepSource).moves == ["a", "b"])
        #expect(plan(source, target, .one, .keepSource).drops == ["c"])
        #expect(plan(source, target, .one, .refuse).drops.isEmpty)
    }

    @Test func `what one side has alone moves, or stays`() {
        #expect(plan([identity("a", .google)], [], .one, .refuse).moves == ["a"])
        let nothing = plan([], [identity("a", .google)], .one, .keepSource)
        #expect(nothing.moves.isEmpty && nothing.drops.isEmpty && nothing.conflicts.isEmpty)
    }
}
