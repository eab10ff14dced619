// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
internal import LoginText
internal import TestSupport
internal import Testing

@testable internal import LoginTokens

/// The claim `cnf`, and the certificate that a proxy passes.
@Suite struct TokenConfirmationTests {
    /// The certificate of RFC 8705, appendix A.
    private let base64 =
        "MIIBBjCBrAIBAjAKBggqhkjOPQQDAjAPMQ0wCwYDVQQDDARtdGxzMB4XDTE4MTAxODEyMzcwOVoXDTIyMDUwMjEyMzcwOVowDzENMAsGA1UEAwwE"
        + "bXRsczBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABNcnyxwqV6hY8QnhxxzFQ03C7HKW9OylMbnQZjjJ/Au08/coZwxS7LfA4vOLS9WuneIXhbGG"
        + "WvsDSb0tH6IxLm8wCgYIKoZIzj0EAwIDSQAwRgIhAP0RC1E+vwJD/D1AGHGzuri+hlV/PpQEKTWUVeORWz83AiEA5x2eXZOVbUlJSGQgjwD5vaUa"
        + "KlLR50Q2DmFfQj1L+SY="
    private let thumbprint = "A4DtL2JmUMhAsvJj5tKyn64SqzmuXbMrJa0n761y5v0"
    private let other = "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"

    private var certificate: ClientCertificate {
        get throws(TokenRefusal) { try ClientCertificate(clientCertField: ":\(base64):") }
    }

    /// The PEM of the certificate, with 64 characters in a line.
    private func pem(newline: String = "\n") -> String {
        let characters = Array(base64)
        let lines = stride(from: 0, to: characters.count, by: 64).map { String(characters[$0...].prefix(64)) }
        return (["-----BEGIN CERTIFICATE-----"] + lines + ["-----END CERTIFICATE-----", ""]).joined(separator: newline)
    }

    private func confirmation(_ value: TestJSON?) throws -> TokenConfirmation {
        try Bench().verify { $0.claims["cnf"] = value }.confirmation
    }

    // MARK: The claim

    @Test(.rule("T-201"))
    func `cnf is read as the thumbprints of a key and of a certificate`() throws {
        #expect(try confirmation(nil) == .unbound)
        #expect(try confirmation(["jkt": .string(other)]).keyThumbprint == other)
        let both = try confirmation(["jkt": .string(other), "x5t#S256": .string(thumbprint), "kid": "ignored"])
        #expect(both.keyThumbprint == other && both.certificateThumbprint == thumbprint && both.isBound)
        #expect(both == TokenConfirmation(keyThumbprint: other, certificateThumbprint: thumbprint))
    }

    // The hash in the example of RFC 8705 §3.1 is not canonical base64url: the two last bits are not zero.
    @Test(
        .rule("T-201"),
        arguments: [
            .null, [:], [], "jkt", ["jwk": ["kty": "EC"]], ["kid": "1"], ["jkt": ""], ["jkt": 1], ["jkt": .null],
            ["x5t#S256": "bwcK0esc3ACC3DB2Y5_lESsXE8o9ltc05O89jdN-dg2"], ["jkt": "AAAA"],
            ["x5t#S256": "A4DtL2JmUMhAsvJj5tKyn64SqzmuXbMrJa0n761y5v0="], ["x5t#S256": []],
            ["jkt": "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I", "x5t#S256": ""],
        ] as [TestJSON]
    )
    func `a token whose cnf cannot be checked is refused, with and without a proof and a certificate`(
        value: TestJSON
    ) throws {
        let confirmation = try confirmation(value)
        #expect(confirmation.isBound && confirmation.keyThumbprint == nil)
        for certificate in [nil, try certificate] {
            expectRefusal(.confirmationUnsupported) { try confirmation.check(certificate: certificate) }
            for key in [nil, other] {
                expectRefusal(.confirmationUnsupported) {
                    try confirmation.check(keyThumbprint: key, certificate: certificate, isRequired: false)
                }
            }
        }
    }

    // MARK: The certificate

    @Test(.rule("T-202"))
    func `a token that is bound to a certificate is accepted with it, and refused without it or with another`() throws {
        let confirmation = try confirmation(["x5t#S256": .string(thumbprint)])
        try confirmation.check(certificate: certificate)
        expectRefusal(.certificateRequired) { try confirmation.check() }
        expectRefusal(.certificateBinding) {
            try confirmation.check(certificate: ClientCertificate(der: [0x30, 0]))
        }
    }

    @Test(.rule("T-202"))
    func `a token that is not bound is accepted with a certificate, unless it must be bound`() throws {
        try TokenConfirmation.unbound.check(certificate: certificate)
        try TokenConfirmation.unbound.check()
        expectRefusal(.proofRequired) {
            try TokenConfirmation.unbound.check(certificate: certificate, isRequired: true)
        }
        try confirmation(["x5t#S256": .string(thumbprint)]).check(certificate: certificate, isRequired: true)
    }

    @Test(.rule("T-202"))
    func `a token that is bound to a key and a certificate needs both`() async throws {
        var bench = ProofBench()
        let key = bench.prover.keyThumbprint
        bench.confirmation = TokenConfirmation(keyThumbprint: key, certificateThumbprint: thumbprint)
        let certificate = try certificate
        try await bench.verify(bench.proof(), certificate: certificate)
        await bench.expectRefusal(.certificateRequired) { _ in }
        await expectRefused(.proofRequired) { () async throws(VerificationError) in
            try await bench.verify(certificate: certificate)
        }
    }

    @Test(.rule("T-202"))
    func `a token that is bound to a certificate needs no proof, and is refused with one`() async throws {
        var bench = ProofBench()
        bench.confirmation = TokenConfirmation(keyThumbprint: nil, certificateThumbprint: thumbprint)
        let (certificate, text) = (try certificate, bench.proof())
        #expect(try await bench.verify(certificate: certificate) == nil)
        await expectRefused(.proofBinding) { () async throws(VerificationError) in
            try await bench.verify(text, certificate: certificate)
        }
    }

    @Test(.rule("T-197"))
    func `a proof that was verified without the token confirms nothing`() async throws {
        let bench = ProofBench()
        let alone = bench.prover.proof(method: "GET", url: ProofBench.url)
        let request = DPoPRequest(method: "GET", url: ProofBench.url, proofs: [alone])
        let proof = try await bench.verifier.verify(request)
        expectRefusal(.proofTokenHash) { try bench.confirmation.check(proof: proof) }
        try bench.confirmation.check(proof: await bench.verify(bench.proof()))
    }

    // MARK: Header fields

    @Test(.rule("T-202"))
    func `a certificate is read from percent-encoded PEM, as nginx and others write it`() throws {
        let pem = pem()
        let spellings = [
            PercentEncoding.encode(pem), PercentEncoding.encode(self.pem(newline: "\r\n")), pem,
            PercentEncoding.encode(String(pem.dropLast())),
            // Without the escapes of characters that may stand for themselves.
            pem.replacing("\n", with: "%0a").replacing(" ", with: "%20"),
        ]
        for text in spellings { #expect(try ClientCertificate(escapedPEM: text).thumbprint == thumbprint) }
    }

    @Test(.rule("T-202"))
    func `a text that is not the PEM of one certificate is refused`() {
        let (pem, escaped) = (pem(), PercentEncoding.encode(pem()))
        let texts = [
            "", "%", escaped + "%0", base64, PercentEncoding.encode(pem + pem),
            escaped.replacing("CERTIFICATE", with: "KEY"),
            pem.replacing("\n", with: ""), PercentEncoding.encode(" " + pem), "(null)",
            PercentEncoding.encode(pem.replacing("=", with: "")), PercentEncoding.encode(pem.replacing("+", with: " ")),
            "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----",
            "-----BEGIN CERTIFICATE-----\nMAAA\n-----END CERTIFICATE-----",
            String(repeating: "%41", count: 30_000),
        ]
        for text in texts { expectRefusal(.certificateMalformed) { try ClientCertificate(escapedPEM: text) } }
    }

    @Test(.rule("T-202"))
    func `a certificate is read from the Client-Cert header field`() throws {
        #expect(try certificate.thumbprint == thumbprint)
    }

    @Test(.rule("T-202"))
    func `a text that is not a byte sequence of one certificate is refused`() {
        let texts = [
            "", ":", "::", base64, ":\(base64)", "\(base64):", ": \(base64):", ":\(base64): ", ":\(base64):;a=1",
            ":\(base64):, :\(base64):", ":\(base64.dropLast()):", ":\(base64)=:", ":\(base64)\(base64):",
            ":\(base64.replacing("/", with: "_")):", ":MAAA:", ":MIAAAA==:", "\"\(base64)\"",
        ]
        for text in texts { expectRefusal(.certificateMalformed) { try ClientCertificate(clientCertField: text) } }
    }

    @Test(
        .rule("T-202"),
        arguments: [
            [], [0x30], [0x31, 0], [0x30, 1], [0x30, 0, 0], [0x30, 0x80, 0, 0], [0x30, 0x81, 1, 0],
            [0x30, 0x82, 0, 1, 0],
            [0x30, 0x83, 0, 0, 1, 0], [0x30, 0xFF],
        ] as [[UInt8]]
    )
    func `bytes that are not a single DER sequence are refused`(der: [UInt8]) {
        expectRefusal(.certificateMalformed) { try ClientCertificate(der: der) }
    }

    @Test(.rule("T-202"))
    func `a certificate of 16 KiB is accepted, and one of a byte more is refused`() throws {
        let (high, low) = (UInt8((Limits.certificateBytes - 4) >> 8), UInt8((Limits.certificateBytes - 4) & 0xFF))
        let longest: [UInt8] = [0x30, 0x82, high, low] + [UInt8](repeating: 0, count: Limits.certificateBytes - 4)
        _ = try ClientCertificate(der: longest)
        var longer = longest + [0]
        longer[3] += 1
        expectRefusal(.certificateMalformed) { try ClientCertificate(der: longer) }
    }
}
