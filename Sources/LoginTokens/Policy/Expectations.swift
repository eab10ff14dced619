// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// What one call expects of its token, beyond what the policy asks of every token.
struct Expectations: Sendable {
    var nonce: NonceExpectation
    var accessToken: HashExpectation?
    var code: HashExpectation?

    /// The token that this one replaces.
    var predecessor: VerifiedToken?
}

extension Expectations {
    /// What is expected of the successor of a token.
    init(replacing predecessor: VerifiedToken) {
        self.init(nonce: .unchanged(from: predecessor.claims.nonce), predecessor: predecessor)
    }
}
