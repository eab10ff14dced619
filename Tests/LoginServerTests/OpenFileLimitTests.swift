// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
import Testing

@testable import LoginServer

@Suite struct OpenFileLimitTests {
    @Test func `the limit of open files is never lowered, and raised at most to what the system permits`() {
        let current = OpenFileLimit.raise(to: 0)
        #expect(OpenFileLimit.raise(to: 1) == current)
        let most = OpenFileLimit.raise(to: current + 1)
        #expect(most == current + 1 || most == current)
        #expect(OpenFileLimit.raise(to: 0) == most)
    }
}
#endif
