// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginKeys
import LoginTesting
import LoginTokens
import Testing

@Suite struct KeyCacheConfigurationTests {
    @Test func `the defaults are the documented values`() {
        let configuration = KeyCacheConfiguration()
        #expect(configuration.lifetime == .seconds(300) ... .seconds(86_400))
        #expect(configuration.staleLimit == .seconds(86_400))
        #expect(configuration.cooldown == .seconds(30))
        #expect(configuration.retry == .seconds(1) ... .seconds(300))
        #expect(configuration.fetchDeadline == .seconds(5))
    }

    @Test(arguments: [
        ("http://127.0.0.1:9400", true, true), ("http://127.0.0.1:9400", false, false),
        ("http://issuer.example", true, false),
    ])
    func `http is allowed on this machine only for a provider that permits it`(
        issuer: String,
        says: Bool,
        isAllowed: Bool
    ) {
        var other = Provider.openID(issuers: ["http://127.0.0.1:9401"])
        other.allowsLoopbackHTTP = true
        var provider = Provider.openID(issuers: [issuer])
        if says { provider.allowsLoopbackHTTP = true }
        let cache = try? KeyCache(providers: [other, provider], transport: StubTransport())
        #expect((cache != nil) == isAllowed)
    }

    private func error(_ change: (inout KeyCacheConfiguration) -> Void) -> String? {
        var configuration = KeyCacheConfiguration()
        change(&configuration)
        do throws(KeyCacheError) {
            _ = try KeyCache(providers: [.facebook], transport: StubTransport(), configuration: configuration)
            return nil
        } catch {
            return error.description
        }
    }

    @Test(arguments: ["keys.example", "127.0.0.1", "::1", "a_b.example", "localhost"])
    func `a key set host is accepted as URLs contain it`(host: String) {
        #expect(error { $0.keySetHosts = [host] } == nil)
    }

    @Test(arguments: ["Keys.example", "https://keys.example", "keys.example:8443", "keys.example/", "", "[::1]", "a b"])
    func `an impossible key set host is refused`(host: String) {
        #expect(error { $0.keySetHosts = ["keys.example", host] }?.contains("keySetHosts") == true)
    }

    @Test func `numbers are accepted within their limits and refused beyond`() {
        #expect(error { $0.lifetime = .seconds(1) ... .seconds(7 * 86_400) } == nil)
        #expect(error { $0.lifetime = .milliseconds(999) ... .seconds(300) }?.contains("lifetime") == true)
        #expect(error { $0.lifetime = .seconds(1) ... .seconds(7 * 86_400 + 1) }?.contains("lifetime") == true)
        #expect(error { $0.staleLimit = .zero } == nil)
        #expect(error { $0.staleLimit = .seconds(-1) }?.contains("staleLimit") == true)
        #expect(error { $0.staleLimit = .seconds(7 * 86_400 + 1) }?.contains("staleLimit") == true)
        #expect(error { $0.cooldown = .seconds(1) } == nil)
        #expect(error { $0.cooldown = .zero }?.contains("cooldown") == true)
        #expect(error { $0.cooldown = .seconds(3601) }?.contains("cooldown") == true)
        #expect(error { $0.retry = .milliseconds(100) ... .seconds(3600) } == nil)
        #expect(error { $0.retry = .milliseconds(99) ... .seconds(1) }?.contains("retry") == true)
        #expect(error { $0.retry = .seconds(1) ... .seconds(3601) }?.contains("retry") == true)
        #expect(error { $0.fetchDeadline = .seconds(60) } == nil)
        #expect(error { $0.fetchDeadline = .seconds(61) }?.contains("fetchDeadline") == true)
        #expect(error { $0.fetchDeadline = .zero }?.contains("fetchDeadline") == true)
    }
}
