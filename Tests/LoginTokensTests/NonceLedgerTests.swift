// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import LoginTokens
internal import TestSupport
internal import Testing

/// The state machine under a nonce store, with times given by the tests.
@Suite struct NonceLedgerTests {
    private static let start = Date(timeIntervalSince1970: 1_760_000_000)
    private static let digest = NonceDigest(of: "n-0S6_WzA2Mj")
    private static let alice = NonceBinding(secret: "the cookie of Alice")
    private static let bob = NonceBinding(secret: "the cookie of Bob")

    /// Every purpose, with two sessions for those that have a session.
    private static let purposes: [NoncePurpose] =
        [.signIn]
        + ["session A", "session B"].flatMap {
            [.link(session: $0), .reauthenticate(session: $0), .merge(session: $0)]
        }

    private var ledger = NonceLedger(capacity: 1000)

    private mutating func issue(
        _ digest: NonceDigest = Self.digest,
        lifetime: Duration = .seconds(600),
        at now: Date = Self.start
    ) throws {
        try ledger.issue(digest, purpose: .signIn, binding: Self.alice, lifetime: lifetime, now: now)
    }

    private mutating func consume(
        _ digest: NonceDigest = Self.digest,
        by binding: NonceBinding = Self.alice,
        at now: Date = Self.start
    ) -> NonceUse {
        ledger.consume(digest, purpose: .signIn, binding: binding, now: now)
    }

    /// Returns the last representable time before this one.
    private func tick(before date: Date) -> Date {
        Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate.nextDown)
    }

    // MARK: Once

    @Test
    mutating func `an issued nonce is consumed once`() throws {
        #expect(consume() == .unknown)
        try issue()
        #expect(consume() == .consumed)
        #expect(consume() == .replayed)
        #expect(consume(NonceDigest(of: "another")) == .unknown)
    }

    @Test
    mutating func `a used nonce is reported as replayed until it expires, then as expired, and finally as unknown`()
        throws
    {
        try issue(lifetime: .seconds(60))
        let (expiry, end) = (Self.start + 60, Self.start + 660)
        #expect(consume() == .consumed)
        #expect(consume(at: tick(before: expiry)) == .replayed)
        #expect(consume(at: expiry) == .expired)
        #expect(consume(at: tick(before: end)) == .expired)
        #expect(consume(at: end) == .unknown)
    }

    @Test(arguments: [1, 60, 599.5, 600] as [Double])
    mutating func `a nonce is valid until just before its expiry`(lifetime: Double) throws {
        let expiry = Self.start + lifetime
        for now in [Self.start, tick(before: expiry)] {
            var early = self
            try early.issue(lifetime: .seconds(lifetime))
            #expect(early.consume(at: now) == .consumed)
        }
        try issue(lifetime: .seconds(lifetime))
        #expect(consume(at: expiry) == .expired)
    }

    // MARK: Binding and purpose

    @Test(.rule("T-132"))
    func `a nonce is valid only for its purpose and its session`() throws {
        for issued in Self.purposes {
            var ledger = NonceLedger(capacity: 1)
            try ledger.issue(
                Self.digest,
                purpose: issued,
                binding: Self.alice,
                lifetime: .seconds(600),
                now: Self.start
            )
            for used in Self.purposes where used != issued {
                let use = ledger.consume(Self.digest, purpose: used, binding: Self.alice, now: Self.start)
                #expect(use == .issuedElsewhere, "\(issued) as \(used)")
            }
            // Six attempts at another purpose have not used it up.
            let use = ledger.consume(Self.digest, purpose: issued, binding: Self.alice, now: Self.start)
            #expect(use == .consumed, "\(issued)")
        }
    }

    @Test(.rule("T-132"))
    mutating func `another client can neither use a nonce nor void it nor learn its state`() throws {
        try issue(lifetime: .seconds(60))
        let strangers = [Self.bob, NonceBinding(secret: ""), NonceBinding(secret: "the cookie of alice")]
        for stranger in strangers { #expect(consume(by: stranger) == .issuedElsewhere) }
        #expect(consume() == .consumed)
        for now in [Self.start, Self.start + 60] {
            for stranger in strangers { #expect(consume(by: stranger, at: now) == .issuedElsewhere) }
        }
        for stranger in strangers { #expect(consume(by: stranger, at: Self.start + 660) == .unknown) }
    }

    // MARK: Limits

    @Test
    mutating func `the lifetime of a nonce is 1 second to 10 minutes`() throws {
        let accepted: [Duration] = [.seconds(1), .seconds(600)]
        let refused: [Duration] = [
            .seconds(1) - .nanoseconds(1), .seconds(600) + .nanoseconds(1), .zero, .seconds(-1), .seconds(Int64.max),
        ]
        for (number, lifetime) in refused.enumerated() {
            #expect(throws: NonceStoreError.lifetime) { try issue(NonceDigest(of: "\(number)"), lifetime: lifetime) }
        }
        #expect(ledger.count == 0)
        for (number, lifetime) in accepted.enumerated() {
            try issue(NonceDigest(of: "\(number)"), lifetime: lifetime)
        }
        #expect(ledger.count == 2)
    }

    @Test
    mutating func `a full ledger issues no nonce, keeps the existing ones, and has room when one expires`() throws {
        ledger = NonceLedger(capacity: 3)
        let digests = (0..<5).map { NonceDigest(of: "\($0)") }
        // The nonce issued last expires first.
        for number in 0..<3 { try issue(digests[number], lifetime: .seconds(600 - 60 * number)) }
        let full = { (tests: inout Self, now: Date) in
            _ = #expect(throws: NonceStoreError.full) { try tests.issue(digests[3], at: now) }
        }
        full(&self, Self.start)
        // A consumed nonce must be remembered, and so occupies its place until it expires.
        #expect(consume(digests[0]) == .consumed)
        full(&self, tick(before: Self.start + 480))
        #expect(consume(digests[0], at: Self.start + 479) == .replayed)
        #expect(consume(digests[1], at: Self.start + 479) == .consumed)

        try issue(digests[3], at: Self.start + 480)
        full(&self, Self.start + 480)
        #expect(ledger.count == 3)
        // Without room to remember expired nonces, an expired one is reported as unknown.
        #expect(consume(digests[2], at: Self.start + 480) == .unknown)
        #expect(consume(digests[3], at: Self.start + 480) == .consumed)
    }

    @Test(arguments: [0, -1, Int.min])
    mutating func `a ledger with capacity 0 issues nothing`(capacity: Int) {
        ledger = NonceLedger(capacity: capacity)
        #expect(throws: NonceStoreError.full) { try issue() }
        #expect(consume() == .unknown)
    }

    @Test
    mutating func `expired nonces are removed gradually as new ones are issued`() throws {
        for number in 0..<1000 { try issue(NonceDigest(of: "old \(number)"), lifetime: .seconds(1 + number % 7)) }
        #expect(ledger.count == 1000)
        let later = Self.start + 700
        for number in 1...500 {
            try issue(NonceDigest(of: "new \(number)"), at: later)
            #expect(ledger.count == 1000 - number)
        }
        for number in 0..<1000 { #expect(consume(NonceDigest(of: "old \(number)"), at: later) == .unknown) }
        for number in 1...500 { #expect(consume(NonceDigest(of: "new \(number)"), at: later) == .consumed) }
        #expect(ledger.count == 500)
    }

    @Test
    mutating func `looking up nonces removes expired ones too`() throws {
        for number in 0..<10 { try issue(NonceDigest(of: "\(number)")) }
        for _ in 0..<5 { #expect(consume(at: Self.start + 1200) == .unknown) }
        #expect(ledger.count == 0)
    }

    // MARK: Clock errors

    @Test(arguments: [1, 60, 3600, 1e9] as [Double])
    mutating func `a clock that goes back does not make used or expired nonces valid`(step: Double) throws {
        let unused = NonceDigest(of: "unused")
        try issue()
        try issue(unused)
        #expect(consume() == .consumed)
        var late = self
        #expect(late.consume(unused, at: Self.start + 600) == .expired)
        for now in [Self.start + 599, Self.start, Self.start - step] {
            #expect(late.consume(unused, at: now) == .expired)
            #expect(late.consume(at: now) == .expired)
        }
        #expect(consume(at: Self.start - step) == .replayed)
        #expect(consume(at: Self.start - step + 599) == .replayed)
        #expect(consume(at: Self.start - step + 600) == .expired)
    }

    @Test(arguments: [1, 3600, 1e9] as [Double])
    mutating func `a nonce has its full lifetime after the clock went back`(step: Double) throws {
        let past = Self.start - step
        try issue(lifetime: .seconds(60))
        #expect(consume(by: Self.bob, at: past) == .issuedElsewhere)
        var early = self
        #expect(early.consume(at: past + 59) == .consumed)
        #expect(consume(at: past + 60) == .expired)
    }

    @Test(arguments: [3600, 1e9, 1e300, .greatestFiniteMagnitude, .infinity] as [Double])
    mutating func `a clock that was briefly far ahead invalidates only the pending attempts`(
        step: Double
    ) throws {
        let future = Date(timeIntervalSinceReferenceDate: Self.start.timeIntervalSinceReferenceDate + step)
        try issue()
        #expect(consume(at: future) == .unknown)
        #expect(consume(at: Self.start) == .unknown)
        let new = NonceDigest(of: "new")
        try issue(new, lifetime: .seconds(60), at: Self.start + 1)
        var early = self
        #expect(early.consume(new, at: tick(before: Self.start + 61)) == .consumed)
        #expect(consume(new, at: Self.start + 61) == .expired)
    }

    @Test(arguments: [.nan, -.infinity] as [Double])
    mutating func `an invalid time changes nothing`(time: Double) throws {
        let never = Date(timeIntervalSinceReferenceDate: time)
        try issue(lifetime: .seconds(60))
        #expect(consume(by: Self.bob, at: never) == .issuedElsewhere)
        var early = self
        #expect(early.consume(at: never) == .consumed)
        #expect(early.consume(at: Self.start + 59) == .replayed)
        #expect(consume(at: Self.start + 60) == .expired)

        ledger = NonceLedger(capacity: 1)
        try issue(at: never)
        #expect(consume(at: Self.start) == .consumed)
    }

    @Test(arguments: [1e9, 1e300, .greatestFiniteMagnitude] as [Double])
    mutating func `a clock that was briefly far behind invalidates only the pending attempts`(
        step: Double
    ) throws {
        let past = Date(timeIntervalSinceReferenceDate: Self.start.timeIntervalSinceReferenceDate - step)
        try issue()
        #expect(consume(by: Self.bob, at: past) == .issuedElsewhere)
        #expect(consume(at: Self.start) == .unknown)
        let new = NonceDigest(of: "new")
        try issue(new, lifetime: .seconds(60), at: Self.start)
        var early = self
        #expect(early.consume(new, at: tick(before: Self.start + 60)) == .consumed)
        #expect(consume(new, at: Self.start + 60) == .expired)
    }

    // MARK: A model

    @Test(arguments: [4, 1000], 0..<20 as Range<UInt64>)
    func `the ledger gives the same results as a linear search`(capacity: Int, seed: UInt64) throws {
        var numbers = SeededNumbers(seed: seed)
        var ledger = NonceLedger(capacity: capacity)
        var model = NaiveLedger(capacity: capacity)
        var now = 0
        var seen: Set<NonceUse> = []
        for step in 0..<400 {
            // In quarters of a second: mostly a little forward, sometimes back, sometimes far.
            let far = Int.random(in: 0..<40, using: &numbers) == 0
            now += Int.random(in: far ? -8000...8000 : -8...80, using: &numbers)
            let date = Self.start + Double(now) / 4
            let purpose = Self.purposes[Int.random(in: 0..<2, using: &numbers)]
            let binding = [Self.alice, Self.bob][Int.random(in: 0..<2, using: &numbers)]
            if Bool.random(using: &numbers) {
                let lifetime = Int.random(in: 0...601, using: &numbers)
                let expected = model.issue(purpose: purpose, binding: binding, lifetime: lifetime, now: now)
                let digest = NonceDigest(of: "\(model.entries.count - 1)")
                let result = Result { () throws(NonceStoreError) in
                    try ledger.issue(
                        expected == nil ? digest : Self.digest,
                        purpose: purpose,
                        binding: binding,
                        lifetime: .seconds(lifetime),
                        now: date
                    )
                }
                switch result {
                case .success: #expect(expected == nil, "step \(step)")
                case .failure(let error): #expect(expected == error, "step \(step)")
                }
            } else {
                let number = model.entries.count - Int.random(in: 0...12, using: &numbers)
                let uses = model.consume(number, purpose: purpose, binding: binding, now: now)
                let use = ledger.consume(NonceDigest(of: "\(number)"), purpose: purpose, binding: binding, now: date)
                #expect(uses.contains(use), "step \(step)")
                seen.insert(use)
            }
            #expect(ledger.count <= capacity)
        }
        #expect(seen.isSuperset(of: [.consumed, .issuedElsewhere, .unknown]))
    }
}

/// A reference model of the ledger, without regard to time or memory; its clock counts quarters of a second.
private struct NaiveLedger {
    struct Entry {
        let purpose: NoncePurpose
        let binding: NonceBinding
        let expiry: Int
        var isConsumed = false
    }

    let capacity: Int
    var entries: [Entry] = []
    private var elapsed = 0
    private var lastSeen: Int?

    init(capacity: Int) {
        self.capacity = capacity
    }

    private mutating func advance(to now: Int) {
        elapsed += max(0, now - (lastSeen ?? now))
        lastSeen = now
    }

    mutating func issue(
        purpose: NoncePurpose,
        binding: NonceBinding,
        lifetime: Int,
        now: Int
    ) -> NonceStoreError? {
        guard (1...600).contains(lifetime) else { return .lifetime }
        advance(to: now)
        guard entries.count(where: { $0.expiry > elapsed }) < capacity else { return .full }
        entries.append(Entry(purpose: purpose, binding: binding, expiry: elapsed + 4 * lifetime))
        return nil
    }

    /// Returns the permitted results: an expired nonce may be unknown if the ledger had no room for it.
    mutating func consume(_ number: Int, purpose: NoncePurpose, binding: NonceBinding, now: Int) -> Set<NonceUse> {
        advance(to: now)
        guard entries.indices.contains(number) else { return [.unknown] }
        let entry = entries[number]
        let hasExpired = entry.expiry <= elapsed
        guard elapsed < entry.expiry + 2400 else { return [.unknown] }
        let forgotten: Set<NonceUse> = hasExpired && entries.count > capacity ? [.unknown] : []
        guard entry.purpose == purpose, entry.binding == binding else { return forgotten.union([.issuedElsewhere]) }
        guard !hasExpired else { return forgotten.union([.expired]) }
        guard !entry.isConsumed else { return [.replayed] }
        entries[number].isConsumed = true
        return [.consumed]
    }
}
