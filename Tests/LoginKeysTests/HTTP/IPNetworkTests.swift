// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTokens
internal import TestSupport
internal import Testing

@testable internal import LoginKeys

@Suite(.rule("T-152"))
struct IPNetworkTests {
    @Test(arguments: [
        ("10.0.0.0/8", "10.0.0.0", "10.255.255.255", "9.255.255.255", "11.0.0.0"),
        ("10.1.2.3", "10.1.2.3", "10.1.2.3", "10.1.2.2", "10.1.2.4"),
        ("10.1.2.2/31", "10.1.2.2", "10.1.2.3", "10.1.2.1", "10.1.2.4"),
        ("fd00::/8", "fd00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "fcff::", "fe00::"),
        ("::1", "::1", "::1", "::", "::2"),
        ("0.0.0.0/0", "0.0.0.0", "255.255.255.255", "::", "::ffff:10.0.0.1"),
        ("::/0", "::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "0.0.0.0", "127.0.0.1"),
        ("::ffff:10.0.0.0/104", "::ffff:10.0.0.0", "::ffff:10.255.255.255", "10.0.0.1", "::ffff:11.0.0.0"),
    ])
    func `a network contains its first and its last address, and not the adjacent ones`(
        network: String,
        first: String,
        last: String,
        before: String,
        after: String
    ) throws {
        let network = try #require(IPNetwork(network))
        let addresses = try [first, last, before, after].map { try #require(IPAddress($0)) }
        #expect(addresses.map { network.contains($0) } == [true, true, false, false])
    }

    @Test(arguments: ["10.0.0.0/8", "10.1.2.3/32", "fd00::/8", "::/0", "::1/128"])
    func `a network is formatted as it was written`(text: String) throws {
        let network = try #require(IPNetwork(text))
        #expect("\(network)" == text)
    }

    @Test(arguments: [
        "", "/", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/08", "10.0.0.0/8/8",
        "10.0.0.0/8 ",
        "10.0.0.1/8", "10.0.0.0/6", "10.0.0.0/255.0.0.0", "10/8", "fd00::/129", "fd00::1/8", "::1/0", "localhost",
        "10.0.0.0/99999999999999999999",
    ])
    func `a text that is not a network, or whose address is not the network's first, is refused`(text: String) {
        #expect(IPNetwork(text) == nil)
    }
}
