// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The expectations of one call, in addition to the policy.
struct Expectations: Sendable {
    var nonce: NonceExpectation
    var accessToken: HashExpectation?
    var code: HashExpectation?

    /// The original authentication that a refreshed token continues.
    var original: OriginalAuthentication?
}
