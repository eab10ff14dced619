// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginKeys
import Testing

@Suite struct KeyCacheConfigurationTests {
    @Test func `what it begins with keeps the numbers that the documents promise`() {
        let configuration = KeyCacheConfiguration()
        #expect(configuration.lifetime == .seconds(300) ... .seconds(86_400))
        #expect(configuration.staleLimit == .seconds(86_400))
        #expect(configuration.cooldown == .seconds(30))
        #expect(configuration.retry == .seconds(1) ... .seconds(300))
        #expect(configuration.fetchDeadline == .seconds(5))
        #expect(!configuration.allowsLoopbackHTTP)
    }
}
