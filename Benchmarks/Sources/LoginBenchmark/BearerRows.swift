// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginCase
import LoginTokens
import Measuring

extension BearerCase {
    /// Returns the cost of an access token, as an API verifies it for each request.
    ///
    /// - Parameter proofs: The number of proofs to make in advance: at least one for each measured verification.
    /// - Returns: The comparisons.
    /// - Throws: The reason if a token or a proof is refused.
    func comparisons(proofs: Int) throws -> [Comparison] {
        let (floor, proofFloor) = (try floor(), try proofFloor())
        let signature = Work.repeating { try floor.verify(times: $0) }
        let proofSignature = Work.repeating { try proofFloor.verify(times: $0) }
        let signatures = Work.repeating { times in
            try floor.verify(times: times)
            try proofFloor.verify(times: times)
        }
        return [
            Comparison("bearer check ÷ floor", try bearer(cache: nil), to: signature, goal: .atMost(1.25)),
            Comparison(
                "bearer check with a token seen before (cache) ÷ floor",
                try bearer(cache: VerifiedTokenCache()),
                to: signature
            ),
            Comparison("bearer check with DPoP (ES256) ÷ both floors", try bound(proofs: proofs), to: signatures),
            Comparison("floor of ES256 ÷ floor of RS256", proofSignature, to: signature),
        ]
    }

    /// Verifies the tokens in turn; those in the cache were verified before.
    private func bearer(cache: VerifiedTokenCache?) throws -> Work {
        // Local values, because each use of a property in the loop would copy it.
        let (tokens, keys) = (tokens, keys)
        let verifier = AccessTokenVerifier(policy: policy, keys: keys, cache: cache)
        for token in tokens { _ = try verifier.verify(token, with: keys) }
        var next = 0
        return Work {
            use(try verifier.verify(tokens[next], with: keys))
            next = next + 1 == tokens.count ? 0 : next + 1
        }
    }

    /// Verifies the bound token and a new proof.
    private func bound(proofs count: Int) throws -> Work {
        let verifier = AccessTokenVerifier(policy: policy, keys: keys)
        // The proofs are made before the measurement, which takes longer than the default age.
        let proofPolicy = try DPoPPolicy(maximumAge: .seconds(300))
        let dpop = DPoPVerifier(policy: proofPolicy, ledger: InMemoryDPoPLedger())
        let text = boundToken
        var proofs = proofs(count)[...]
        return .awaiting {
            guard let proof = proofs.popFirst() else { throw NotMeasurable("more than \(count) proofs are needed") }
            let token = try await verifier.verify(text)
            let request = DPoPRequest(method: "GET", url: Self.resource, proofs: [proof])
            use(try await dpop.verify(request, token: text, confirmation: token.confirmation))
        }
    }
}
