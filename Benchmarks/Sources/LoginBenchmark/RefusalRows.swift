// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginCase
import LoginTesting
import LoginTokens
import Measuring

extension LoginCase {
    /// Returns the cost of each kind of invalid token.
    ///
    /// Any client can send any number of tokens that are refused before the signature is verified.
    func refusalComparisons(_ floor: Floor) throws -> [Comparison] {
        try (refusals + [forgeryForFourKeys]).map { refusal in
            try check(refusal)
            // Local values, because each use of a property in the loop would copy the whole verifier.
            let (verifier, keys, nonce) = (limitedLogin, refusal.keys ?? keys, refusal.nonce ?? nonce)
            let work = Work {
                do throws(TokenRefusal) {
                    use(try verifier.verify(refusal.token, nonce: .exactly(nonce), with: keys))
                } catch {
                    use(error)
                }
            }
            let reference = Work.repeating { try floor.verify(times: $0) }
            return Comparison("\(refusal.code): \(refusal.what)", work, to: reference, goal: refusal.goal)
        }
    }

    /// Returns the cost of refusing a text that is no token, with the explanation for its sender.
    func explanationComparisons(_ floor: Floor) -> [Comparison] {
        ["a=&", ".", "=", "eyJ....", "%41", ".\u{200B}", "a ", "\n", "64", "eyJ.\n"].map { piece in
            let count = Limits.tokenBytes / piece.utf8.count
            let text = String(repeating: piece, count: count)
            let (verifier, keys, nonce) = (limitedLogin, keys, nonce)
            let work = Work {
                do {
                    use(try verifier.verify(text, nonce: .exactly(nonce), with: keys))
                    throw NotMeasurable("\(count) times \(piece.debugDescription) is accepted")
                } catch let error as TokenRefusal {
                    use(error.publicMessage)
                    use(error.recognizedAs)
                }
            }
            let reference = Work.repeating { try floor.verify(times: $0) }
            let name = "explained: 16 KiB of \(piece.debugDescription)"
            return Comparison(name, work, to: reference, goal: .atMost(0.5))
        }
    }

    private struct Refusal {
        let code: VerificationCode
        let what: String
        let goal: Goal?
        let token: String
        var nonce: String?
        var keys: KeySnapshot?
    }

    private var refusals: [Refusal] {
        let malformed = Goal.atMost(0.05)
        let parts = token.split(separator: ".")
        return [
            Refusal(code: .segments, what: "two segments", goal: malformed, token: "\(parts[0]).\(parts[1])"),
            Refusal(
                code: .encoding,
                what: "a payload with padding",
                goal: malformed,
                token: "\(parts[0]).\(parts[1])=.\(parts[2])"
            ),
            Refusal(
                code: .payload,
                what: "a payload that is not JSON",
                goal: malformed,
                token: withPayload("not JSON")
            ),
            Refusal(
                code: .tooLarge,
                what: "more than 16 KiB",
                goal: malformed,
                token: token + String(repeating: "A", count: Limits.tokenBytes)
            ),
            Refusal(
                code: .issuer,
                what: "a foreign issuer",
                goal: .atMost(0.12),
                token: token { $0.claims["iss"] = "https://issuer.example" }
            ),
            Refusal(code: .audience, what: "another app", goal: nil, token: token { $0.claims["aud"] = "1" }),
            Refusal(
                code: .keyNotFound,
                what: "a key that does not exist",
                goal: nil,
                token: token { $0.header["kid"] = .string(String(repeating: "0", count: 40)) }
            ),
            Refusal(
                code: .signature,
                what: "signed by another",
                goal: nil,
                token: token { $0.signing = .key(.another) }
            ),
            Refusal(
                code: .expired,
                what: "good until an hour ago",
                goal: nil,
                token: token { $0.claims["exp"] = 1_760_000_000 }
            ),
            Refusal(code: .nonce, what: "another attempt's", goal: nil, token: token, nonce: "another"),
        ]
    }

    /// A token that none of several keys with its ID has signed: as many as are tried.
    private var forgeryForFourKeys: Refusal {
        get throws {
            let keys = [issuer.key] + (1..<Limits.keysPerID).map { _ in TestKey() }
            let entries = keys.map { key in
                var entry = key.json
                entry["kid"] = .string(issuer.key.keyID)
                return entry
            }
            let set = try JSONWebKeySet(json: (["keys": .array(entries)] as TestJSON).text)
            return Refusal(
                code: .signature,
                what: "signed by none of four keys",
                goal: .atMost(5),
                token: token { $0.signing = .key(.another) },
                keys: KeySnapshot(provider: issuer.provider, keys: set)
            )
        }
    }

    /// Throws if the token is not refused with the row's code: a row that measures something else would be misleading.
    private func check(_ refusal: Refusal) throws {
        do throws(TokenRefusal) {
            let nonce = refusal.nonce ?? nonce
            _ = try limitedLogin.verify(refusal.token, nonce: .exactly(nonce), with: refusal.keys ?? keys)
        } catch {
            if error.code == refusal.code { return }
            throw NotMeasurable("\(refusal.what): the verdict is \(error.code), and should be \(refusal.code)")
        }
        throw NotMeasurable("\(refusal.what): the token is accepted")
    }

    /// Returns a token with this payload, padded to the length of the valid one.
    private func withPayload(_ text: String) -> String {
        let length = token.split(separator: ".")[1].utf8.count * 3 / 4
        let payload = text + String(repeating: " ", count: max(0, length - text.utf8.count))
        let header = #"{"alg":"RS256","typ":"JWT","kid":"\#(issuer.key.keyID)"}"#
        return TestToken.compact(header: Array(header.utf8), payload: Array(payload.utf8), key: issuer.key)
    }
}
