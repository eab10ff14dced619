// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens

extension AccountSecrets {
    /// Returns the server nonces for DPoP proofs (RFC 9449 §8, §9), whose secret is derived from the newest key.
    ///
    /// All servers with the same newest key agree on them. While a rotation moves another key to the front, server by
    /// server, a client may have to try again with the nonce of each.
    ///
    /// - Parameter lifetime: The time for which a new nonce is issued, 10 to 600 seconds.
    /// - Returns: The nonces.
    /// - Throws: `PolicyError` if the lifetime is out of range.
    public func proofNonces(lifetime: Duration = .seconds(60)) throws(PolicyError) -> DPoPNonces {
        let secret = authenticationCodes(of: [], purpose: "nonces for DPoP proofs")[0]
        return try DPoPNonces(secret: secret, lifetime: lifetime)
    }
}
