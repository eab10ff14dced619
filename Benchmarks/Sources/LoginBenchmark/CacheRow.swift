// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginCase
import LoginTokens
import Measuring

extension LoginCase {
    /// Returns the cost of a token in the verified-token cache.
    func cacheComparisons(_ floor: Floor) throws -> [Comparison] {
        let verifier = TokenVerifier(policy: try Self.policy(for: issuer), keys: keys, cache: VerifiedTokenCache())
        _ = try verifier.verify(token, nonce: .exactly(nonce), with: keys)
        let hit = Work { use(try verifier.verify(token, nonce: .exactly(nonce), with: keys)) }
        let reference = Work.repeating { try floor.verify(times: $0) }
        return [Comparison("verified-token cache, hit ÷ floor", hit, to: reference, goal: .atMost(0.06))]
    }
}
