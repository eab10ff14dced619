// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
internal import TestSupport
internal import Testing

@testable internal import LoginTokens

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The signed examples of RFC 9449, verified at their time.
@Suite(.rule("T-190")) struct RFC9449ExampleTests {
    private let key =
        "eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklDUkRZOXpDa0RscEJo"
        + "RjQyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JEQSIsImNydiI6IlAtMjU2In19"

    /// Figure 2 (§4.1) and Figure 5 (§5): the proof for the token endpoint.
    private var tokenProof: String {
        key
            + ".eyJqdGkiOiItQndDM0VTYzZhY2MybFRjIiwiaHRtIjoiUE9TVCIsImh0dSI6Imh0dHBzOi8vc2VydmVyLmV4YW1wbGUuY29tL3Rva2VuIiwi"
            + "aWF0IjoxNTYyMjYyNjE2fQ.2-GxA6T8lP4vfrg8v-FdWP0A0zdrj8igiMLvqRMUvwnQg4PtFLbdLXiOSsX0x7NVY-FNyJK70nfbV37xRZT3Lg"
    }

    /// Figure 13 (§7.1): the proof for a protected resource.
    private var resourceProof: String {
        key
            + ".eyJqdGkiOiJlMWozVl9iS2ljOC1MQUVCIiwiaHRtIjoiR0VUIiwiaHR1IjoiaHR0cHM6Ly9yZXNvdXJjZS5leGFtcGxlLm9yZy9wcm90ZWN0"
            + "ZWRyZXNvdXJjZSIsImlhdCI6MTU2MjI2MjYxOCwiYXRoIjoiZlVIeU8ycjJaM0RaNTNFc05yV0JiMHhXWG9hTnk1OUlpS0NBcWtzbVFFbyJ9."
            + "2oW9RP35yRqzhrtNP86L-Ey71EOptxRimPPToA1plemAgR6pxHF8y6-yqyVnmcw6Fy1dqd-jfxSYoMxhAJpLjA"
    }

    private let thumbprint = "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"

    private func verifier(at seconds: Double) -> DPoPVerifier {
        DPoPVerifier(
            ledger: InMemoryDPoPLedger(),
            clock: ManualClock(Date(timeIntervalSince1970: seconds))
        )
    }

    @Test func `the proof for a token endpoint is accepted at its time, and not a minute later`() async throws {
        let request = DPoPRequest(method: "POST", url: "https://server.example.com/token", proofs: [tokenProof])
        let proof = try await verifier(at: 1_562_262_616).verify(request)
        #expect(proof.keyThumbprint == thumbprint && proof.claims.tokenID == "-BwC3ESc6acc2lTc")
        await expectRefused(.proofTooOld) { () async throws(VerificationError) in
            try await verifier(at: 1_562_262_676).verify(request)
        }
    }

    @Test func `the proof for a protected resource is accepted with its token`() async throws {
        let confirmation = TokenConfirmation(keyThumbprint: thumbprint, certificateThumbprint: nil)
        let url = "https://resource.example.org/protectedresource"
        let request = DPoPRequest(method: "GET", url: url, proofs: [resourceProof])
        let verifier = verifier(at: 1_562_262_618)
        let token = "Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU"
        await expectRefused(.proofTokenHash) { () async throws(VerificationError) in
            try await verifier.verify(request, token: token + "x", confirmation: confirmation)
        }
        let proof = try await verifier.verify(request, token: token, confirmation: confirmation)
        #expect(proof?.keyThumbprint == thumbprint)
    }
}
