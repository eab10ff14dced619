// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginText
internal import LoginTokens

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// What ties the two halves of a login together: the provider sends it back as it is.
///
/// A store knows its hash, and what is kept can be opened only with it.
struct LoginState {
    /// 256 random bits, in 43 characters of base64url.
    let text: String

    /// What the attempt is known by.
    var id: LoginAttempt.ID { LoginAttempt.ID(state: text) }

    /// A new one.
    init() {
        text = Base64URL.encode(randomBytes(count: SealingKey.byteCount))
    }

    /// One that a callback brings; nil for what none of ours looks like, so that no store is asked about it.
    init?(_ text: String) {
        guard text.utf8.count == 43, Base64URL.decode(text.utf8) != nil else { return nil }
        self.text = text
    }

    /// Seals what the end of the login will need.
    ///
    /// - Parameters:
    ///   - content: What to seal.
    ///   - purpose: What the login is for.
    ///   - binding: Who began it. Both are sealed in: who writes to the store cannot give an attempt to somebody else.
    /// - Returns: What the store gets.
    /// - Throws: What the encoder throws, which has no reason to.
    func seal(_ content: AttemptContent, purpose: NoncePurpose, binding: NonceBinding) throws -> [UInt8] {
        let encoder = JSONEncoder()
        let bytes = [UInt8](try encoder.encode(content))
        return key.seal(bytes, context: context(purpose, binding))
    }

    /// Opens what a store gave back; nil where it is not what was sealed.
    func open(_ sealed: [UInt8], purpose: NoncePurpose, binding: NonceBinding) -> AttemptContent? {
        guard let bytes = key.open(sealed, context: context(purpose, binding)) else { return nil }
        return try? JSONDecoder().decode(AttemptContent.self, from: Data(bytes))
    }

    /// A key of its own, for this one text: with the state alone, and not its hash, can it be had.
    private var key: SealingKey {
        SealingKey(Digest.sha256.authenticationCode(of: "limited-login attempt, version 1".utf8, key: text.utf8))
    }

    private func context(_ purpose: NoncePurpose, _ binding: NonceBinding) -> [UInt8] {
        id.bytes + binding.bytes + Array(purpose.storageKey.utf8)
    }
}
