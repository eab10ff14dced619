// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import CMachine
import LimitedLogin
import LoginCase
import LoginTokens
import Measuring

/// A token of 100 MB that lies in memory: what its refusal reads and copies.
///
/// All but the first pages are made unreadable. Whoever touches them is ended by the kernel, so what ends well has read no more.
struct LongToken {
    private static let bytes = 100_000_000
    private static let limit = 64 * 1024

    private let login: LoginCase
    private let text: String

    /// A good token and an endless signature.
    init(_ login: LoginCase) {
        self.login = login
        text = login.token + String(repeating: "A", count: Self.bytes - login.token.utf8.count)
    }

    func rows() throws -> [Row] {
        let readable = try setReadable(false)
        let heap = try HeapUse.during(refuse)
        _ = try setReadable(true)
        let goal = Goal.atMost(Double(Self.limit))
        var read = Row("a token of 100 MB: refusal may read at most", amount: Double(readable), of: "bytes", goal: goal)
        read.note = "everything else was unreadable"
        var copied = Row("a token of 100 MB: refusal allocates", amount: heap.bytes, of: "bytes", goal: goal)
        copied.note = "by three doors together"
        return [read, copied]
    }

    /// Every door must refuse it for its length.
    private func refuse() throws {
        try refuse { () throws(TokenRefusal) in
            use(try login.limitedLogin.verify(text, nonce: .exactly(login.nonce), with: login.keys))
        }
        try refuse { () throws(TokenRefusal) in use(try CompactJWS(text)) }
        try refuse { () throws(TokenRefusal) in use(try UnverifiedToken(inspecting: text)) }
    }

    private func refuse(_ body: () throws(TokenRefusal) -> Void) throws {
        do throws(TokenRefusal) { try body() } catch {
            guard error.code == .tooLarge else { throw NotMeasurable("the long token is refused as \(error.code)") }
            return
        }
        throw NotMeasurable("the long token is accepted")
    }

    /// Hides what lies beyond the first pages, or shows it again; how many bytes are readable then.
    private func setReadable(_ isReadable: Bool) throws -> Int {
        // Two pages less: the first and the last may be in part the text's, and stay as they are.
        let kept = Self.limit - 2 * 4096
        let hidden = unsafe text.utf8.withContiguousStorageIfAvailable { bytes in
            guard let start = bytes.baseAddress else { return 0 }
            return unsafe CMachine_protect(start + kept, bytes.count - kept, isReadable ? 1 : 0)
        }
        guard let hidden, hidden > 0 else { throw NotMeasurable("the text does not lie in memory of its own") }
        return isReadable ? text.utf8.count : text.utf8.count - hidden
    }
}
