// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto

/// A request that a client may repeat, and that is then answered as before.
struct RepeatableRequest: Sendable {
    /// The client's key of the request.
    let key: String

    /// The parts of the request, all of them: a request that differs in a part that is left out would count as the same.
    let parts: [String]

    /// The keyed hashes of the request, the one by the newest key first: the request may contain a password, which a plain hash would leave
    /// to guess.
    ///
    /// Each part is hashed on its own, so that none can look like two.
    func hashes(by secrets: AccountSecrets) -> [[UInt8]] {
        secrets.authenticationCodes(of: parts.flatMap { Digest.sha256.hash($0.utf8) }, purpose: "idempotency")
    }

    /// The key of the stored answer: the same client key in another account is another request.
    func key(of account: AccountID) -> [UInt8] {
        Digest.sha256.hash(Digest.sha256.hash(account.rawValue.utf8) + Digest.sha256.hash(key.utf8))
    }
}

/// A stored answer, without secrets.
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
    /// Only conflicts are kept; all other refusals are thrown, and the request is answered anew.
    var reason: AuthError.Reason? {
        switch refusal {
        case nil: nil
        case AuthError.Code.credentialAlreadyInUse.rawValue: .credentialAlreadyInUse(nil, owner: ownerID)
        case AuthError.Code.emailAlreadyInUse.rawValue: .emailAlreadyInUse(owner: ownerID)
        default: .internalError
        }
    }
}
