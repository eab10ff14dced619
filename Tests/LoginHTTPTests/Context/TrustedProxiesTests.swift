// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import LoginAccounts
import LoginTokens
import LoginTesting
import HTTPTypes
import Logging
import LoginKeys
import Testing

@testable import LoginHTTP

@Suite struct TrustedProxiesTests {
    private let proxies = TrustedProxies(["10.0.0.0/8", "fd00::/8"].compactMap { IPNetwork($0) })

    @Test func `the forwarded addresses of an untrusted peer are ignored`() {
        #expect(proxies.client(peer: .address("192.0.2.1"), forwarded: ["198.51.100.7"]) == "192.0.2.1")
        #expect(TrustedProxies.none.client(peer: .address("10.0.0.1"), forwarded: ["198.51.100.7"]) == "10.0.0.1")
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
            #expect(proxies.client(peer: .address("10.0.0.1"), forwarded: forwarded) == client, "\(forwarded)")
            #expect(proxies.client(peer: .address("::ffff:10.0.0.1"), forwarded: forwarded) == client, "\(forwarded)")
        }
    }

    @Test(arguments: ["", "unknown", "_hidden", "198.51.100.7, evil", "1.2.3", "999.1.1.1"])
    func `an invalid forwarded address ends the list, and the address of the proxy is used`(forwarded: String) {
        #expect(proxies.client(peer: .address("10.0.0.1"), forwarded: [forwarded]) == "10.0.0.1")
    }

    @Test func `a long list of forwarded addresses is read only up to a limit`() {
        let long = ["198.51.100.7"] + [String](repeating: "10.0.0.2", count: 10_000)
        #expect(proxies.client(peer: .address("10.0.0.1"), forwarded: [long.joined(separator: ",")]) == "10.0.0.2")
    }

    @Test func `forwarded addresses over a Unix socket are trusted unless this is disabled`() {
        #expect(proxies.client(peer: .unixSocket, forwarded: ["198.51.100.7"]) == "198.51.100.7")
        let none = TrustedProxies([], trustingUnixSocket: false)
        #expect(none.client(peer: .unixSocket, forwarded: ["198.51.100.7"]) == nil)
    }

    @Test func `a peer without a known address is never trusted, and all such peers share one network`() {
        let proxies = TrustedProxies([IPNetwork("0.0.0.0/8")].compactMap { $0 })
        for peer in [ServerRequest.Peer.unknown, .address("192.0.2.1:5000"), .address("[::1]"), .address("")] {
            #expect(!proxies.isTrusted(peer))
            #expect(proxies.client(peer: peer, forwarded: ["198.51.100.7"]) == "0.0.0.0")
        }
    }

    /// Returns a request over a Unix socket, after its client was determined.
    private func visit(_ proxies: TrustedProxies, _ headers: HTTPFields) -> Visit {
        let head = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/", headerFields: headers)
        let request = ServerRequest(head, from: .unixSocket, logger: Logger(label: "test"))
        return Visit(request, proxies: proxies, bodies: nil)
    }

    @Test func `the request ID of a trusted proxy is used if it is valid`() {
        let proxies = TrustedProxies([])
        #expect(visit(proxies, [.xRequestID: "abc-1"]).requestID == "abc-1")
        #expect(visit(.none, [.xRequestID: "abc-1"]).requestID != "abc-1")
        for id in ["", "a b", "a\"b", String(repeating: "x", count: 65), "ä"] {
            let given = visit(proxies, [.xRequestID: id]).requestID
            #expect(given != id && !given.isEmpty)
        }
        #expect(visit(proxies, [:]).requestID != visit(proxies, [:]).requestID)
    }

    @Test func `the origin of a request has the forwarded client's address and network`() {
        let visit = visit(TrustedProxies([]), [.xForwardedFor: "198.51.100.7"])
        #expect(visit.clientAddress == "198.51.100.7" && visit.origin.addressPrefix == "198.51.100.0/24")
    }
}
#endif
