// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import HostileInput

@testable internal import LoginTokens

extension FuzzTarget {
    /// DPoP proofs, and the other texts of a request that prove possession: nothing traps, texts are safe to log, and a
    /// proof is accepted only if its signature is genuine, and only once.
    static let proof = FuzzTarget(
        "proof",
        maximumBytes: Limits.tokenBytes + 1024,
        seeds: { _ in ProofTarget.seeds },
        mutate: { input, seed, plain in ProofTarget.mutate(input, seed: seed, plain: plain) },
        run: { input in ProofTarget.shared.run(input) }
    )
}

/// A verifier's policy under attack, with the requests of the examples in RFC 9449.
private struct ProofTarget {
    static let shared = ProofTarget()
    /// The time of the examples in RFC 9449, in seconds since 1970.
    static let now = 1_562_262_618.0
    static let token = "Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU"
    static let tokenHash = "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo"

    /// The two requests of the examples (RFC 9449 §5 and §7.1).
    static let requests: [(method: String, url: String, token: String?)] = [
        ("POST", "https://server.example.com/token", nil),
        ("GET", "https://resource.example.org/protectedresource", token),
    ]

    private let policy: DPoPPolicy
    private let thumbprint: String
    private let known = Set(examples)
    private let knownKeys = KnownProofKeys()

    init() {
        do {
            policy = try DPoPPolicy(allowPublishedTestKeys: true)
            let key = try JSONWebKey(json: Reference.issuerA.publicKey, allowPublishedTestKeys: true)
            thumbprint = key.thumbprint
        } catch {
            fatalError("cannot set up: \(error)")
        }
    }

    func run(_ input: [UInt8]) {
        let text = String(decoding: input, as: UTF8.self)
        let bytes = Array(text.utf8)
        for (method, url, token) in Self.requests {
            // Without a token, there is nothing that the proof is bound to.
            let bindings = [thumbprint, "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"].prefix(token == nil ? 1 : 2)
            for jkt in bindings {
                let request = DPoPRequest(method: method, url: url, proofs: [text])
                let confirmation = TokenConfirmation(keyThumbprint: jkt, certificateThumbprint: nil)
                tryProof(request, token.map { PresentedToken(text: $0, confirmation: confirmation) }, bytes)
            }
        }
        tryURL(text)
        tryCertificate { () throws(TokenRefusal) in try ClientCertificate(escapedPEM: text) }
        tryCertificate { () throws(TokenRefusal) in try ClientCertificate(clientCertField: text) }
        if let claims = try? Claims(bytes) { expectShowable("\(claims.confirmation)") }
    }

    private func tryProof(_ request: DPoPRequest, _ token: PresentedToken?, _ bytes: [UInt8]) {
        var reports: [CheckReport] = []
        let observer = { (report: CheckReport) in
            reports.append(report)
            expectShowable(report.detail)
        }
        var log = CheckLog(observer: observer, steps: Check.inProofOrder)
        do throws(TokenRefusal) {
            let unused = try policy.check(
                request,
                token: token,
                now: Self.now,
                knownKeys: knownKeys,
                log: &log
            )
            log.pass(.singleUse, "not part of this target")
            expectGenuine(unused.proof, bytes)
            var proofs = UsedProofs(capacity: 2)
            expect(proofs.use(unused.digest, until: unused.expiry, now: Self.now) == .first, "a proof is used at first")
            let second = proofs.use(unused.digest, until: unused.expiry, now: unused.expiry - 0.001)
            expect(second == .replayed, "a proof is accepted twice")
            expect(reports.allSatisfy { $0.outcome != .fail }, "a proof was accepted although a check failed")
        } catch {
            log.fail(.refused(error))
            expect(VerificationCode.possession.contains(error.code), "a code is unknown")
            expect(reports.count { $0.outcome == .fail } == 1, "a proof was not refused by exactly one check")
            let hidden: [[UInt8]] = Segments(bytes).texts.suffix(2) + [bytes]
            expectShowable(error.description, hiding: hidden)
            expectShowable(error.publicMessage, hiding: hidden)
        }
        expect(reports.map(\.check) == Check.inProofOrder, "the checks are reported in another order")
    }

    /// Expects that the proof is an example, or that the reference has signed it.
    private func expectGenuine(_ proof: DPoPProof, _ bytes: [UInt8]) {
        let segments = Segments(bytes)
        guard proof.keyThumbprint == thumbprint, proof.algorithm == .rs256, let signature = segments.decoded(2) else {
            expect(known.contains(bytes), "an unsigned proof was accepted")
            return
        }
        let message = Array(bytes.prefix(bytes.count - segments.texts[2].count - 1))
        expect(Reference.issuerA.isValid(signature, of: message), "a proof was accepted that the reference refuses")
    }

    private func tryURL(_ text: String) {
        guard let url = try? TargetURI(text) else { return }
        expect((try? TargetURI(url.description)) == url, "normalizing a URL again changes it")
    }

    private func tryCertificate(_ read: () throws(TokenRefusal) -> ClientCertificate) {
        do throws(TokenRefusal) {
            expect(try read().thumbprint.utf8.count == 43, "a thumbprint has another length")
        } catch {
            expect(error.code == .certificateMalformed, "a code is unknown")
            expectShowable(error.description)
        }
    }
}

extension ProofTarget {
    /// The signed examples of RFC 9449: Figure 2 (§4.1) and Figure 13 (§7.1).
    private static let examples: [[UInt8]] = {
        let header = """
            eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklDUkRZOXpDa0Rs\
            cEJoRjQyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JEQSIsImNydiI6IlAtMjU2\
            In19
            """
        let token = """
            eyJqdGkiOiItQndDM0VTYzZhY2MybFRjIiwiaHRtIjoiUE9TVCIsImh0dSI6Imh0dHBzOi8vc2VydmVyLmV4YW1wbGUuY29tL3Rva2VuIiwi\
            aWF0IjoxNTYyMjYyNjE2fQ.2-GxA6T8lP4vfrg8v-FdWP0A0zdrj8igiMLvqRMUvwnQg4PtFLbdLXiOSsX0x7NVY-FNyJK70nfbV37xRZT3Lg
            """
        let resource = """
            eyJqdGkiOiJlMWozVl9iS2ljOC1MQUVCIiwiaHRtIjoiR0VUIiwiaHR1IjoiaHR0cHM6Ly9yZXNvdXJjZS5leGFtcGxlLm9yZy9wcm90ZWN0\
            ZWRyZXNvdXJjZSIsImlhdCI6MTU2MjI2MjYxOCwiYXRoIjoiZlVIeU8ycjJaM0RaNTNFc05yV0JiMHhXWG9hTnk1OUlpS0NBcWtzbVFFbyJ9.\
            2oW9RP35yRqzhrtNP86L-Ey71EOptxRimPPToA1plemAgR6pxHF8y6-yqyVnmcw6Fy1dqd-jfxSYoMxhAJpLjA
            """
        return ["\(header).\(token)", "\(header).\(resource)"].map { Array($0.utf8) }
    }()

    /// The header of a proof by the reference's key.
    private static let header = Array(#"{"typ":"dpop+jwt","alg":"RS256","jwk":\#(Reference.issuerA.publicKey)}"#.utf8)

    /// Proofs of both requests by the reference's key.
    private static let signed: [[UInt8]] = requests.map { request in
        let ath = request.token == nil ? "" : #","ath":"\#(tokenHash)""#
        let claims = #"{"jti":"a","htm":"\#(request.method)","htu":"\#(request.url)","iat":1562262618\#(ath)}"#
        return sign([Segments.encode(header), Segments.encode(Array(claims.utf8))])
    }

    static let seeds: [[UInt8]] =
        examples + signed
        + [
            "", "https://API.example:443/a/%2e%2e/%7eb?c#d", "http://[::1]:80", ":MAA=:",
            "-----BEGIN%20CERTIFICATE-----%0AMAA%3D%0A-----END%20CERTIFICATE-----%0A",
            #"{"cnf":{"jkt":"0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I","x5t#S256":""}}"#, #"{"cnf":{"jwk":{}}}"#,
        ].map { Array($0.utf8) }

    /// Returns the token of two segments, signed by the reference.
    private static func sign(_ segments: [[UInt8]]) -> [UInt8] {
        let message = Array(segments.joined(separator: [UInt8(ascii: ".")]))
        return message + [UInt8(ascii: ".")] + Segments.encode(Reference.issuerA.signature(of: message))
    }

    /// Changes bytes, parts that tokens are made of, or the claims; signs half of the latter, so that the code behind the
    /// signature check is reached too.
    static func mutate(_ input: [UInt8], seed: UInt64, plain: FuzzTarget.PlainMutator) -> [UInt8] {
        var mutator = TokenMutator(seed: seed)
        let other = (examples + signed)[mutator.below(examples.count + signed.count)]
        var segments = Segments(mutator.below(4) == 0 ? other : input)
        switch mutator.below(4) {
        case 0: return plain(input, FuzzTarget.proof.maximumBytes)
        case 1: return mutator.mutate(input, other: other).text
        case 2: segments.change(0) { mutator.edited($0) }
        default: segments.change(min(1, segments.texts.count - 1)) { mutator.edited($0) }
        }
        guard segments.texts.count == 3, mutator.below(2) == 0 else { return segments.joined }
        if mutator.below(4) != 0 { segments.texts[0] = Segments.encode(header) }
        return sign(Array(segments.texts[..<2]))
    }
}
