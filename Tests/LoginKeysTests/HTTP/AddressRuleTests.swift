// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import TestSupport
internal import Testing

@testable internal import LoginKeys
@testable internal import LoginTokens

@Suite(.rule("T-152"))
struct AddressRuleTests {
    private static func addresses(_ texts: [String]) -> [IPAddress] { texts.compactMap { IPAddress($0) } }

    private static func chosen(
        _ scheme: EndpointURL.Scheme,
        _ texts: [String],
        allowed: [String] = [],
        isCleartextHost: Bool = false
    ) -> Result<[IPAddress], TransportFailure> {
        let rule = AddressRule(
            scheme: scheme,
            allowedNetworks: allowed.compactMap { IPNetwork($0) },
            isCleartextHost: isCleartextHost
        )
        return Result { () throws(TransportFailure) in try rule.choose(from: addresses(texts)) }
    }

    @Test(arguments: [
        (["8.8.8.8"], []), (["2606:4700::1"], []), (["10.0.0.1"], ["10.0.0.0/8"]), (["::1"], ["::1"]),
        (["8.8.8.8", "10.0.0.1"], ["10.0.0.1"]), (["::ffff:10.0.0.1"], ["::ffff:0:0/96"]),
    ])
    func `https requests may go to public or allowed addresses`(addresses: [String], allowed: [String]) throws {
        #expect(try Self.chosen(.https, addresses, allowed: allowed).get() == Self.addresses(addresses))
    }

    @Test(arguments: [
        (["10.0.0.1"], []), (["10.0.0.1"], ["10.0.0.2"]), (["8.8.8.8", "10.0.0.1"], []),
        (["8.8.8.8", "::1"], ["127.0.0.0/8"]),
        (["::ffff:10.0.0.1"], ["10.0.0.0/8"]), (["64:ff9b::10.0.0.1"], ["10.0.0.0/8"]),
        (["::ffff:8.8.8.8"], ["0.0.0.0/0"]),
        (["1.1.1.1", "1.1.1.2", "1.1.1.3", "1.1.1.4", "1.1.1.5", "192.168.0.1"], []),
    ])
    func `a host with a single address that is neither public nor allowed is refused`(
        addresses: [String],
        allowed: [String]
    ) throws {
        let failure = #expect(throws: TransportFailure.self) {
            try Self.chosen(.https, addresses, allowed: allowed).get()
        }
        #expect(failure?.code == .address)
    }

    @Test(.rule("T-150"), arguments: [["127.0.0.1"], ["127.9.9.9", "::1"]])
    func `http requests may go to loopback addresses`(addresses: [String]) throws {
        #expect(try Self.chosen(.http, addresses).get() == Self.addresses(addresses))
    }

    @Test(
        .rule("T-150"),
        arguments: [
            ["127.0.0.1"], ["::1"], ["10.0.0.1"], ["172.16.0.1"], ["172.31.255.255"], ["192.168.1.1", "fd12::1"],
            ["fc00::1"],
        ]
    )
    func `http requests to a host that is named for it may go to private addresses`(addresses: [String]) throws {
        #expect(try Self.chosen(.http, addresses, isCleartextHost: true).get() == Self.addresses(addresses))
        // The name gives no permission for https.
        #expect(throws: TransportFailure.self) { try Self.chosen(.https, addresses, isCleartextHost: true).get() }
    }

    @Test(
        .rule("T-150"),
        arguments: [
            ["8.8.8.8"], ["10.0.0.1", "8.8.8.8"], ["169.254.169.254"], ["10.0.0.1", "169.254.1.1"], ["fe80::1"],
            ["100.64.0.1"], ["172.32.0.1"], ["192.169.0.1"], ["0.0.0.0"], ["::"],
            ["::ffff:10.0.0.1"], ["64:ff9b::10.0.0.1"], ["2606:4700::1"], ["fec0::1"], ["224.0.0.1"],
        ]
    )
    func `http requests to a host with any other address are refused, even if it is named and allowed`(
        addresses: [String]
    ) throws {
        let failure = #expect(throws: TransportFailure.self) {
            try Self.chosen(.http, addresses, allowed: ["0.0.0.0/0", "::/0"], isCleartextHost: true).get()
        }
        #expect(failure?.code == .address)
    }

    @Test(
        .rule("T-150"),
        arguments: [
            // Amazon EC2, with EKS Pod Identity and the ends of its network.
            "fd00:ec2::254", "fd00:ec2::23", "fd00:ec2::", "fd00:ec2:ffff:ffff:ffff:ffff:ffff:ffff",
            // Google, Oracle, Scaleway, Akamai and Alibaba.
            "fd20:ce::254", "fd00:c1::a9fe:a9fe", "192.0.0.192", "fd00:42::42", "fd00:a9fe:a9fe::1",
            "fd00:100::100:200", "100.100.100.200",
            // Link-local, and other spellings of it.
            "169.254.169.254", "169.254.170.23", "fe80::a9fe:a9fe", "::ffff:169.254.169.254", "::169.254.169.254",
            "64:ff9b::169.254.169.254", "64:ff9b:1::169.254.169.254", "2002:a9fe:a9fe::1",
        ]
    )
    func `http requests to a metadata service of a cloud are refused, even if the host is named for it`(
        address: String
    ) throws {
        #expect(IPAddress(address) != nil)
        let failure = #expect(throws: TransportFailure.self) {
            try Self.chosen(.http, ["10.0.0.1", address], allowed: ["::/0"], isCleartextHost: true).get()
        }
        #expect(failure?.code == .address)
    }

    @Test(.rule("T-150"), arguments: ["fd00:ec1::1", "fd00:ec3::254", "fd20:ce::253", "fd00:c1::1", "fd00:42::43"])
    func `private addresses beside those of metadata services stay private`(address: String) throws {
        #expect(try Self.chosen(.http, [address], isCleartextHost: true).get() == Self.addresses([address]))
    }

    @Test(
        .rule("T-150"),
        arguments: [["8.8.8.8"], ["127.0.0.1", "10.0.0.1"], ["::ffff:127.0.0.1"], ["0.0.0.0"], ["::"]]
    )
    func `http requests to other addresses are refused, even to allowed ones`(addresses: [String]) throws {
        let failure = #expect(throws: TransportFailure.self) {
            try Self.chosen(.http, addresses, allowed: ["0.0.0.0/0", "::/0"]).get()
        }
        #expect(failure?.code == .address)
    }

    @Test func `a host name without addresses is refused`() {
        let failure = #expect(throws: TransportFailure.self) { try Self.chosen(.https, []).get() }
        #expect(failure?.code == .name)
    }

    @Test func `at most four addresses of a host are tried, of both families in turn`() throws {
        let many = (1...50).map { "2606:4700::\($0)" } + (1...50).map { "1.1.1.\($0)" }
        let first = ["2606:4700::1", "1.1.1.1", "2606:4700::2", "1.1.1.2"]
        #expect(try Self.chosen(.https, many).get() == Self.addresses(first))
    }

    @Test(arguments: [
        (["1.1.1.1", "1.1.1.1", "1.1.1.2"], ["1.1.1.1", "1.1.1.2"]),
        (
            ["1.1.1.1", "2606:4700::1", "2606:4700::2", "2606:4700::3"],
            ["1.1.1.1", "2606:4700::1", "2606:4700::2", "2606:4700::3"]
        ),
        (["1.1.1.1", "1.1.1.2", "1.1.1.3", "2606:4700::1"], ["1.1.1.1", "2606:4700::1", "1.1.1.2", "1.1.1.3"]),
    ])
    func `the order of the system is kept for addresses of equal rank`(addresses: [String], chosen: [String]) throws {
        #expect(try Self.chosen(.https, addresses).get() == Self.addresses(chosen))
    }
}
