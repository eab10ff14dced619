// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import LoginCrypto
import Testing

@testable import LoginPages

/// The expected matrices come from two other programs that agree: python-qrcode and the reference library qrcodegen.
@Suite struct QRCodeTests {
    private static let address =
        "otpauth://totp/Example:ada%40example.com?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Example"
        + "&algorithm=SHA1&digits=6&period=30"

    private func rows(_ code: QRCode, dark: String = "#", light: String = ".") -> [String] {
        (0..<code.size).map { y in (0..<code.size).map { code[$0, y] ? dark : light }.joined() }
    }

    @Test func `the smallest QR code is the same as that of other programs`() throws {
        let code = try #require(QRCode("A", mask: 0))
        #expect(
            rows(code) == [
                "#######..###..#######", "#.....#.#.###.#.....#", "#.###.#...#...#.###.#", "#.###.#..#....#.###.#",
                "#.###.#.##..#.#.###.#", "#.....#...#.#.#.....#", "#######.#.#.#.#######", "...........##........",
                "#.#.#.#...##....#..#.", "#..###...#....#...##.", ".#....#.###.#...#...#", "#.#.#....##...#...#..",
                "#.#..##.#.#.#.#.#.#.#", "........####.#.#.#.#.", "#######....#.###.####", "#.....#..#.###.###...",
                "#.###.#.##.#.###.##.#", "#.###.#.......#...##.", "#.###.#.##..#...#...#", "#.....#..##...#...##.",
                "#######.#...#.#.#.###",
            ]
        )
    }

    struct Known: Sendable {
        var text: String
        var mask: Int
        var size: Int
        var hash: String
    }

    static let known = [
        Known(text: address, mask: 0, size: 49, hash: "8dca448e969006a21ec383644bd6dc5f"),
        Known(text: address, mask: 1, size: 49, hash: "936fe5d6f7639ab83aaa1e836348d343"),
        Known(text: address, mask: 2, size: 49, hash: "26a9bf3dfa27fd73c86cdc2e5b334a69"),
        Known(text: address, mask: 3, size: 49, hash: "1a78228000ca5a5cf3340d9474dae511"),
        Known(text: address, mask: 4, size: 49, hash: "b7757335b7e726bcf4a919a233e035e6"),
        Known(text: address, mask: 5, size: 49, hash: "7e7a0eddd2fa8c82f243cf0ca487eb37"),
        Known(text: address, mask: 6, size: 49, hash: "fdc0d81e92ad3e4b9c117172d47f0988"),
        Known(text: address, mask: 7, size: 49, hash: "3f31c8c693d483bcf3d9db2431f88001"),
        Known(text: "Grüße, 世界", mask: 1, size: 25, hash: "4d8cf5b3d2d71d774c8659cb96414abf"),
        Known(text: String(repeating: "x", count: 14), mask: 1, size: 21, hash: "ce179c5d0e1ce44e11ddff3ba2ea5ced"),
        Known(text: String(repeating: "x", count: 15), mask: 6, size: 25, hash: "b44782b1e3424ce7e024e2e3b6e4f7cb"),
        Known(text: String(repeating: "7", count: 120), mask: 1, size: 45, hash: "8a8abe78e7d272aa6ed930211cbfa288"),
        Known(text: String(repeating: "z", count: 200), mask: 6, size: 57, hash: "da61d07fc0296c34ec743e296f8adf64"),
        Known(
            text: "otpauth://totp/" + String(repeating: "Example%20", count: 40),
            mask: 1,
            size: 81,
            hash: "860717f970f5a8a36f829cddccbc7b8a"
        ),
        Known(text: String(repeating: "y", count: 666), mask: 6, size: 97, hash: "cab330f203d2b73c5afbd5767beb7a48"),
    ]

    @Test(arguments: known) func `QR codes of all kinds of sizes are the same as those of other programs`(
        _ known: Known
    ) throws {
        let code = try #require(QRCode(known.text, mask: known.mask))
        #expect(code.size == known.size)
        let text = rows(code, dark: "1", light: "0").joined(separator: "\n")
        let hash = Digest.sha256.hash(text.utf8).map { byte in
            let digits = String(byte, radix: 16)
            return digits.utf8.count == 1 ? "0" + digits : digits
        }.joined()
        #expect(hash.hasPrefix(known.hash))
    }

    @Test func `the mask with the lowest penalty is chosen`() throws {
        let chosen = try #require(QRCode(Self.address))
        let points = (0..<8).compactMap { QRCode(Self.address, mask: $0)?.penalty }
        #expect(points.count == 8 && Set(points).count > 1)
        #expect(chosen.penalty == points.min())
        #expect((0..<8).contains { QRCode(Self.address, mask: $0)?.modules == chosen.modules })
    }

    @Test func `text that is too long has no QR code`() {
        #expect(QRCode(String(repeating: "y", count: 666)) != nil)
        #expect(QRCode(String(repeating: "y", count: 667)) == nil)
        #expect(QRCode("") != nil)
    }

    @Test func `the QR code has a quiet zone and a label`() throws {
        let code = try #require(QRCode("A", mask: 0))
        guard case .element(let svg)? = try StrictHTML.piece(code.html(label: "a \"key\"").markup).first else {
            Issue.record("no picture")
            return
        }
        #expect(svg["viewBox"] == "0 0 29 29")
        #expect(svg["aria-label"] == "a \"key\"")
        let path = try #require(svg.all("path").first?["d"])
        #expect(path.hasPrefix("M4 4h1v1h-1zM5 4"))
        #expect(path.count { $0 == "M" } == code.modules.count(where: \.self))
    }
}
#endif
