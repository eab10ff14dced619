// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import HostileInput
internal import LoginTesting

@testable internal import LoginTokens

extension FuzzTarget {
    /// Responses of an introspection endpoint, plain and signed: only a proper answer about an active token for this API
    /// is accepted, and it is not cached for longer than allowed.
    static let introspection = FuzzTarget(
        "introspection",
        maximumBytes: Limits.tokenBytes + 1024,
        seeds: { _ in IntrospectionTarget.seeds },
        mutate: { input, seed, plain in IntrospectionTarget.mutate(input, seed: seed, plain: plain) },
        run: { input in IntrospectionTarget.shared.run(input) }
    )
}

/// An introspection policy under attack, with and without signed responses.
private struct IntrospectionTarget {
    static let shared = IntrospectionTarget()
    static let now = 1_760_000_000.0
    static let (issuer, audience, client) = ("https://issuer.example", "https://orders.example", "client-app")

    private let policy: IntrospectionPolicy
    private let keys: KeySnapshot
    private let signed: TokenPipeline<SignedIntrospectionRules>

    init() {
        do {
            policy = try IntrospectionPolicy(
                issuers: [Self.issuer],
                audiences: [Self.audience],
                requiredScopes: ["orders:read"],
                allowedClients: [Self.client],
                leeway: .zero
            )
            let keySet = Array(#"{"keys":[\#(Reference.issuerA.publicKey)]}"#.utf8)
            let published = try JSONWebKeySet(json: keySet, allowPublishedTestKeys: true)
            keys = KeySnapshot(issuers: [Self.issuer], keys: published)
        } catch {
            fatalError("cannot set up: \(error)")
        }
        signed = TokenPipeline(
            rules: SignedIntrospectionRules(policy: policy, clientID: "orders-api", algorithms: [.rs256]),
            keys: keys,
            clock: ManualClock(Date(timeIntervalSince1970: Self.now)),
            cache: nil
        )
    }

    func run(_ input: [UInt8]) {
        let response = TransportResponse(status: 200, headers: [("Content-Type", "application/json")], body: input)
        do throws(VerificationUnavailable) {
            try tryMembers(IntrospectionEndpoint.members(of: response, upTo: Limits.tokenBytes))
        } catch {
            expectUndecided(error, input)
        }
        tryDocument(input)
    }

    private func tryMembers(_ members: Claims) throws(VerificationUnavailable) {
        let answer = try IntrospectionEndpoint.answer(in: members)
        tryCache(answer)
        guard case .active(let claims) = answer else { return }
        expect(claims.value["active"]?.boolean == true, "an answer is active without the member")
        do throws(TokenRefusal) {
            let token = try policy.accepted(claims, now: Self.now)
            expect(token.scopes.contains("orders:read"), "a required scope is missing")
            expectShowable(token.description)
            expectShowable(token.confirmation.description)
            expectAccepted(claims.bytes)
        } catch {
            expect(VerificationCode.all.contains(error.code), "a code is unknown")
            expectShowable(error.description, hiding: [claims.bytes])
            expectShowable(error.publicMessage, hiding: [claims.bytes])
        }
    }

    /// Checks that Foundation reads the members of an accepted answer alike.
    private func expectAccepted(_ bytes: [UInt8]) {
        // Foundation reads no number beyond the range of `Double`, such as 1e999; the target json compares the two
        // readers.
        guard let json = try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any] else { return }
        expect(json["active"] as? Bool == true, "the token is not active")
        expect(json["iss"] as? String == Self.issuer, "the token is of another issuer")
        let audiences = (json["aud"] as? [String]) ?? [json["aud"] as? String ?? ""]
        expect(audiences.contains(Self.audience), "the token is for another API")
        expect(json["client_id"] as? String == Self.client, "the token is of another client")
        expect((json["exp"] as? Double ?? 0) > Self.now, "the token has expired")
        expect((json["iat"] as? Double ?? .infinity) <= Self.now, "the token was issued in the future")
    }

    private func tryCache(_ answer: IntrospectionAnswer) {
        var cache = IntrospectionCache(lifetime: 60, activeTokens: 1, inactiveTokens: 1)
        let token = TokenFingerprint(of: "token", key: [UInt8](repeating: 7, count: 32))
        cache.insert(answer, about: token, now: Self.now)
        // Each lookup has a copy, because a lookup at another time removes the answer.
        let isCached = { [cache] (time: Double) in
            var copy = cache
            return copy.answer(about: token, now: time) != nil
        }
        expect(!isCached(Self.now + 60), "an answer is cached beyond its lifetime")
        expect(!isCached(Self.now - 1), "an answer is used before it was received")
        guard case .active(let claims) = answer, let expiry = claims.seconds(.exp) else { return }
        expect(!isCached(expiry), "an answer is cached beyond the token")
    }

    /// Reads the input as a signed response.
    private func tryDocument(_ input: [UInt8]) {
        let text = String(decoding: input, as: UTF8.self)
        var log = CheckLog(observer: nil)
        do throws(TokenRefusal) {
            let members = try signed.verify(text, (), with: keys, log: &log)
            let bytes = Array(text.utf8)
            let segments = Segments(bytes)
            expect(segments.texts.count == 3, "an accepted response has other segments")
            let message = Array(bytes.prefix(bytes.count - segments.texts[2].count - 1))
            let isSigned = segments.decoded(2).map { Reference.issuerA.isValid($0, of: message) } == true
            expect(isSigned, "a response was accepted that the reference refuses")
            do throws(VerificationUnavailable) { try tryMembers(members) } catch {
                expectUndecided(error, members.bytes)
            }
        } catch {
            expect(VerificationCode.refusals.contains(error.code), "a code is unknown")
            expectShowable("\(error.code): \(error.detail)", hiding: [input])
        }
    }

    private func expectUndecided(_ error: VerificationUnavailable, _ input: [UInt8]) {
        expect(error.code == .introspectionUnavailable, "a code is unknown")
        expectShowable(error.description, hiding: [input])
    }
}

extension IntrospectionTarget {
    private static let header = Array(#"{"typ":"token-introspection+jwt","alg":"RS256"}"#.utf8)

    private static let answers: [String] = {
        let parties = #""iss":"\#(issuer)","aud":"\#(audience)","sub":"user-1","client_id":"\#(client)""#
        let times = #""iat":1759999940,"exp":1760003540"#
        return [
            #"{"active":true,\#(parties),\#(times),"scope":"orders:read a","token_type":"Bearer"}"#,
            #"{"active":true,\#(parties),\#(times),"scope":"orders:read","token_type":"DPoP","cnf":{"jkt":"x"}}"#,
            #"{"active":true,\#(parties),"iat":1759999940,"exp":1760000001.5,"nbf":1759999940,"scope":"orders:read"}"#,
            #"{"active":true,\#(parties),\#(times),"scope":"orders:read","token_use":"refresh_token"}"#,
            #"{"active":false}"#, #"{"active":false,"active":true}"#, #"{"active":"true"}"#, "{}", "[]", "",
        ]
    }()

    private static let signedAnswers: [[UInt8]] = answers.prefix(5).map { members in
        let claims = #"{"iss":"\#(issuer)","aud":"orders-api","iat":1760000000,"token_introspection":\#(members)}"#
        return sign([Segments.encode(header), Segments.encode(Array(claims.utf8))])
    }

    static let seeds: [[UInt8]] = answers.map { Array($0.utf8) } + signedAnswers

    /// Returns the token of two segments, signed by the reference.
    private static func sign(_ segments: [[UInt8]]) -> [UInt8] {
        let message = Array(segments.joined(separator: [UInt8(ascii: ".")]))
        return message + [UInt8(ascii: ".")] + Segments.encode(Reference.issuerA.signature(of: message))
    }

    /// Changes bytes or members; signs most signed responses again, so that the code behind the signature check is reached
    /// too.
    static func mutate(_ input: [UInt8], seed: UInt64, plain: FuzzTarget.PlainMutator) -> [UInt8] {
        var mutator = TokenMutator(seed: seed)
        var segments = Segments(input)
        guard segments.texts.count == 3, mutator.below(4) != 0 else {
            return mutator.below(2) == 0 ? mutator.edited(input) : plain(input, FuzzTarget.introspection.maximumBytes)
        }
        segments.change(mutator.below(4) == 0 ? 0 : 1) { mutator.edited($0) }
        guard mutator.below(4) != 0 else { return segments.joined }
        return sign(Array(segments.texts[..<2]))
    }
}
