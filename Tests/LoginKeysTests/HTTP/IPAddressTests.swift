// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTokens
internal import TestSupport
internal import Testing

@testable internal import LoginKeys

@Suite(.rule("T-152"))
struct IPAddressTests {
    /// The explicit type saves the compiler from inferring it for each literal.
    static let addresses: [(String, IPAddress)] = [
        ("0.0.0.0", .v4(0)), ("255.255.255.255", .v4(.max)), ("10.0.200.1", .v4(0x0A00_C801)),
        ("::", .v6(0)), ("::1", .v6(1)), ("1::", .v6(0x0001_0000_0000_0000_0000_0000_0000_0000)),
        ("FE80::aB", .v6(0xFE80_0000_0000_0000_0000_0000_0000_00AB)),
        ("1:2:3:4:5:6:7:8", .v6(0x0001_0002_0003_0004_0005_0006_0007_0008)),
        ("1:2:3:4:5:6:7::", .v6(0x0001_0002_0003_0004_0005_0006_0007_0000)),
        ("::2:3:4:5:6:7:8", .v6(0x0000_0002_0003_0004_0005_0006_0007_0008)),
        ("0001:02:3::", .v6(0x0001_0002_0003_0000_0000_0000_0000_0000)),
        ("::ffff:127.0.0.1", .v6(0xFFFF_7F00_0001)),
        ("64:ff9b::10.0.0.1", .v6(0x0064_FF9B_0000_0000_0000_0000_0A00_0001)),
        ("1:2:3:4:5:6:1.2.3.4", .v6(0x0001_0002_0003_0004_0005_0006_0102_0304)),
        ("1:2:3:4:5::1.2.3.4", .v6(0x0001_0002_0003_0004_0005_0000_0102_0304)),
        ("ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255", .v6(.max)),
    ]

    @Test(arguments: addresses)
    func `an IP address is parsed`(text: String, address: IPAddress) {
        #expect(IPAddress(text) == address)
    }

    @Test(arguments: [
        "", ".", "1.2.3", "1.2.3.4.5", "1.2.3.", ".1.2.3", "1..2.3", "256.0.0.1", "01.2.3.4", "1.2.3.00", "1.2.3.4 ",
        "+1.2.3.4",
        "-1.2.3.4", "0x7f.0.0.1", "127.1", "2130706433", "1.2.3.1000", "١.2.3.4", "1.2.3.4\0",
        ":", ":::", "1::2::3", "::1::", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::", "1:2:3:4::5:6:7:8",
        ":1:2:3:4:5:6:7", "1:2:3:4:5:6:7:", "::12345", "::g", "::+1", "::-1", "[::1]", "::1%eth0", "::1/128",
        "fe80::1%1",
        "1.2.3.4::", "::1.2.3.4:5", "::1.2.3", "::01.2.3.4", "1:2:3:4:5:6:7:1.2.3.4", "1:2:3:4:5:6::1.2.3.4:",
        "::ffff:1.2.3.256",
        "ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255:", "localhost",
    ])
    func `ambiguous notations of IP addresses are refused`(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test(arguments: [
        "0.0.0.0", "127.0.0.1", "::", "::1", "1::", "1::8", "2001:db8::1", "1:0:3:4:5:6:7:8", "1:0:0:4::", "1:0:0:4::8",
        "0:0:3::8", "1:2:3:4:5:6:7:8", "::ffff:10.0.0.1", "1:2:3:4:5:6:7:0", "::2:3:4:5:6:7",
    ])
    func `an IP address is formatted as RFC 5952 specifies`(text: String) throws {
        let address = try #require(IPAddress(text))
        #expect("\(address)" == text)
    }

    @Test func `a formatted IP address parses to the same address`() {
        var numbers = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            // Masked, so that there are runs of zeros.
            let number = UInt128.random(in: 0 ... .max, using: &numbers)
            let mask = (0..<8).reduce(UInt128(0)) { $0 | (Bool.random() ? 0xFFFF << (16 * UInt128($1)) : 0) }
            for address in [IPAddress.v6(number & mask), .v4(UInt32(truncatingIfNeeded: number))] {
                #expect(IPAddress("\(address)") == address)
            }
        }
    }

    @Test(arguments: [
        ("126.255.255.255", false), ("127.0.0.0", true), ("127.255.255.255", true), ("128.0.0.0", false), ("::", false),
        ("::1", true), ("::2", false), ("::ffff:127.0.0.1", false), ("64:ff9b::127.0.0.1", false),
    ])
    func `loopback addresses are 127.0.0.0/8 and ::1`(text: String, isLoopback: Bool) throws {
        let address = try #require(IPAddress(text))
        #expect(address.isLoopback == isLoopback)
    }
}
