// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LimitedLogin
import LoginCase
import LoginTokens
import Measuring

extension LoginCase {
    /// What a good token costs, by each door, and what a key does.
    func verificationComparisons(_ floor: Floor) -> [Comparison] {
        let signature = Work.repeating { try floor.verify(times: $0) }
        return [
            Comparison("full validation to Profile ÷ floor", profile, to: signature, goal: .atMost(1.08)),
            Comparison("full validation by the waiting door ÷ floor", awaitedProfile, to: signature),
            Comparison("full validation, whole profile read ÷ floor", wholeProfile, to: signature),
            Comparison("TokenVerifier.verify ÷ floor", verified, to: signature),
            Comparison("CompactJWS.verified ÷ floor", jws, to: signature),
            Comparison("floor ÷ floor: the method's own error", signature, to: signature),
        ]
    }

    /// Reading one key of a key set, beside OpenSSL's own import of the same numbers.
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

    /// What a server does with a token: verifies it and has the profile.
    var profile: Work {
        Work { use(try limitedLogin.verify(token, nonce: .exactly(nonce), with: keys).profile) }
    }

    /// The same, by the door that may have to wait for keys.
    var awaitedProfile: Work {
        .awaiting { use(try await limitedLogin.verify(token, nonce: .exactly(nonce)).profile) }
    }

    private var wholeProfile: Work {
        Work {
            try limitedLogin.verify(token, nonce: .exactly(nonce), with: keys).profile.readEverything { use($0) }
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
