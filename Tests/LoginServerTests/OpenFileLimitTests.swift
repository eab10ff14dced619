// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
import Testing

@testable import LoginServer

@Suite struct OpenFileLimitTests {
    /// Tests/service/connections.py shows that it is raised.
    @Test func `the limit of open files is never lowered`() {
        let current = OpenFileLimit.raise(to: 0)
        #expect(OpenFileLimit.raise(to: current - 1) == current)
        #expect(OpenFileLimit.raise(to: 0) == current)
    }
}
#endif
