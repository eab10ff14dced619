// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine && HTTPClient
internal import ArgumentParser
internal import Testing
@testable import verify_token

/// The options with which keys of `--keys-cache` were fetched.
@Suite struct KeyTrustTests {
    private static func trust(_ options: [String]) throws -> String { try KeyOptions.parse(options).trust }

    @Test func `keys that were cached with some options are used with no others`() throws {
        let place = "https://login.example/a"
        let options = [
            [], ["--keys", place], ["--keys", place + "?b"], ["--discovery-url", place], ["--discovery-issuer", place],
            ["--discovery-url", place, "--discovery-issuer", place], ["--follow-redirects"],
            ["--content-type", "text/plain"], ["--content-type", "missing"], ["--bearer-file", "token"],
            ["--bearer-file", "other"], ["--allow-network", "10.0.0.0/8"], ["--cleartext-host", "keycloak"],
            // No keys are fetched with a file that cannot be read, but it must not count as none.
            ["--ca-file", "/missing/ca.pem"],
        ]
        #expect(try Set(options.map(Self.trust)).count == options.count)
    }

    @Test(arguments: [
        (["--allow-network", "10.0.0.0/8", "--allow-network", "fd00::/8"], [2, 3, 0, 1]),
        (["--content-type", "text/plain", "--content-type", "missing"], [2, 3, 0, 1]),
        (["--cleartext-host", "a", "--cleartext-host", "b"], [2, 3, 0, 1]),
    ])
    func `the order of repeated options does not matter`(options: [String], order: [Int]) throws {
        #expect(try Self.trust(options) == Self.trust(order.map { options[$0] }))
    }

    @Test(arguments: [
        ["--cleartext-host", "KEYCLOAK"], ["--cleartext-host", "keycloak", "--keys-cache", "cache"],
        ["--cleartext-host", "keycloak", "--max-keys", "200", "--keys-host", "keys.example", "--allow-loopback-http"],
    ])
    func `other spellings, and options that are checked against cached keys, do not matter`(options: [String]) throws {
        #expect(try Self.trust(options) == Self.trust(["--cleartext-host", "keycloak"]))
    }
}
#endif
