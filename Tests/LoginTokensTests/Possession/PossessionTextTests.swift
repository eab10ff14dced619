// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
internal import TestSupport
internal import Testing

@testable internal import LoginTokens

/// The texts of refused proofs.
@Suite struct PossessionTextTests {
    private let bench = ProofBench()

    @Test(.rule("T-203"))
    func `each code of possession is unique, and explained by sentences`() {
        let codes = VerificationCode.possession
        #expect(Set(codes).count == codes.count && Set(codes).isDisjoint(with: VerificationCode.refusals))
        #expect(codes.allSatisfy { $0.explanation.hasSuffix(".") && $0.explanation.utf8.count < 160 })
        #expect(codes.allSatisfy { $0.rawValue.allSatisfy { $0 == "-" || ("a"..."z").contains($0) } })
        #expect(Set(VerificationCode.all).isSuperset(of: codes))
    }

    @Test(.rule("T-203"), arguments: ProofFault.allCases.filter { ![.proof, .nonce, .singleUse].contains($0) })
    func `no text of a refusal contains the proof, its ID, its hash of the token, or the token`(fault: ProofFault) async
    {
        let text = fault.changed(
            bench.proof {
                $0.claims["jti"] = "the-secret-id-of-the-proof"
                fault.change(&$0)
            }
        )
        var texts: [String] = []
        let refusal = await expectRefused(fault.found.code) { () async throws(VerificationError) in
            try await bench.verify(text) { texts.append($0.detail) }
        }
        if let refusal { texts += ["\(refusal)", refusal.publicMessage, String(reflecting: refusal)] }
        for shown in texts {
            #expect(!shown.contains("secret-id") && !shown.contains(bench.token))
            for segment in text.split(separator: ".").suffix(2) where segment.utf8.count > 20 {
                #expect(!shown.contains(segment))
            }
            #expect(shown.utf8.allSatisfy { (0x20..<0x7F).contains($0) } && shown.utf8.count < 1000)
        }
    }

    @Test(.rule("T-203"))
    func `a description names what was refused`() async {
        let method = await bench.expectRefusal(.proofMethod) { $0.claims["htm"] = "PUT\u{7}" }
        #expect(method?.description == #"proof refused: proof-method: htm is "PUT\u{7}", expected "GET""#)
        let url = await bench.expectRefusal(.proofURL) { $0.claims["htu"] = "https://API.example:443/v1/./you?a=b" }
        let expected = #"htu is "https://api.example/v1/you", expected "https://api.example/v1/me""#
        #expect(url?.description == "proof refused: proof-url: \(expected)")
        let malformed = expectRefusal(.certificateMalformed) { try ClientCertificate(clientCertField: "") }
        #expect(malformed?.description.hasPrefix("certificate refused: certificate-malformed: ") == true)
        let missing = expectRefusal(.proofRequired) { try bench.confirmation.check() }
        #expect(missing?.publicMessage.hasPrefix("proof-required: A DPoP proof is required.") == true)
    }

    @Test(.rule("T-203"))
    func `descriptions of values contain no content`() async throws {
        let text = bench.proof()
        let proof = try #require(try await bench.verify(text))
        let request = DPoPRequest(method: "GET", url: ProofBench.url + "?secret", proofs: [text])
        let ledger = InMemoryDPoPLedger()
        let digest = ProofDigest(keyThumbprint: "key", id: "id")
        for value in ["\(proof)", "\(request)", "\(ledger)", "\(digest)", "\(bench.confirmation)"] {
            #expect(!value.contains("secret") && !value.contains(text))
        }
        #expect("\(proof)" == "DPoP proof, ES256, key \(proof.keyThumbprint), verified")
    }
}
