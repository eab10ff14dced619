// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens

/// The check of the nonce of a refreshed token.
///
/// Facebook's SDK refreshes a Limited Login in several ways, and not all of them keep the nonce that your server
/// issued. A nonce store is therefore never asked about a refreshed token. The check that it belongs to the same user
/// is decisive.
public enum RefreshedNonce: Sendable, Hashable {
    /// The nonce must equal that of the first token.
    ///
    /// This is for a direct refresh, in which the SDK sends the old token and proves possession of its key.
    ///
    /// If the first token has no nonce, the refreshed one must have none.
    case unchanged

    /// The nonce must equal this one, which your app passed to the refresh or read from the SDK after it.
    ///
    /// It binds the token to one call of the app, but not to your server: the holder of the token can read the nonce in
    /// it.
    case chosenByApp(String)

    /// The nonce is not checked.
    ///
    /// This is for a silent or an explicit refresh, for which the SDK generates a nonce.
    ///
    /// Prevent replays yourself, by the token's `jti` until the token expires. The reason is in every report.
    case notChecked(because: String)

    /// Returns the expected nonce of a token that refreshes `original`.
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
        case .chosenByApp: "nonce chosen by the app"
        case .notChecked: "nonce not checked"
        }
    }
}
