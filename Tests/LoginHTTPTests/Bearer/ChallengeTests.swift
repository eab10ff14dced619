// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import Testing

@testable import LoginHTTP

/// The text of challenges.
@Suite struct ChallengeTests {
    @Test func `a challenge without a fault and parameters is its scheme`() {
        #expect(Challenge(nil).text == "Bearer")
        #expect(Challenge(nil, "unused", scheme: .dpop).text == "DPoP")
    }

    @Test func `quotation marks and backslashes in a value are escaped`() {
        let challenge = Challenge(.invalidToken, parameters: [(name: "acr_values", value: #"a"b\c"#)])
        #expect(challenge.text == #"Bearer error="invalid_token", acr_values="a\"b\\c""#)
    }
}
#endif
