// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto

/// A request that a client may repeat with an idempotency key.
struct RepeatableRequest: Sendable {
    /// The client's idempotency key.
    let key: String

    /// All parts of the request.
    ///
    /// Requests that differ only in an omitted part would count as the same.
    let parts: [String]

    /// Returns the HMACs of the request, the one under the newest key first.
    ///
    /// The request may contain a password, which a plain hash would expose to guessing.
    ///
    /// Each part is hashed separately, so that the boundaries of the parts are unambiguous.
    func hashes(by secrets: AccountSecrets) -> [[UInt8]] {
        secrets.authenticationCodes(of: parts.flatMap { Digest.sha256.hash($0.utf8) }, purpose: "idempotency")
    }

    /// Returns the key of the stored response.
    ///
    /// The same client key in another account is another request.
    func key(of account: AccountID) -> [UInt8] {
        Digest.sha256.hash(Digest.sha256.hash(account.rawValue.utf8) + Digest.sha256.hash(key.utf8))
    }
}

/// A stored response, without secrets.
struct KeptAnswer: Sendable, Codable {
    var outcome: AuthDataResult.Outcome?
    var refusal: String?
    var ownerID: AccountID?

    init(_ ending: TransactionEnding<AuthDataResult>) {
        switch ending {
        case .commit(let result): outcome = result.outcome
        case .commitRefusal(let error):
            refusal = error.code.rawValue
            switch error.reason {
            case .credentialAlreadyInUse(_, let owner), .emailAlreadyInUse(_, let owner): ownerID = owner
            default: ownerID = nil
            }
        }
    }

    /// The reason of the refusal, without a pending credential; nil if the request was not refused.
    ///
    /// Only conflicts are stored. All other refusals are thrown, and the request is processed again.
    var reason: AuthError.Reason? {
        switch refusal {
        case nil: nil
        case AuthError.Code.credentialAlreadyInUse.rawValue: .credentialAlreadyInUse(nil, owner: ownerID)
        case AuthError.Code.emailAlreadyInUse.rawValue: .emailAlreadyInUse(owner: ownerID)
        default: .internalError
        }
    }
}
