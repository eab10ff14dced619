// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import CCountedMalloc
import Foundation
import LimitedLogin
import LoginCase
import LoginTokens
import Measuring

/// Counts heap allocations, and the bytes read of a token that is far too long; prints one JSON line per row.
@main
struct AllocationBenchmark {
    static func main() async throws {
        guard CCountedMalloc_works() == 1 else { throw NotMeasurable("allocations can be counted with glibc only") }
        let login = try LoginCase()
        try countAllocations(login)
        try countAllocations(BearerCase())
        try await LongToken(login).rows().forEach(printRow)
    }

    private static func countAllocations(_ login: LoginCase) throws {
        let floor = try login.floor()
        let theirs = try HeapUse.each { try floor.verify(times: 1) }
        let ours = try HeapUse.each {
            use(try login.limitedLogin.verify(login.token, nonce: .exactly(login.nonce), with: login.keys).profile)
        }
        let verified = try HeapUse.each {
            use(try login.verifier.verify(login.token, nonce: .exactly(login.nonce), with: login.keys))
        }
        let whole = try HeapUse.each {
            try login.limitedLogin.verify(login.token, nonce: .exactly(login.nonce), with: login.keys).profile
                .readEverything { use($0) }
        }
        let foreign = login.token { $0.claims["iss"] = "https://issuer.example" }
        let refused = HeapUse.each {
            use(try? login.limitedLogin.verify(foreign, nonce: .exactly(login.nonce), with: login.keys))
        }
        let goal = Goal.atMost(10)
        printRow(
            row("full validation, no claim read: beyond the floor's", ours.allocations - theirs.allocations, goal, ours)
        )
        printRow(
            row("TokenVerifier.verify: beyond the floor's", verified.allocations - theirs.allocations, nil, verified)
        )
        printRow(
            row("full validation, profile read: beyond the floor's", whole.allocations - theirs.allocations, nil, whole)
        )
        printRow(row("refusal of a foreign issuer", refused.allocations, nil, refused))
        printRow(row("floor", theirs.allocations, nil, theirs))
    }

    private static func countAllocations(_ bearer: BearerCase) throws {
        let floor = try bearer.floor()
        let theirs = try HeapUse.each { try floor.verify(times: 1) }
        let verifier = AccessTokenVerifier(policy: bearer.policy, keys: bearer.keys)
        let ours = try HeapUse.each { use(try verifier.verify(bearer.tokens[0], with: bearer.keys)) }
        printRow(row("bearer check: beyond the floor's", ours.allocations - theirs.allocations, nil, ours))
    }

    private static func row(_ name: String, _ allocations: Double, _ goal: Goal?, _ heap: HeapUse) -> Row {
        var row = Row(name, amount: allocations, of: "blocks", goal: goal)
        row.note = heap.description
        return row
    }

    private static func printRow(_ row: Row) {
        guard let line = try? row.json() else { return }
        print(line)
        // The process may be killed while it measures the next row.
        fflush(nil)
    }
}
