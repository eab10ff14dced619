// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

@testable internal import LoginTokens

/// Parses the form of a token as `CompactJWS` does, step by step on copies: slow and simple.
///
/// The header's parameters are left out: `JOSEHeader` parses them from the bytes of either reader.
struct ClearCompactJWS {
    let header: [UInt8]
    let payload: [UInt8]
    let signature: [UInt8]
    let signingInput: [UInt8]

    init(_ text: String) throws(TokenRefusal) {
        let bytes = Array(text.utf8)
        guard bytes.count <= Limits.tokenBytes else { throw TokenRefusal(.tooLarge, "") }
        let segments = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard segments.count != 5 else { throw TokenRefusal(.encryptedToken, "") }
        guard segments.count == 3, !segments[0].isEmpty, !segments[2].isEmpty else { throw TokenRefusal(.segments, "") }
        guard segments[0].count * 3 / 4 <= Limits.headerBytes, segments[2].count * 3 / 4 <= Limits.signatureBytes else {
            throw TokenRefusal(.tooLarge, "")
        }
        let decoded = segments.map { ClearBase64URL.decode(Array($0)) }
        guard let header = decoded[0], let payload = decoded[1], let signature = decoded[2] else {
            throw TokenRefusal(.encoding, "")
        }
        self.header = header
        self.payload = payload
        self.signature = signature
        self.signingInput = Array(segments[0] + [UInt8(ascii: ".")] + segments[1])
    }
}
