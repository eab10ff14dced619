// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import LoginTesting
import LoginText
internal import LoginTokens
internal import TestSupport
internal import Testing

/// One valid token, and every small change of it: none is accepted, and none stops the process.
///
/// RFC 7515 §5.2 has the signature cover the text and not what it decodes to. That each change is noticed therefore says
/// two things: the signature is looked at, and no second spelling of a segment is taken for the first.
@Suite struct MutationTests {
    private let token: MutableToken
    private let verifier: TokenVerifier
    private let keys: KeySnapshot

    init() throws {
        let bench = try Bench()
        token = MutableToken(bench.issuer.token { $0.claims["jti"] = "c0ffee00-0000-4000-8000-000000000001" })
        verifier = bench.verifier
        keys = bench.keys
    }

    @Test(.rule("T-071", "T-093"))
    func `every small change of a token is refused`() async throws {
        let unchanged = Result { () throws(TokenRefusal) in try verify(token.text) }
        #expect(throws: Never.self) { try unchanged.get() }

        let bytes = token.segments.map(\.count).reduce(0, +)
        let characters = token.characters.count
        #expect(token.segments.count == 3)
        // 64 characters of base64url, the dot, and nine that no token has; each position holds one of the first 65.
        #expect(Set(MutableToken.alphabet).count == 74)
        #expect(Set(token.characters.map { [$0] }).isSubset(of: MutableToken.alphabet.prefix(65)))

        let flips = await refusals(token.flips)
        let truncations = await refusals(token.truncations)
        let replacements = await refusals(token.replacements)
        let deletions = await refusals(token.deletions)
        let doublings = await refusals(token.doublings)

        #expect(token.flips.count == 8 * bytes)
        #expect(token.truncations.count == 2 * characters - 1)
        #expect(token.replacements.count == 73 * characters)
        #expect(token.deletions.count == characters && token.doublings.count == characters)

        // Were all refused for their form, the signature would not have been tried, and the other way round.
        #expect(flips.codes.isSuperset(of: [.header, .algorithm, .payload, .issuer, .keyNotFound, .signature]))
        #expect(truncations.codes.isSuperset(of: [.segments, .encoding, .signature]))
        #expect(replacements.codes.isSuperset(of: [.segments, .encoding, .header, .keyNotFound, .signature]))
        #expect(deletions.codes.isSuperset(of: [.segments, .encoding]))
        #expect(doublings.codes.isSuperset(of: [.segments, .encoding]))

        report([flips, truncations, replacements, deletions, doublings])
    }

    private func report(_ runs: [Run]) {
        let counts = runs.map { "\($0.refused) \($0.name)s" }.joined(separator: ", ")
        let accepted = runs.map { $0.tried - $0.refused }.reduce(0, +)
        let outcome = accepted == 0 ? "all refused" : "and \(accepted) were ACCEPTED"
        let note = MutableToken.step == 1 ? "" : " (every \(MutableToken.step)th of them: LIMITED_LOGIN_QUICK is set)"
        print("mutations: \(counts): \(outcome)\(note)")
    }

    /// What became of the mutations of one kind.
    private struct Run {
        let name: String
        let tried: Int
        var refused = 0
        var codes: Set<TokenRefusal.Code> = []
    }

    private func verify(_ text: String) throws(TokenRefusal) {
        _ = try verifier.verify(text, nonce: .mustBeAbsent, with: keys)
    }

    /// Tries each mutation, spread over the processors, and reports those that were accepted.
    private func refusals(_ mutations: Mutations) async -> Run {
        let indices = Array(stride(from: 0, to: mutations.count, by: MutableToken.step))
        let chunk = 256
        return await withTaskGroup { group in
            for start in stride(from: 0, to: indices.count, by: chunk) {
                group.addTask {
                    indices[start..<min(start + chunk, indices.count)].map { index -> TokenRefusal.Code? in
                        do throws(TokenRefusal) {
                            try verify(mutations.text(index))
                            Issue.record("\(mutations.name) number \(index) was accepted")
                            return nil
                        } catch {
                            return error.code
                        }
                    }
                }
            }
            var run = Run(name: mutations.name, tried: indices.count)
            for await results in group {
                run.refused += results.count { $0 != nil }
                run.codes.formUnion(results.compactMap(\.self))
            }
            #expect(run.refused == run.tried)
            return run
        }
    }
}

/// Changes of one kind, made by number so that they need not all be in memory.
private struct Mutations: Sendable {
    let name: String
    let count: Int
    let text: @Sendable (Int) -> String
}

/// A token that can be changed in every way.
private struct MutableToken: Sendable {
    /// Sanitizers make everything ten times slower; they see as much in every 17th mutation.
    static let step = ProcessInfo.processInfo.environment["LIMITED_LOGIN_QUICK"] == "1" ? 17 : 1

    /// What a character is replaced with: all that a token can have, and nine that it cannot, the last of two bytes.
    static let alphabet: [[UInt8]] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/ \"\0\n\u{7F}\u{E9}".map { Array($0.utf8) }

    let text: String
    let characters: [UInt8]
    let segments: [[UInt8]]

    init(_ text: String) {
        self.text = text
        characters = Array(text.utf8)
        segments = text.split(separator: ".").compactMap { Base64URL.decode($0.utf8) }
    }

    /// Each bit of each decoded segment, encoded again as it should be.
    var flips: Mutations {
        let places = segments.enumerated().flatMap { segment, bytes in
            (0..<bytes.count * 8).map { (segment: segment, bit: $0) }
        }
        return Mutations(name: "bit flip", count: places.count) { index in
            var segments = segments
            let (segment, bit) = places[index]
            segments[segment][bit / 8] ^= 0x80 >> (bit % 8)
            return segments.map { Base64URL.encode($0) }.joined(separator: ".")
        }
    }

    /// Each beginning but the whole, the empty one included, and then each end but the whole and the empty one.
    var truncations: Mutations {
        let count = characters.count
        return Mutations(name: "truncation", count: 2 * count - 1) { index in
            Self.text(index < count ? characters.prefix(index) : characters.suffix(2 * count - 1 - index))
        }
    }

    /// Each character, replaced by each other of the alphabet.
    var replacements: Mutations {
        let others = Self.alphabet.count - 1
        let own = characters.map { Self.alphabet.firstIndex(of: [$0]) ?? others }
        return Mutations(name: "replacement", count: characters.count * others) { index in
            let (place, other) = index.quotientAndRemainder(dividingBy: others)
            let replacement = Self.alphabet[other < own[place] ? other : other + 1]
            return Self.text(characters[..<place] + replacement + characters[(place + 1)...])
        }
    }

    /// Each character left out.
    var deletions: Mutations {
        Mutations(name: "deletion", count: characters.count) { index in
            Self.text(characters[..<index] + characters[(index + 1)...])
        }
    }

    /// Each character twice.
    var doublings: Mutations {
        Mutations(name: "doubling", count: characters.count) { index in
            Self.text(characters[...index] + characters[index...])
        }
    }

    private static func text(_ characters: ArraySlice<UInt8>) -> String {
        String(decoding: characters, as: UTF8.self)
    }
}
