// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LimitedLogin
import LoginCase
import LoginTokens
import Measuring

extension LoginCase {
    /// Returns the cost of a valid token through each entry point.
    func verificationComparisons(_ floor: Floor) throws -> [Comparison] {
        let signature = Work.repeating { try floor.verify(times: $0) }
        return [
            Comparison("full validation to Profile ÷ floor", profile, to: signature, goal: .atMost(1.20)),
            Comparison("full validation, async ÷ floor", awaitedProfile, to: signature),
            Comparison(
                "whole profile read, after validation ÷ floor",
                try wholeProfile,
                to: signature,
                goal: .atMost(0.35)
            ),
            Comparison("TokenVerifier.verify ÷ floor", verified, to: signature),
            Comparison("CompactJWS.verified ÷ floor", jws, to: signature),
            Comparison("floor ÷ floor: the method's own error", signature, to: signature),
        ]
    }

    /// Returns the cost of reading a key set with one key, compared with OpenSSL's own import of the same numbers.
    func keyComparisons(_ floor: Floor) -> [Comparison] {
        let text = Array(keySetText.utf8)
        let ours = Work { use(try JSONWebKeySet(json: text)) }
        return [
            Comparison(
                "key set with one RSA key ÷ OpenSSL's import",
                ours,
                to: .repeating { try floor.importKey(times: $0) }
            )
        ]
    }

    /// Verifies the token and reads its profile, as a server does.
    var profile: Work {
        Work { use(try limitedLogin.verify(token, nonce: .exactly(nonce), with: keys).profile) }
    }

    /// Does the same through the asynchronous method, which may have to wait for keys.
    var awaitedProfile: Work {
        .awaiting { use(try await limitedLogin.verify(token, nonce: .exactly(nonce)).profile) }
    }

    /// Reads every property of the profile of a token that has been verified.
    private var wholeProfile: Work {
        get throws {
            let profile = try limitedLogin.verify(token, nonce: .exactly(nonce), with: keys).profile
            return Work { profile.readEverything { use($0) } }
        }
    }

    private var verified: Work {
        Work { use(try verifier.verify(token, nonce: .exactly(nonce), with: keys)) }
    }

    private var jws: Work {
        let keySet = keys.keys(of: issuer.provider.issuers[0]) ?? JSONWebKeySet([])
        return Work { use(try CompactJWS(token).verified(with: keySet)) }
    }
}
