// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginCase
import LoginTesting
import LoginTokens
import Measuring

extension LoginCase {
    /// Returns the cost of tokens, headers and key sets of the largest size that a setting permits.
    func limitComparisons(_ floor: Floor) throws -> [Comparison] {
        let many = try manyKeys
        return try [
            largest("a token of 64 KiB ÷ its floor", of: longToken),
            largest("a token with a header of 16 KiB ÷ its floor", of: wideToken),
            refused("refused: a foreign issuer in 64 KiB ÷ floor", .issuer, foreignToken, floor),
            refused("refused: more than 64 KiB ÷ floor", .tooLarge, longToken + longToken, floor),
            Comparison(
                "a token whose key is the last of 1,000 ÷ floor",
                verification(token, with: many.keys),
                to: .repeating { try floor.verify(times: $0) }
            ),
            Comparison(
                "key set with 1,000 RSA keys in 1 MiB ÷ OpenSSL's imports",
                Work { use(try JSONWebKeySet(json: many.json, limits: many.limits)) },
                to: .repeating { try floor.importKey(times: 1000 * $0) }
            ),
        ]
    }

    private func largest(_ name: String, of token: String) throws -> Comparison {
        let floor = try floor(of: token)
        return Comparison(name, try verification(token, with: keys), to: .repeating { try floor.verify(times: $0) })
    }

    /// Verifies a token with the largest limits.
    private func verification(_ token: String, with keys: KeySnapshot) throws -> Work {
        // Local values, because each use of a property in the loop would copy it.
        let (verifier, nonce) = (try largeVerifier, nonce)
        _ = try verifier.verify(token, nonce: .exactly(nonce), with: keys)
        return Work { use(try verifier.verify(token, nonce: .exactly(nonce), with: keys)) }
    }

    private func refused(_ name: String, _ code: VerificationCode, _ token: String, _ floor: Floor) throws -> Comparison
    {
        let (verifier, keys, nonce) = (try largeVerifier, keys, nonce)
        let work = Work {
            do {
                use(try verifier.verify(token, nonce: .exactly(nonce), with: keys))
                throw NotMeasurable("\(name): the token is accepted")
            } catch let error as TokenRefusal {
                guard error.code == code else { throw NotMeasurable("\(name): the verdict is \(error.code)") }
                use(error)
            }
        }
        return Comparison(name, work, to: .repeating { try floor.verify(times: $0) })
    }

    private var largeVerifier: TokenVerifier {
        get throws {
            let policy = try TokenPolicy(provider: issuer.provider, audiences: [issuer.audience], limits: .largest)
            return TokenVerifier(policy: policy, keys: keys)
        }
    }

    /// A token that lists 1,700 roles: nearly 64 KiB.
    private var longToken: String { token { $0.claims["roles"] = Self.roles(upTo: 46_000) } }

    /// The same token of another issuer, which is refused after its payload was read.
    private var foreignToken: String {
        token {
            $0.claims["roles"] = Self.roles(upTo: 46_000)
            $0.claims["iss"] = "https://issuer.example"
        }
    }

    /// A token whose header contains certificates.
    private var wideToken: String {
        token { $0.header["x5c"] = .array(Array(repeating: .string(String(repeating: "M", count: 4000)), count: 4)) }
    }

    private static func roles(upTo bytes: Int) -> TestJSON {
        .array((0..<bytes / 27).map { .string("department-\(10_000 + $0)-reader") })
    }

    /// A key set of 1,000 keys, of which the last is the issuer's, in nearly 1 MiB.
    private var manyKeys: (json: [UInt8], limits: KeySetLimits, keys: KeySnapshot) {
        get throws {
            let own = issuer.key.json
            let others = (0..<999).map { number in
                var key = own
                key["kid"] = .string("key-\(number)")
                key["pad"] = .string(String(repeating: "x", count: 550))
                return key
            }
            let limits = try KeySetLimits(keys: 1000)
            let json = Array((["keys": .array(others + [own])] as TestJSON).text.utf8)
            let set = try JSONWebKeySet(json: json, limits: limits)
            return (json, limits, KeySnapshot(provider: issuer.provider, keys: set))
        }
    }
}
