// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import LoginCrypto
internal import Testing

/// The end of a process that has used libcrypto.
@Suite struct OpenSSLAtExitTests {
    @Test func `libcrypto still works after its exit handler would have run`() async {
        await #expect(processExitsWith: .exitCode(7)) {
            // Handlers run in reverse order: this one would run after libcrypto's own.
            atexit { _exit(randomBytes(count: 16).count == 16 ? 7 : 1) }
            _ = randomBytes(count: 16)
            exit(1)
        }
    }
}
