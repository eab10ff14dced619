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

    private let now = StoreTime(milliseconds: 10_000_000)

    private func side(
        _ identities: [IdentityRecord],
        isAnonymous: Bool = false,
        level: Int64 = 1,
        age: Duration = .zero,
        factors: [MultiFactorKind] = []
    ) -> MergePlan.Side {
        var session = SessionRecord.test
        (session.level, session.authenticatedAt) = (level, now - age)
        let account = AccountRecord(
            id: session.accountID,
            isAnonymous: isAnonymous,
            createdAt: now,
            updatedAt: now
        )
        return MergePlan.Side(
            held: HeldSession(session: session, account: account),
            identities: identities,
            factors: factors.map { kind in
                FactorRecord(
                    id: "factor",
                    accountID: account.id,
                    kind: kind.rawValue,
                    secret: [],
                    sealedWith: 0,
                    createdAt: now
                )
            }
        )
    }

    private func plan(_ source: MergePlan.Side, _ target: MergePlan.Side) -> MergePlan {
        MergePlan(from: source, into: target, policy: LinkPolicy(), resolution: .refuse, at: now)
    }

    private func plan(
        _ source: [IdentityRecord],
        _ target: [IdentityRecord],
        _ perProvider: LinkPolicy.IdentitiesPerProvider,
        _ resolution: MergeConflicts
    ) -> (moves: [String], drops: [String], conflicts: [ProviderID]) {
        var policy = LinkPolicy()
        policy.identitiesPerProvider = perProvider
        let plan = MergePlan(
            from: side(source),
            into: side(target),
            policy: policy,
            resolution: resolution,
            at: now
        )
        return (plan.moves.map(\.id), plan.drops.map(\.id), plan.conflicts)
    }

    @Test(.rule("R-MRG-5")) func `logins of one provider in both accounts conflict, unless several are allowed`() {
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

    @Test(.rule("R-MRG-5")) func `logins of one provider conflict if the account would have more than a thousand`() {
        let logins = (1...999).map { identity("\($0)", .google) }
        let source = [identity("a", .google)]
        #expect(plan(source, logins, .many, .refuse).moves == ["a"])
        let full = logins + [identity("1000", .google)]
        #expect(plan(source, full, .many, .refuse).conflicts == [.google])
        #expect(plan(source, full, .many, .keepTarget).drops == ["a"])
    }

    @Test func `a login that only the source has moves, and one that only the target has stays`() {
        #expect(plan([identity("a", .google)], [], .one, .refuse).moves == ["a"])
        let nothing = plan([], [identity("a", .google)], .one, .keepSource)
        #expect(nothing.moves.isEmpty && nothing.drops.isEmpty && nothing.conflicts.isEmpty)
    }

    @Test(.rule("R-MRG-2"))
    func `merging requires a recent login in both sessions, of which that of an anonymous account needs none`() {
        let old = Duration.seconds(3600)
        #expect(plan(side([]), side([])).obstacleCodes.isEmpty)
        #expect(plan(side([], age: old), side([])).obstacleCodes == [.requiresRecentLogin])
        #expect(plan(side([]), side([], age: old)).obstacleCodes == [.requiresRecentLogin])
        #expect(plan(side([], age: old), side([], age: old)).obstacleCodes == [.requiresRecentLogin])
        // The response contains the tokens of the target's session, and anybody can create an anonymous account.
        let guest = side([], isAnonymous: true, age: old)
        #expect(plan(guest, side([], age: old)).obstacleCodes == [.requiresRecentLogin])
        #expect(plan(side([], age: old), guest).obstacleCodes == [.requiresRecentLogin])
        #expect(plan(guest, side([])).obstacleCodes.isEmpty)
        #expect(plan(side([]), guest).obstacleCodes.isEmpty)
        #expect(plan(guest, guest).obstacleCodes.isEmpty)
    }

    @Test(.rule("R-MRG-3"))
    func `merging requires the second factor of either account, even if the source is anonymous`() {
        let needed = side([], factors: [.totp])
        let shown = side([], level: 2, factors: [.totp])
        #expect(plan(side([]), needed).obstacleCodes == [.secondFactorRequired])
        #expect(plan(needed, side([])).obstacleCodes == [.secondFactorRequired])
        #expect(plan(side([], isAnonymous: true), needed).obstacleCodes == [.secondFactorRequired])
        #expect(plan(shown, shown).obstacleCodes.isEmpty)
    }

    @Test func `merging is refused if the account would have phones both to sign in and as second factor`() {
        let byPhone = side([identity("a", .phone)])
        let withPhone = side([], level: 2, factors: [.phone])
        #expect(plan(byPhone, withPhone).obstacleCodes == [.unsupportedFirstFactor])
        #expect(plan(withPhone, byPhone).obstacleCodes == [.unsupportedFirstFactor])
        #expect(plan(byPhone, side([], level: 2, factors: [.totp])).obstacleCodes.isEmpty)
    }

    @Test func `merging is refused if more than a thousand accounts would be merged into one`() {
        func merged(_ count: Int) -> MergePlan.Side {
            var side = side([])
            side.mergedCount = count
            return side
        }
        for (source, target) in [(0, 0), (999, 0), (0, 999), (500, 499)] {
            #expect(plan(merged(source), merged(target)).obstacleCodes == [], "\(source) and \(target)")
        }
        for (source, target) in [(1000, 0), (0, 1000), (500, 500), (1001, 1001)] {
            let refused = plan(merged(source), merged(target))
            #expect(refused.obstacleCodes == [.tooManyRequests], "\(source) and \(target)")
            #expect(refused.obstacles.first?.retryAfter == .seconds(86_400))
        }
    }
}
