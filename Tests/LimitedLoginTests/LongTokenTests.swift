// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LimitedLogin
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

#if canImport(Glibc)
internal import Glibc
#endif

/// A token of 100 MB that lies in memory: whoever refuses it reads its beginning at most, and so copies none of the rest.
@Suite struct LongTokenTests {
    #if canImport(Glibc)
    /// What lies behind the beginning is made unreadable, so that the kernel ends the process of whoever reads it.
    @Test(.rule("T-080", "T-084"))
    func `every door refuses a token of 100 MB, and reads 64 KiB of it at most`() async {
        await #expect(processExitsWith: .success) {
            for ending: Character in ["A", "."] {
                let token = try LongToken(ending: ending)
                try await token.tryEveryDoor()
            }
        }
    }

    /// Without this the other test would show nothing.
    @Test
    func `who reads further is ended`() async {
        await #expect(processExitsWith: .signal(SIGSEGV)) {
            // Swift reports crashes, and this one is wanted.
            signal(SIGSEGV, SIG_DFL)
            let token = try LongToken(ending: "A")
            print(token.text.utf8.dropFirst(LongToken.readableBytes).prefix(2 * 4096).reduce(0) { $0 ^ $1 })
        }
    }
    #endif
}

#if canImport(Glibc)
/// A good token whose signature does not end, of which all but the first 64 KiB cannot be read.
private struct LongToken {
    static let bytes = 100_000_000
    static let readableBytes = 64 * 1024

    let text: String
    private let bench: FacebookBench

    /// - Parameter ending: What follows the token, again and again.
    /// - Throws: What is in the way of hiding it.
    init(ending: Character) throws {
        let bench = try FacebookBench()
        text = bench.token() + String(repeating: ending, count: Self.bytes)
        self.bench = bench
        let hidden = unsafe text.utf8.withContiguousStorageIfAvailable { bytes in
            unsafe Self.hide(UnsafeRawBufferPointer(bytes))
        }
        // A page at each end is not the text's alone, or not wholly.
        try #require((hidden ?? 0) >= text.utf8.count - Self.readableBytes - 4096)
    }

    /// Has the kernel end whoever reads what lies behind the beginning.
    ///
    /// - Returns: How many bytes are hidden; the last page stays as it is, for it may be others' too.
    private static func hide(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard let start = bytes.baseAddress else { return 0 }
        let page = sysconf(Int32(_SC_PAGESIZE))
        let first = (UInt(bitPattern: start) + UInt(readableBytes)) / UInt(page) * UInt(page)
        let end = (UInt(bitPattern: start) + UInt(bytes.count)) / UInt(page) * UInt(page)
        let status = unsafe mprotect(UnsafeMutableRawPointer(bitPattern: first), Int(end - first), PROT_NONE)
        return status == 0 ? Int(end - first) : 0
    }

    /// Has the token refused at every public door, and everything said about it that a refusal says.
    func tryEveryDoor() async throws {
        let verifier = TokenVerifier(
            policy: try TokenPolicy(provider: .facebook, audiences: [bench.issuer.audience]),
            keys: bench.keys,
            clock: bench.issuer.clock
        )
        let nonce = NonceExpectation.exactly(FacebookBench.nonce)
        await expectLong { () async throws(VerificationError) in _ = try await verifier.verify(text, nonce: nonce) }
        await expectLong { () async throws(VerificationError) in
            _ = try await bench.verifier.verify(text, nonce: nonce)
        }
        expectLong { () throws(TokenRefusal) in
            _ = try verifier.verify(text, nonce: nonce, with: bench.keys) { report in
                #expect(report.detail.utf8.count < 300)
            }
        }
        expectLong { () throws(TokenRefusal) in
            _ = try bench.verifier.verify(text, nonce: nonce, with: bench.keys)
        }
        expectLong { () throws(TokenRefusal) in _ = try UnverifiedToken(inspecting: text) }
        expectLong { () throws(TokenRefusal) in _ = try CompactJWS(text) }
    }

    private func expectLong(_ door: () throws(TokenRefusal) -> Void) {
        do throws(TokenRefusal) {
            try door()
            Issue.record("accepted")
        } catch {
            expectShort(error)
        }
    }

    private func expectLong(_ door: () async throws(VerificationError) -> Void) async {
        do throws(VerificationError) {
            try await door()
            Issue.record("accepted")
        } catch {
            guard case .refused(let refusal) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(error.description == refusal.description && error.publicMessage == refusal.publicMessage)
            expectShort(refusal)
        }
    }

    private func expectShort(_ refusal: TokenRefusal) {
        #expect(refusal.code == .tooLarge)
        // The command line shows it; what was sent is a token, and nothing else.
        #expect(refusal.recognizedAs == nil)
        for shown in [refusal.description, refusal.debugDescription, refusal.publicMessage, "\(refusal)"] {
            #expect(shown.utf8.count < 300)
        }
    }
}
#endif
