// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTokens
internal import TestSupport
internal import Testing

@testable internal import LoginKeys

@Suite(.rule("T-152"))
struct PublicAddressTests {
    @Test(arguments: [
        ("0.0.0.0", "0.255.255.255"), ("10.0.0.0", "10.255.255.255"), ("100.64.0.0", "100.127.255.255"),
        ("127.0.0.0", "127.255.255.255"), ("169.254.0.0", "169.254.255.255"), ("172.16.0.0", "172.31.255.255"),
        ("192.0.0.0", "192.0.0.255"), ("192.0.2.0", "192.0.2.255"), ("192.88.99.0", "192.88.99.255"),
        ("192.168.0.0", "192.168.255.255"), ("198.18.0.0", "198.19.255.255"), ("198.51.100.0", "198.51.100.255"),
        ("203.0.113.0", "203.0.113.255"), ("224.0.0.0", "255.255.255.255"),
    ])
    func `a special-purpose IPv4 network is not public, and the adjacent addresses are`(
        first: String,
        last: String
    ) throws {
        guard case .v4(let lower) = IPAddress(first), case .v4(let upper) = IPAddress(last) else {
            Issue.record("not an address")
            return
        }
        #expect(!IPAddress.v4(lower).isPublic)
        #expect(!IPAddress.v4(lower + (upper - lower) / 2).isPublic)
        #expect(!IPAddress.v4(upper).isPublic)
        if lower > 0 { #expect(IPAddress.v4(lower - 1).isPublic) }
        if upper < .max { #expect(IPAddress.v4(upper + 1).isPublic) }
    }

    @Test(arguments: [
        ("::", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"), ("2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff"),
        ("2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"),
        ("2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff"), ("3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff"),
        ("4000::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
    ])
    func `a special-purpose IPv6 network is not public, and the adjacent addresses are`(
        first: String,
        last: String
    ) throws {
        guard case .v6(let lower) = IPAddress(first), case .v6(let upper) = IPAddress(last) else {
            Issue.record("not an address")
            return
        }
        #expect(!IPAddress.v6(lower).isPublic)
        #expect(!IPAddress.v6(lower + (upper - lower) / 2).isPublic)
        #expect(!IPAddress.v6(upper).isPublic)
        if lower > 0 { #expect(IPAddress.v6(lower - 1).isPublic) }
        if upper < .max { #expect(IPAddress.v6(upper + 1).isPublic) }
    }

    @Test(arguments: [
        "::", "::1", "::10.0.0.1", "::ffff:10.0.0.1", "::ffff:8.8.8.8", "64:ff9b::10.0.0.1", "64:ff9b::8.8.8.8",
        "64:ff9b:1::1", "100::1", "2001::1", "2001:10::1", "2002:a00:1::1", "5f00::1", "fc00::1", "fdff::1", "fe80::1",
        "febf::1", "fec0::1", "ff02::1",
    ])
    func `loopback, link-local and IPv4-embedding IPv6 addresses are not public`(text: String) throws {
        let address = try #require(IPAddress(text))
        #expect(!address.isPublic)
    }

    @Test(arguments: ["1.1.1.1", "8.8.8.8", "157.240.1.35", "2606:4700::1111", "2a03:2880:f12f:83:face:b00c:0:25de"])
    func `addresses of providers are public`(text: String) throws {
        let address = try #require(IPAddress(text))
        #expect(address.isPublic)
    }
}
