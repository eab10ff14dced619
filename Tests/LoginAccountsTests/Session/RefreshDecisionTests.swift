// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import TestSupport
import Testing

@testable import LoginAccounts

@Suite(.rule("S-RFR-2", "S-RFR-3", "S-RFR-4", "S-RFR-7")) struct RefreshDecisionTests {
    static let epoch: Int64 = 3
    static let rotatedAt = StoreTime(milliseconds: 1_760_000_000_000)
    static let currentHash = [UInt8](repeating: 10, count: 32)

    /// The input of a decision; by default ten seconds after the tenth refresh of the device.
    struct Case: CustomTestStringConvertible {
        let testDescription: String
        var presented: Int64 = 10
        var presentedHash = currentHash
        var after: Duration = .seconds(10)
        var opens = false
        var account: AccountRecord? = AccountRecord(
            id: AccountID(rawValue: "a"),
            isAnonymous: false,
            sessionEpoch: epoch,
            createdAt: rotatedAt,
            updatedAt: rotatedAt
        )
        var family = SessionFamilyRecord(
            id: "f",
            accountID: AccountID(rawValue: "a"),
            sessionID: SessionID(rawValue: "s"),
            generation: 10,
            seed: [],
            refreshHash: currentHash,
            previousGeneration: 9,
            epoch: epoch,
            rotatedAt: rotatedAt,
            createdAt: rotatedAt,
            expiresAt: rotatedAt + .seconds(86_400)
        )
        var session = SessionRecord(
            id: SessionID(rawValue: "s"),
            accountID: AccountID(rawValue: "a"),
            familyID: "f",
            state: "openTokenExtended",
            level: 1,
            methods: [],
            levelAt: rotatedAt,
            generation: 10,
            tokenHash: [],
            rotatedAt: rotatedAt,
            isUsed: true,
            epoch: epoch,
            createdAt: rotatedAt,
            authenticatedAt: rotatedAt,
            lastSeenAt: rotatedAt,
            idleExpiresAt: rotatedAt + .seconds(3600),
            expiresAt: rotatedAt + .seconds(86_400)
        )
        let expected: RefreshDecision

        init(_ name: String, _ expected: RefreshDecision, _ change: (inout Self) -> Void = { _ in }) {
            testDescription = name
            self.expected = expected
            change(&self)
        }

        mutating func close(_ reason: SessionCloseReason) {
            session.state = "closed"
            session.closedAt = rotatedAt
            session.closeReason = reason.rawValue
        }
    }

    static let generations: [Case] = [
        Case("the token of today", .rotate),
        Case("the token of today, much later", .rotate) { $0.after = .seconds(3599) },
        Case("another token of today's generation", .refused) { $0.presentedHash[31] ^= 1 },
        Case("a token that is to come", .refused) { $0.presented = 11 },
        Case("the token before, within the grace", .repeatTokens) { $0.presented = 9 },
        Case("the token before, at the end of the grace", .repeatTokens) {
            ($0.presented, $0.after) = (9, .milliseconds(29_999))
        },
        Case("the token before, after the grace", .reused) { ($0.presented, $0.after) = (9, .seconds(30)) },
        Case("the token before, by a clock that is behind", .repeatTokens) {
            ($0.presented, $0.after) = (9, .seconds(-5))
        },
        Case("the token before, after the grace, where nobody got the new one", .repeatTokens) {
            ($0.presented, $0.after) = (9, .seconds(3599))
            $0.session.isUsed = false
        },
        Case("the token before one for somebody else", .refused) {
            $0.presented = 9
            $0.family.isPreviousDead = true
        },
        Case("the token before one for somebody else, later", .reused) {
            ($0.presented, $0.after) = (9, .seconds(30))
            $0.family.isPreviousDead = true
        },
        Case("the token before one for somebody else, where nobody got the new one", .refused) {
            ($0.presented, $0.after) = (9, .seconds(3599))
            $0.family.isPreviousDead = true
            $0.session.isUsed = false
        },
        Case("the token before something changed, where nobody got the new one", .repeatTokens) {
            ($0.presented, $0.after) = (9, .seconds(3599))
            $0.session.previousToken = PreviousToken($0.session, generation: 9)
            $0.session.isUsed = false
        },
        Case("the token before something changed", .refused) {
            $0.presented = 9
            $0.session.previousToken = PreviousToken($0.session, generation: 9)
        },
        Case("the token before something changed, later", .reused) {
            ($0.presented, $0.after) = (9, .seconds(30))
            $0.session.previousToken = PreviousToken($0.session, generation: 9)
        },
        Case("the token before two changes that nobody got", .repeatTokens) {
            ($0.presented, $0.family.previousGeneration, $0.after) = (7, 7, .seconds(3599))
            $0.session.isUsed = false
        },
        Case("a token between two changes that nobody got", .refused) {
            ($0.presented, $0.family.previousGeneration, $0.after) = (8, 7, .seconds(3599))
            $0.session.isUsed = false
        },
        Case("a token between two changes, later", .reused) {
            ($0.presented, $0.family.previousGeneration, $0.after) = (8, 7, .seconds(30))
        },
        Case("the token before the last", .reused) { $0.presented = 8 },
        Case("the token before the last, which was shown to get the new one", .reused) {
            $0.presented = 8
            $0.session.isUsed = false
        },
        Case("the first token", .reused) { $0.presented = 0 },
    ]

    static let ends: [Case] = [
        Case("a revoked device", .refused) { $0.family.revokedAt = rotatedAt },
        Case("a closed session", .refused) { $0.close(.cleared) },
        Case("a closed session whose device may open another", .refused) { $0.close(.kept) },
        Case("a closed session whose device opens another", .open) {
            $0.close(.kept)
            $0.opens = true
        },
        Case("a closed session whose device opens another with the token before", .open) {
            $0.close(.kept)
            ($0.opens, $0.presented) = (true, 9)
        },
        Case("a closed session whose device opens another with an old token", .reused) {
            $0.close(.kept)
            ($0.opens, $0.presented) = (true, 8)
        },
        Case("a closed session whose device was not used for too long", .expired) {
            $0.close(.kept)
            ($0.opens, $0.after) = (true, .seconds(3600))
        },
        Case("a closed session whose device was revoked", .refused) {
            $0.close(.kept)
            $0.opens = true
            $0.family.revokedAt = rotatedAt
        },
        Case("a closed session of a device of an earlier epoch", .refused) {
            $0.close(.kept)
            $0.opens = true
            $0.account?.sessionEpoch += 1
        },
        Case("a closed session of an account that is disabled", .disabled) {
            $0.close(.kept)
            $0.opens = true
            $0.account?.disabledAt = rotatedAt
        },
        Case("a session that is open, where one may be opened", .rotate) { $0.opens = true },
        Case("the last moment before idleness ends it", .rotate) { $0.after = .milliseconds(3_599_999) },
        Case("idleness has ended it", .expired) { $0.after = .seconds(3600) },
        Case("it has lasted long enough", .expired) {
            $0.session.idleExpiresAt = rotatedAt + .seconds(90_000)
            $0.after = .seconds(86_400)
        },
        Case("the device has stayed signed in long enough", .expired) {
            $0.family.expiresAt = rotatedAt + .seconds(10)
        },
        Case("it was opened in the future", .ahead) { $0.session.createdAt = rotatedAt + .seconds(3700) },
        Case("the device was signed in in the future", .ahead) { $0.family.createdAt = rotatedAt + .seconds(3700) },
        Case("a closed session of the future whose device opens another", .ahead) {
            $0.close(.kept)
            $0.opens = true
            $0.session.createdAt = rotatedAt + .seconds(3700)
        },
        Case("it was found over before", .expired) { $0.close(.expired) },
        Case("all sessions were closed", .refused) { $0.account?.sessionEpoch += 1 },
        Case("the account is disabled", .disabled) { $0.account?.disabledAt = rotatedAt },
        Case("the account was disabled with its sessions", .disabled) {
            $0.account?.disabledAt = rotatedAt
            $0.close(.disabled)
        },
        Case("the account has become part of another", .refused) { $0.account?.state = "merged" },
        Case("there is no account", .refused) { $0.account = nil },
    ]

    @Test(arguments: generations + ends)
    func `a refresh token has the outcome that the rules specify`(_ input: Case) {
        let decision = RefreshDecision.decide(
            family: input.family,
            session: input.session,
            account: input.account,
            presented: OpaqueToken(id: "f", generation: input.presented, hash: input.presentedHash),
            now: Self.rotatedAt + input.after,
            policy: SessionPolicy(idle: .seconds(3600), absolute: .seconds(86_400)),
            opening: input.opens
        )
        #expect(decision == input.expected)
    }

    /// Makes the decision for a random state and a random token.
    private func decide(_ numbers: inout SeededNumbers) -> (input: Case, isPrevious: Bool, now: RefreshDecision) {
        var input = Case("any", .refused)
        input.family.generation = Int64.random(in: 1...6, using: &numbers)
        input.session.generation = input.family.generation
        input.family.previousGeneration = Int64.random(in: 0..<input.family.generation, using: &numbers)
        input.family.isPreviousDead = Bool.random(using: &numbers)
        input.session.isUsed = Bool.random(using: &numbers)
        input.presented = Int64.random(in: 0...input.family.generation, using: &numbers)
        input.after = .seconds(Int.random(in: 0...60, using: &numbers))
        if Bool.random(using: &numbers) {
            input.session.previousToken = PreviousToken(input.session, generation: input.family.previousGeneration)
        }
        let decision = RefreshDecision.decide(
            family: input.family,
            session: input.session,
            account: input.account,
            presented: OpaqueToken(id: "f", generation: input.presented, hash: input.presentedHash),
            now: Self.rotatedAt + input.after,
            policy: SessionPolicy(idle: .seconds(3600), absolute: .seconds(86_400)),
            opening: false
        )
        return (input, input.presented == input.family.previousGeneration, decision)
    }

    @Test func `in random states only the current token rotates, and a lost response closes no session`() {
        var numbers = SeededNumbers(seed: 7)
        var seen: Set<RefreshDecision> = []
        for _ in 0..<20_000 {
            let (input, isPrevious, decision) = decide(&numbers)
            seen.insert(decision)
            let isCurrent = input.presented == input.family.generation
            // Only the current token rotates.
            #expect(isCurrent == (decision == .rotate))
            guard !isCurrent else { continue }
            // Until the new tokens are presented, only a token from before the last presented one counts as reused.
            if !input.session.isUsed {
                #expect((decision == .reused) == (input.presented < input.family.previousGeneration))
            }
            // Only the last presented token is answered again, unless it was revoked.
            if decision == .repeatTokens {
                #expect(isPrevious && !input.family.isPreviousDead)
                // After the new tokens were presented, only following a refresh, and for a short time.
                let isAfterRefresh = input.session.previousToken == nil && input.after < .seconds(30)
                #expect(!input.session.isUsed || isAfterRefresh)
            }
        }
        #expect(seen == [.rotate, .repeatTokens, .refused, .reused])
    }
}
