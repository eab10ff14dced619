// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import HostileInput
internal import LoginTesting

@testable internal import LimitedLogin
@testable internal import LoginTokens

extension FuzzTarget {
    /// Whole tokens: nothing traps, texts are safe to log, and plain C and Foundation agree with what is accepted.
    static let token = FuzzTarget(
        "token",
        maximumBytes: Limits.tokenBytes + 1024,
        seeds: { vectors in
            let tokens = vectors.vectors.filter { ["id-token", "jws"].contains($0.kind) }
            return tokens.map { TestVectorFiles.text("token", of: $0) } + TokenTarget.notTokens
        },
        mutate: { input, seed, plain in TokenTarget.mutate(input, seed: seed, plain: plain) },
        run: { input in TokenTarget.shared.run(input) }
    )
}

/// The verifiers under attack, with the most common policies of the test vectors.
private struct TokenTarget {
    static let shared = TokenTarget()
    static let appID = "1234509876543210"
    static let facebookNonce = "made-up-nonce-4f1c9a"
    static let clientID = "client-1"
    static let nonce = "raw-nonce-77"
    static let now = 1_760_000_000.0
    static let notTokens = [
        "", "EAAB", "Bearer eyJ", "{}", "https://a.example/#id_token=eyJ", "\"eyJ", "eyJ.eyJ", "....", "e30.e30.",
    ]
    .map { Array($0.utf8) }

    private let keySet: JSONWebKeySet
    private let facebook: LimitedLoginVerifier
    private let facebookKeys: KeySnapshot
    private let other: TokenVerifier
    private let otherKeys: KeySnapshot
    private let valid: [[UInt8]]
    private let known: Set<[UInt8]>

    init() {
        do {
            let vectors = try TestVectorFiles()
            guard let json = FileManager.default.contents(atPath: "TestVectors/demo/keys.json"),
                // The first key set of the attack vectors: an RSA, an EC and an Ed25519 key.
                let mixed = vectors.keySets.first(where: {
                    $0.count < 2000 && Self.types(of: $0) == ["RSA", "EC", "OKP"]
                })
            else { fatalError("the key sets of the test vectors have changed") }
            let clock = ManualClock(Date(timeIntervalSince1970: Self.now))
            keySet = try JSONWebKeySet(json: json, allowPublishedTestKeys: true)
            facebookKeys = KeySnapshot(provider: .facebook, keys: keySet)
            facebook = try LimitedLoginVerifier(appIDs: [Self.appID], keys: facebookKeys, clock: clock)
            let provider = Provider.openID(issuers: ["https://issuer.example"])
            otherKeys = KeySnapshot(
                provider: provider,
                keys: try JSONWebKeySet(json: mixed, allowPublishedTestKeys: true)
            )
            let policy = try TokenPolicy(
                provider: provider,
                audiences: [Self.clientID],
                algorithms: [.rs256, .es256, .edDSA],
                leeway: .zero
            )
            other = TokenVerifier(policy: policy, keys: otherKeys, clock: clock)
            known = Set(vectors.vectors.map { TestVectorFiles.text("token", of: $0) })
            valid = vectors.vectors.filter { $0.kind == "id-token" && $0.isAccepted }
                .map { TestVectorFiles.text("token", of: $0) }
        } catch {
            fatalError("cannot set up: \(error)")
        }
    }

    private static func types(of keySet: [UInt8]) -> [String] {
        let json = try? JSONSerialization.jsonObject(with: Data(keySet)) as? [String: [[String: Any]]]
        return json?["keys"]?.compactMap { $0["kty"] as? String } ?? []
    }

    func run(_ input: [UInt8]) {
        let text = String(decoding: input, as: UTF8.self)
        let bytes = Array(text.utf8)
        tryFacebook(text, bytes)
        tryOther(text, bytes)
        trySignature(text, bytes)
        if let recognized = RecognizedInput(text) { expectShowable(recognized.explanation, hiding: [bytes]) }
        do throws(TokenRefusal) {
            let token = try UnverifiedToken(inspecting: text)
            walk(token.header.json)
            for name in token.claims.names { walk(token.claims[name] ?? token.header.json) }
            _ = (token.claims.issuedAt, token.claims.expiresAt, token.claims.audiences, token.header.names)
        } catch {
            expectRefusal(error, of: bytes)
        }
    }

    private func tryFacebook(_ text: String, _ bytes: [UInt8]) {
        var reports: [CheckReport] = []
        do throws(TokenRefusal) {
            let token = try facebook.verify(text, nonce: .exactly(Self.facebookNonce), with: facebookKeys) { report in
                reports.append(report)
                expectShowable(report.detail)
            }
            expect(Reference.signed(bytes), "a token was accepted that the reference refuses")
            expect(reports.allSatisfy { $0.outcome != .fail }, "a token was accepted although a check failed")
            expectClaims(of: bytes, issuers: Provider.facebook.issuers, audience: Self.appID, nonce: Self.facebookNonce)
            let profile = token.profile
            expect(!profile.userID.isEmpty, "a profile has no user ID")
            _ = profile.isAtLeast(18, on: Date(timeIntervalSince1970: Self.now))
            expect((try? JSONEncoder().encode(profile)) != nil, "a profile cannot be encoded")
            expectShowable("\(token) \(token.verified) \(profile) \(token.claims)")
        } catch {
            expectRefusal(error, of: bytes)
            expect(reports.count { $0.outcome == .fail } == 1, "a token was not refused by exactly one check")
        }
        expect(reports.map(\.check) == Check.inOrder, "the checks are reported in another order")
    }

    private func tryOther(_ text: String, _ bytes: [UInt8]) {
        do throws(TokenRefusal) {
            let token = try other.verify(text, nonce: .exactly(Self.nonce), with: otherKeys)
            if token.jws.algorithm == .rs256 {
                expect(Reference.signed(bytes), "a token was accepted that the reference refuses")
            } else {
                // The reference has no key of another type, so it cannot have signed a new token.
                expect(known.contains(bytes), "an unsigned token was accepted")
            }
            expectClaims(of: bytes, issuers: ["https://issuer.example"], audience: Self.clientID, nonce: Self.nonce)
        } catch {
            expectRefusal(error, of: bytes)
        }
    }

    /// Compares the verdict on the signature alone with that of plain C.
    private func trySignature(_ text: String, _ bytes: [UInt8]) {
        do throws(TokenRefusal) {
            let jws = try CompactJWS(text).verified(with: keySet, algorithms: [.rs256])
            expect(Reference.signed(bytes), "a signature is valid that the reference refuses")
            expect(jws.payload == Segments(bytes).decoded(1), "the payload differs")
        } catch  where error.code == .signature {
            expect(!Reference.signed(bytes), "a signature is invalid that the reference accepts")
        } catch {
            expectRefusal(error, of: bytes)
        }
    }

    private func expectRefusal(_ refusal: TokenRefusal, of bytes: [UInt8]) {
        let hidden: [[UInt8]] = Segments(bytes).texts.suffix(2) + [bytes]
        expectShowable(refusal.description, hiding: hidden)
        expectShowable(refusal.publicMessage, hiding: hidden)
        expect(VerificationCode.refusals.contains(refusal.code), "a code is unknown")
        expect(refusal.publicMessage.utf8.count <= 300, "a public message is long")
    }

    private func expectClaims(of token: [UInt8], issuers: [String], audience: String, nonce: String) {
        guard let claims = Reference.claims(of: token) else {
            let ours = try? JSONDocument.read(Segments(token).decoded(1) ?? []).root
            expect(ours.map(isComparable) == false, "Foundation refuses the claims")
            return
        }
        let audiences = claims["aud"] as? [String] ?? [claims["aud"] as? String ?? ""]
        let leeway = 300.0
        expect(issuers.contains(claims["iss"] as? String ?? ""), "the issuer is wrong")
        expect(audiences.contains(audience), "the audience is wrong")
        expect(claims["nonce"] as? String == nonce, "the nonce is wrong")
        expect((claims["exp"] as? Double ?? 0) > Self.now - leeway, "the token has expired")
        expect((claims["iat"] as? Double ?? .infinity) < Self.now + leeway, "the token was issued in the future")
        expect((1...255).contains((claims["sub"] as? String ?? "").utf8.count), "the subject is missing or long")
    }
}

extension TokenTarget {
    /// Changes bytes, parts that tokens are made of, or the contents of a segment; sometimes signs the result, so that
    /// the code behind signature verification is reached too.
    static func mutate(_ input: [UInt8], seed: UInt64, plain: FuzzTarget.PlainMutator) -> [UInt8] {
        var mutator = TokenMutator(seed: seed)
        var segments: Segments
        switch mutator.below(4) {
        case 0:
            return plain(input, FuzzTarget.token.maximumBytes)
        case 1:
            return mutator.mutate(input, other: shared.valid[mutator.below(shared.valid.count)]).text
        case 2:
            segments = Segments(input)
            segments.change(mutator.below(min(2, segments.texts.count))) { plain($0, $0.count + 64) }
        default:
            // The header names the right key; otherwise most signed inputs would be refused at the header.
            let start = mutator.below(4) == 0 ? shared.valid[mutator.below(shared.valid.count)] : input
            segments = Segments(start)
            segments.change(min(1, segments.texts.count - 1)) { mutator.edited($0) }
            if mutator.below(4) != 0 {
                segments.texts[0] = Segments.encode(Array(#"{"alg":"RS256","kid":"\#(Reference.issuerA.keyID)"}"#.utf8))
            }
        }
        guard mutator.below(2) == 0, segments.texts.count == 3 else { return segments.joined }
        let message = Array(segments.texts[..<2].joined(separator: [UInt8(ascii: ".")]))
        return message + [UInt8(ascii: ".")] + Segments.encode(Reference.issuerA.signature(of: message))
    }
}
