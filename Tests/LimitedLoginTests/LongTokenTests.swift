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

/// A token of 100 MB in memory: a refusal reads at most its beginning, and so cannot copy the rest.
@Suite struct LongTokenTests {
    #if canImport(Glibc)
    /// The memory after the beginning is made unreadable, so that reading it kills the process.
    @Test(.rule("T-080", "T-084"))
    func `every method refuses a token of 100 MB and reads at most 64 KiB of it`() async {
        await #expect(processExitsWith: .success) {
            for ending: Character in ["A", "."] {
                let token = try LongToken(ending: ending)
                try await token.tryEveryDoor()
            }
        }
    }

    /// This test shows that the other one can fail.
    @Test
    func `reading beyond the readable part crashes the process`() async {
        await #expect(processExitsWith: .signal(SIGSEGV)) {
            // Removes Swift's crash handler, because this crash is expected.
            signal(SIGSEGV, SIG_DFL)
            let token = try LongToken(ending: "A")
            print(token.text.utf8.dropFirst(LongToken.readableBytes).prefix(2 * 4096).reduce(0) { $0 ^ $1 })
        }
    }
    #endif
}

#if canImport(Glibc)
/// A valid token whose signature is far too long, of which only the first 64 KiB are readable.
private struct LongToken {
    static let bytes = 100_000_000
    static let readableBytes = 64 * 1024

    let text: String
    private let bench: FacebookBench

    /// - Parameter ending: The character that follows the token, repeated.
    /// - Throws: An error if the memory cannot be protected.
    init(ending: Character) throws {
        let bench = try FacebookBench()
        text = bench.token() + String(repeating: ending, count: Self.bytes)
        self.bench = bench
        let hidden = unsafe text.utf8.withContiguousStorageIfAvailable { bytes in
            unsafe Self.hide(UnsafeRawBufferPointer(bytes))
        }
        // The pages at both ends may be shared with other memory.
        try #require((hidden ?? 0) >= text.utf8.count - Self.readableBytes - 4096)
    }

    /// Makes the memory after the beginning unreadable.
    ///
    /// - Returns: The number of protected bytes; the last page stays as it is, because it may be shared.
    private static func hide(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard let start = bytes.baseAddress else { return 0 }
        let page = sysconf(Int32(_SC_PAGESIZE))
        let first = (UInt(bitPattern: start) + UInt(readableBytes)) / UInt(page) * UInt(page)
        let end = (UInt(bitPattern: start) + UInt(bytes.count)) / UInt(page) * UInt(page)
        let status = unsafe mprotect(UnsafeMutableRawPointer(bitPattern: first), Int(end - first), PROT_NONE)
        return status == 0 ? Int(end - first) : 0
    }

    /// Expects that every public entry point refuses the token, with a short error text.
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
        // The command prints this value; the input was a token, and nothing else was recognized.
        #expect(refusal.recognizedAs == nil)
        for shown in [refusal.description, refusal.debugDescription, refusal.publicMessage, "\(refusal)"] {
            #expect(shown.utf8.count < 300)
        }
    }
}
#endif
