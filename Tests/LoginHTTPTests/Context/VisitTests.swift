// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import Testing
@testable import LoginHTTP

@Suite struct VisitTests {
    /// Every asynchronous function on the way of a request may keep a copy, for as long as its connection is open.
    @Test func `a request without a session and a token takes few bytes in a frame`() {
        #expect(MemoryLayout<Visit>.size <= 320)
    }
}
#endif
