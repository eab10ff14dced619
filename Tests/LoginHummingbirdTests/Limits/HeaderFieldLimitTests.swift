// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
import HummingbirdCore
import LoginHummingbird
import LoginTokens
import Testing

/// The limits of the head of a request.
@Suite struct HeaderFieldLimitTests {
    private static func decoder(_ bytes: Int?) -> HTTP1Channel.Configuration.DecoderConfiguration {
        var limits = ConnectionLimits()
        if let bytes { limits.headerFieldBytes = bytes }
        return HTTP1Channel.Configuration.guarded(by: limits).httpDecoder
    }

    @Test func `a field has space for a token of the default size, and the head for 16 KiB more`() {
        let decoder = Self.decoder(nil)
        #expect(decoder.maxHeaderFieldSize == Limits.tokenBytes + 1024)
        #expect(decoder.maxHeaderListSize == decoder.maxHeaderFieldSize + 16 * 1024)
        #expect(decoder.maxHeaderFieldCount == 100)
    }

    @Test(arguments: [
        (66_560, 66_560), (1024, 1024), (131_072, 131_072), (0, 1024), (Int.min, 1024), (131_073, 131_072),
        (Int.max, 131_072),
    ])
    func `the size of a field is the configured one, within 1 KiB to 128 KiB`(_ configured: Int, _ expected: Int) {
        let decoder = Self.decoder(configured)
        #expect(decoder.maxHeaderFieldSize == expected && decoder.maxHeaderListSize == expected + 16 * 1024)
    }
}
#endif
