// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens
internal import Synchronization

/// A nonce store that always returns one result, and records its calls.
public final class SpyNonceStore: NonceStore {
    private let answer: NonceUse
    private let asked = Mutex<[NonceDigest]>([])

    /// The nonces that were consumed, in order.
    public var consumed: [NonceDigest] { asked.withLock { $0 } }

    /// Creates a store that returns this result for every nonce.
    public init(_ answer: NonceUse) {
        self.answer = answer
    }

    /// Returns a nonce without storing it.
    public func issue(purpose: NoncePurpose, binding: NonceBinding, lifetime: Duration) async throws -> String {
        Nonce.random()
    }

    /// Records the nonce, and returns the result.
    public func consume(
        _ nonce: NonceDigest,
        purpose: NoncePurpose,
        binding: NonceBinding
    ) async throws -> NonceUse {
        asked.withLock { $0.append(nonce) }
        return answer
    }
}

extension TokenVerifier {
    /// Verifies a token with a nonce that a spy consumes.
    ///
    /// The spy never throws, so every error is about the token.
    @discardableResult
    public func verify(
        _ text: String,
        askingOnce store: SpyNonceStore,
        accessToken: HashExpectation? = nil,
        code: HashExpectation? = nil,
        explain: ((CheckReport) -> Void)? = nil
    ) async throws(VerificationError) -> VerifiedToken {
        let nonce = SingleUseNonce.singleUse(store, purpose: .signIn, binding: NonceBinding(secret: "cookie"))
        do {
            return try await verify(text, nonce: nonce, accessToken: accessToken, code: code, explain: explain)
        } catch let error as VerificationError {
            throw error
        } catch {
            preconditionFailure("a spy does not fail: \(error)")
        }
    }
}
