// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation
import HostileInput
import LimitedLogin
import LoginTesting
import LoginTokens

/// A verifier with its keys, and tokens that it accepts.
struct MutationTarget: Sendable {
    /// The tokens that it accepts.
    let valid: [[UInt8]]
    private let known: Set<[UInt8]>
    private let verify: @Sendable (String) -> String?

    /// Returns the target for Limited Login: the tokens of `facebook.json` that meet its most common policy.
    static func facebook() throws -> MutationTarget {
        let policy =
            #"{"audiences":["1234509876543210"],"nonce":{"exactly":"made-up-nonce-4f1c9a"},"now":1760000000,"provider":"facebook"}"#
        let keys = KeySnapshot(provider: .facebook, keys: try keySet())
        let verifier = try LimitedLoginVerifier(
            appIDs: ["1234509876543210"],
            keys: keys,
            leeway: .zero,
            clock: ManualClock()
        )
        return try MutationTarget(file: "facebook", policy: policy) { text in
            do throws(TokenRefusal) {
                _ = try verifier.verify(text, nonce: .exactly("made-up-nonce-4f1c9a"), with: keys).profile
                return nil
            } catch {
                return error.code.rawValue
            }
        }
    }

    /// Returns the target for any provider: the tokens of `openid.json` that meet its most common policy.
    static func openID() throws -> MutationTarget {
        let policy =
            #"{"audiences":["client-1"],"issuers":["https://issuer.example"],"nonce":{"exactly":"raw-nonce-77"},"now":1760000000}"#
        let provider = Provider.openID(issuers: ["https://issuer.example"])
        let keys = KeySnapshot(provider: provider, keys: try keySet())
        let tokenPolicy = try TokenPolicy(provider: provider, audiences: ["client-1"], leeway: .zero)
        let verifier = TokenVerifier(policy: tokenPolicy, keys: keys, clock: ManualClock())
        return try MutationTarget(file: "openid", policy: policy) { text in
            do throws(TokenRefusal) {
                _ = try verifier.verify(text, nonce: .exactly("raw-nonce-77"), with: keys)
                return nil
            } catch {
                return error.code.rawValue
            }
        }
    }

    private init(file: String, policy: String, verify: @escaping @Sendable (String) -> String?) throws {
        let tokens = try TestVectorFiles().vectors.filter { $0.file == file && $0.policy == policy && $0.isAccepted }
            .map { TestVectorFiles.text("token", of: $0) }
        // Some groups have other keys, so this verifier refuses their tokens.
        valid = tokens.filter { verify(String(decoding: $0, as: UTF8.self)) == nil }
        known = Set(valid)
        self.verify = verify
        guard valid.count >= 20 else { fatalError("only \(valid.count) valid tokens are left in \(file).json") }
    }

    private static func keySet() throws -> JSONWebKeySet {
        let json = try Data(contentsOf: URL(filePath: "TestVectors/demo/keys.json"))
        return try JSONWebKeySet(json: json, allowPublishedTestKeys: true)
    }

    /// Creates mutations, verifies each, and counts the outcomes.
    func run(_ count: Int, seed: UInt64) -> Tally {
        var tally = Tally()
        var mutator = TokenMutator(seed: seed)
        for _ in 0..<count {
            let (token, other) = (valid[mutator.below(valid.count)], valid[mutator.below(valid.count)])
            let (bytes, kind) = mutator.mutate(token, other: other)
            let text = String(decoding: bytes, as: UTF8.self)
            let code = verify(text)
            tally.count(code, kind, text, isValid: code == nil && known.contains(bytes))
        }
        return tally
    }
}
