// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens
internal import Synchronization

/// A store of nonces that gives one answer, and writes down what it is asked.
public final class SpyNonceStore: NonceStore {
    private let answer: NonceUse
    private let asked = Mutex<[NonceDigest]>([])

    /// The nonces it was asked to take back, in order.
    public var consumed: [NonceDigest] { asked.withLock { $0 } }

    /// A store that answers this, whatever the nonce.
    public init(_ answer: NonceUse) {
        self.answer = answer
    }

    /// A nonce that nobody remembers.
    public func issue(purpose: NoncePurpose, binding: NonceBinding, lifetime: Duration) async throws -> String {
        Nonce.random()
    }

    /// Writes the nonce down, and answers.
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
    /// Verifies a token whose nonce a spy takes back.
    ///
    /// The spy cannot fail, so what is thrown is about the token.
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
