// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
import LoginAccounts
import LoginTokens
import LoginTesting
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import LoginKeys
import Testing

@testable import LoginHummingbird

@Suite struct TrustedProxiesTests {
    private let proxies = TrustedProxies(["10.0.0.0/8", "fd00::/8"].compactMap { IPNetwork($0) })

    @Test func `the forwarded addresses of an untrusted peer are ignored`() {
        #expect(proxies.client(peer: "192.0.2.1", forwarded: ["198.51.100.7"]) == "192.0.2.1")
        #expect(TrustedProxies.none.client(peer: "10.0.0.1", forwarded: ["198.51.100.7"]) == "10.0.0.1")
    }

    @Test func `the client is the last forwarded address that is not a trusted proxy`() {
        let cases: [([String], String)] = [
            (["198.51.100.7"], "198.51.100.7"),
            (["203.0.113.9, 198.51.100.7"], "198.51.100.7"),
            (["203.0.113.9", "198.51.100.7, 10.1.2.3"], "198.51.100.7"),
            (["10.9.9.9, 198.51.100.7, 10.1.2.3"], "198.51.100.7"),
            (["10.9.9.9"], "10.9.9.9"),
            (["2001:db8::1"], "2001:db8::1"),
            (["[2001:db8::1]:443"], "2001:db8::1"),
            (["198.51.100.7:5000"], "198.51.100.7"),
            (["::ffff:198.51.100.7"], "198.51.100.7"),
        ]
        for (forwarded, client) in cases {
            #expect(proxies.client(peer: "10.0.0.1", forwarded: forwarded) == client, "\(forwarded)")
            #expect(proxies.client(peer: "::ffff:10.0.0.1", forwarded: forwarded) == client, "\(forwarded)")
        }
    }

    @Test(arguments: ["", "unknown", "_hidden", "198.51.100.7, evil", "1.2.3", "999.1.1.1"])
    func `an invalid forwarded address ends the list, and the address of the proxy is used`(forwarded: String) {
        #expect(proxies.client(peer: "10.0.0.1", forwarded: [forwarded]) == "10.0.0.1")
    }

    @Test func `a long list of forwarded addresses is read only up to a limit`() {
        let long = ["198.51.100.7"] + [String](repeating: "10.0.0.2", count: 10_000)
        #expect(proxies.client(peer: "10.0.0.1", forwarded: [long.joined(separator: ",")]) == "10.0.0.2")
    }

    @Test func `forwarded addresses over a Unix socket are trusted unless this is disabled`() {
        #expect(proxies.client(peer: nil, forwarded: ["198.51.100.7"]) == "198.51.100.7")
        let none = TrustedProxies([], trustingUnixSocket: false)
        #expect(none.client(peer: nil, forwarded: ["198.51.100.7"]) == nil)
    }

    /// Sends a request to a server that returns the origin of the request.
    private func ask(_ proxies: TrustedProxies, _ headers: HTTPFields) async throws -> (text: String, id: String?) {
        let router = Router(context: BasicLoginRequestContext.self)
        router.add(middleware: OriginMiddleware(trustedProxies: proxies))
        router.get("origin") { _, context in
            "\(context.login.clientAddress ?? "-") \(context.login.origin.addressPrefix ?? "-")"
        }
        return try await Application(router: router).test(.router) { client in
            try await client.execute(uri: "/origin", method: .get, headers: headers) {
                (String(buffer: $0.body), $0.headers[.xRequestID])
            }
        }
    }

    @Test func `the request ID of a trusted proxy is used if it is valid`() async throws {
        let proxies = TrustedProxies([])
        #expect(try await ask(proxies, [.xRequestID: "abc-1"]).id == "abc-1")
        #expect(try await ask(.none, [.xRequestID: "abc-1"]).id != "abc-1")
        for id in ["", "a b", "a\"b", String(repeating: "x", count: 65), "ä"] {
            let given = try await ask(proxies, [.xRequestID: id]).id
            #expect(given != id && given?.isEmpty == false)
        }
        #expect(try await ask(proxies, [:]).id != ask(proxies, [:]).id)
    }

    @Test func `the origin of a request has the forwarded client's address and network`() async throws {
        let answer = try await ask(TrustedProxies([]), [.xForwardedFor: "198.51.100.7"])
        #expect(answer.text == "198.51.100.7 198.51.100.0/24")
    }
}
#endif
