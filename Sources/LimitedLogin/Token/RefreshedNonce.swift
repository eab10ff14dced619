// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens

/// What the nonce of a refreshed token can be compared with.
///
/// Facebook's SDK refreshes a Limited Login in several ways, and not all of them keep the nonce that your server
/// issued. So a store of nonces is never asked about a refreshed token; that it is of the same person decides.
public enum RefreshedNonce: Sendable, Hashable {
    /// It is that of the first token: a direct refresh, in which the SDK sends the old token and shows its key.
    ///
    /// A first token without a nonce has successors without one.
    case unchanged

    /// It is this one, which your app gave to the refresh or read from the SDK after it.
    ///
    /// That ties the token to one call of the app, and nothing to your server: whoever holds the token can read it
    /// there.
    case chosenByApp(String)

    /// It is not looked at: a silent or an explicit refresh, for which the SDK makes a nonce of its own.
    ///
    /// Replays are then yours to prevent, by the token's `jti` for as long as it lives; the reason stands in every
    /// report.
    case notChecked(because: String)

    /// What the verifier of a refreshed token compares its nonce with, if that is `original`'s successor.
    func expectation(refreshing original: OriginalAuthentication) -> NonceExpectation {
        switch self {
        case .unchanged: original.sameNonce
        case .chosenByApp(let nonce): .exactly(nonce)
        case .notChecked(let reason): .notChecked(because: reason)
        }
    }
}

extension RefreshedNonce: Redacted {
    /// The kind of comparison, without the nonce.
    public var description: String {
        switch self {
        case .unchanged: "nonce of the first token"
        case .chosenByApp: "nonce that the app chose"
        case .notChecked: "nonce not checked"
        }
    }
}
