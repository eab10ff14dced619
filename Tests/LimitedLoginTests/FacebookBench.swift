// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import LimitedLogin
internal import LoginTesting
internal import LoginTokens

/// A test issuer in place of Facebook, and the verifier of an app's server.
///
/// Tokens carry the expected nonce, so that a test only sets what is special about its token. There is no leeway unless
/// a test sets one.
struct FacebookBench {
    /// The nonce of the attempt.
    static let nonce = "attempt-1"

    let issuer: TestIssuer
    let keys: KeySnapshot
    let verifier: LimitedLoginVerifier

    /// The time of issuer and verifier, in whole seconds since 1970.
    var now: Int { Int(issuer.clock.now.timeIntervalSince1970) }

    init(
        issuer: TestIssuer = .facebook(),
        appIDs: [String]? = nil,
        keySet: TestJSON? = nil,
        maximumAge: Duration? = .seconds(600),
        leeway: Duration = .zero
    ) throws {
        let set = try JSONWebKeySet(json: (keySet ?? issuer.keySet).text)
        self.issuer = issuer
        self.keys = KeySnapshot(provider: issuer.provider, keys: set)
        self.verifier = try LimitedLoginVerifier(
            appIDs: appIDs ?? [issuer.audience],
            keys: keys,
            maximumAge: maximumAge,
            leeway: leeway,
            clock: issuer.clock
        )
    }

    /// Returns a token with the nonce of the attempt.
    func token(_ change: (inout TestToken) -> Void = { _ in }) -> String {
        issuer.token(nonce: Self.nonce, change)
    }

    /// Issues a token, and verifies it.
    @discardableResult
    func verify(
        nonce: NonceExpectation = .exactly(Self.nonce),
        _ change: (inout TestToken) -> Void = { _ in }
    ) throws(TokenRefusal) -> AuthenticationToken {
        try verify(text: token(change), nonce: nonce)
    }

    /// Verifies a token.
    @discardableResult
    func verify(
        text: String,
        nonce: NonceExpectation = .exactly(Self.nonce)
    ) throws(TokenRefusal) -> AuthenticationToken {
        try verifier.verify(text, nonce: nonce, with: keys)
    }

    /// Verifies a token with these additional claims.
    func verify(claims: [String: TestJSON]) throws(TokenRefusal) -> AuthenticationToken {
        try verify { token in
            for (name, value) in claims.sorted(by: { $0.key < $1.key }) { token.claims[name] = value }
        }
    }
}
