// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import CMachine
import LimitedLogin
import LoginCase
import LoginTokens
import Measuring

/// A token of 100 MB in memory, which measures how much of it a refusal reads and copies.
///
/// All pages but the first ones are made unreadable. Reading one of them kills the process, so a run that completes has
/// read no more.
struct LongToken {
    private static let bytes = 100_000_000
    private static let limit = 64 * 1024

    private let login: LoginCase
    private let text: String

    /// Creates a valid token whose signature is 100 MB too long.
    init(_ login: LoginCase) {
        self.login = login
        text = String(
            decoding: Array(login.token.utf8) + repeatElement(UInt8(ascii: "A"), count: Self.bytes),
            as: UTF8.self
        )
    }

    /// Passes the token to every entry point of the library.
    func rows() async throws -> [Row] {
        let readable = try setReadable(false)
        let heap = [
            try await heapUse { () async throws(VerificationError) in
                _ = try await login.limitedLogin.verify(text, nonce: .exactly(login.nonce))
            },
            try await heapUse { () async throws(VerificationError) in
                _ = try await login.verifier.verify(text, nonce: .exactly(login.nonce))
            },
            try await heapUse { () async throws(VerificationError) in
                try refusing { () throws(TokenRefusal) in
                    _ = try login.limitedLogin.verify(text, nonce: .exactly(login.nonce), with: login.keys)
                }
            },
            try await heapUse { () async throws(VerificationError) in
                try refusing { () throws(TokenRefusal) in _ = try CompactJWS(text) }
            },
            try await heapUse { () async throws(VerificationError) in
                try refusing { () throws(TokenRefusal) in _ = try UnverifiedToken(inspecting: text) }
            },
        ]
        _ = try setReadable(true)
        let goal = Goal.atMost(Double(Self.limit))
        var read = Row("a token of 100 MB: refusal can read at most", amount: Double(readable), of: "bytes", goal: goal)
        read.note = "the rest was unreadable; \(heap.count) entry points"
        let worst = heap.max { $0.bytes < $1.bytes }
        var copied = Row("a token of 100 MB: refusal allocates", amount: worst?.bytes ?? 0, of: "bytes", goal: goal)
        copied.note = "the worst of \(heap.count) entry points: \(worst?.description ?? "")"
        return [read, copied]
    }

    /// Returns the allocations of an entry point, which must refuse the token as `too-large`.
    private func heapUse(_ verify: () async throws(VerificationError) -> Void) async throws -> HeapUse {
        let before = HeapUse.now
        do throws(VerificationError) {
            try await verify()
        } catch {
            let use = HeapUse.now - before
            guard error.code == .tooLarge else { throw NotMeasurable("the long token is refused as \(error.code)") }
            return use
        }
        throw NotMeasurable("the long token is accepted")
    }

    private func refusing(_ body: () throws(TokenRefusal) -> Void) throws(VerificationError) {
        do throws(TokenRefusal) { try body() } catch { throw .refused(error) }
    }

    /// Makes the pages after the first ones unreadable, or readable again, and returns the number of readable bytes.
    private func setReadable(_ isReadable: Bool) throws -> Int {
        // Two pages less than the limit: the first and the last page may be shared with other memory and stay readable.
        let kept = Self.limit - 2 * 4096
        let hidden = unsafe text.utf8.withContiguousStorageIfAvailable { bytes in
            guard let start = bytes.baseAddress else { return 0 }
            return unsafe CMachine_protect(start + kept, bytes.count - kept, isReadable ? 1 : 0)
        }
        guard let hidden, hidden > 0 else { throw NotMeasurable("the text does not lie in memory of its own") }
        return isReadable ? text.utf8.count : text.utf8.count - hidden
    }
}
