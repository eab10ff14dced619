// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginProviders
internal import LoginText

/// The steps that claim the attempts of browsers.
struct BrowserAttempts {
    let attempts: AttemptTable
    let context: TransactionContext

    /// Claims the attempt of a browser in one conditional update: of concurrent callbacks, one gets the row.
    ///
    /// - Parameters:
    ///   - hash: The hash of the secret, from the browser's cookie.
    ///   - state: The hash of the parameter `state`, from the callback.
    ///   - purpose: The purpose of the callback.
    /// - Returns: The encrypted content for the callback, or the reason why there is nothing to claim.
    /// - Throws: ``StoreError``
    func claim(_ hash: [UInt8], state: [UInt8], purpose: String) throws(StoreError) -> AttemptClaim {
        context.pause(at: .attemptBeforeClaim)
        let claimed = try attempts.claim(hash, state: state, purpose: purpose, at: context.now)
        if let sealed = claimed?.sealed { return .claimed(sealed: sealed) }
        guard let found = try attempts.find(state: state),
            found.expiresAt + AccountAttemptStore.retention > context.now
        else { return .unknown }
        // The owner is checked first, so that a stranger does not learn whether the attempt was claimed.
        guard isEqual(found.purpose, purpose), constantTimeEquals(found.hash, hash) else { return .startedElsewhere }
        return found.expiresAt > context.now ? .replayed : .expired
    }
}
