// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// What one call expects of its token, beyond what the policy asks of every token.
struct Expectations: Sendable {
    var nonce: NonceExpectation
    var accessToken: HashExpectation?
    var code: HashExpectation?

    /// What a refreshed token continues.
    var original: OriginalAuthentication?
}
