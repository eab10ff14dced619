// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import LoginTokens
internal import TestSupport
internal import Testing

/// Foundation as a second parser: the client must connect to the same host that was checked.
@Suite struct EndpointURLReaderTests {
    /// Random URLs assembled from valid and invalid parts.
    private struct RandomAddress {
        private static let schemes = [
            "https://", "https://", "https://", "HTTPS://", "http://", "https:/", "https:///",
        ]
        private static let hosts = [
            "a.example", "A.Example", "localhost", "127.0.0.1", "[::1]", "[2001:db8::1]", "[::ffff:10.0.0.1]", "a_b",
            "xn--bcher-kva",
            "a..b", "", "127.1", "0x7f.1", "[::1", "a%2eb", "a.example.",
        ]
        private static let ends = ["", "", ":443", ":80", ":8443", ":0443", ":", ":0", ":65536", ":x"]
        private static let pieces = [
            "/", "/", "?", "@", ":", "#", "a", "b=c", "&", "%2F", "%40", "%", "..", ".", ";", ",", "[", "]", "~", "!",
            "\\",
            "//", "*", "(", ")", "'", "$", "+", "é", " ",
        ]

        private var numbers: SeededNumbers

        init(seed: UInt64) {
            numbers = SeededNumbers(seed: seed)
        }

        private mutating func pick(_ choices: [String]) -> String {
            choices.randomElement(using: &numbers) ?? ""
        }

        mutating func text() -> String {
            let user = Int.random(in: 0..<8, using: &numbers) == 0 ? pick(["u@", "u:p@", "@"]) : ""
            let authority = pick(Self.schemes) + user + pick(Self.hosts) + pick(Self.ends)
            let rest = (0..<Int.random(in: 0..<6, using: &numbers)).map { _ in pick(Self.pieces) }
            return authority + pick(["", "/", "?"]) + rest.joined()
        }
    }

    @Test(.rule("T-159"), arguments: 0..<20 as Range<UInt64>)
    func `a URL that Foundation accepts too has the same host, port and target`(seed: UInt64) throws {
        var addresses = RandomAddress(seed: seed)
        var read = 0
        for _ in 0..<1000 {
            let text = addresses.text()
            guard let url = try? EndpointURL(text, allowsLoopbackHTTP: true),
                let other = URLComponents(string: text, encodingInvalidCharacters: false)
            else { continue }
            read += 1
            #expect(other.scheme?.lowercased() == url.scheme.rawValue, "\(text)")
            let host = other.encodedHost?.lowercased().trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
            #expect(host == url.host, "\(text)")
            #expect(other.user == nil && other.password == nil && other.fragment == nil, "\(text)")
            #expect(other.port ?? (url.scheme == .https ? 443 : 80) == url.port, "\(text)")
            let path = other.percentEncodedPath.isEmpty ? "/" : other.percentEncodedPath
            #expect(path + (other.percentEncodedQuery.map { "?" + $0 } ?? "") == url.target, "\(text)")
        }
        #expect(read > 50)
    }

    @Test(.rule("T-159"), arguments: 0..<20 as Range<UInt64>)
    func `a parsed URL that is written and parsed again is equal`(seed: UInt64) throws {
        var addresses = RandomAddress(seed: seed)
        for _ in 0..<1000 {
            guard let url = try? EndpointURL(addresses.text(), allowsLoopbackHTTP: true) else { continue }
            #expect(try EndpointURL(url.description, allowsLoopbackHTTP: true) == url)
            #expect(try EndpointURL(url.origin + url.target, allowsLoopbackHTTP: true).hasSameOrigin(as: url))
        }
    }

    @Test(.rule("T-159"), arguments: 0..<20 as Range<UInt64>)
    func `arbitrary bytes are parsed or refused, and a parsed URL is printable ASCII with a host`(seed: UInt64) throws {
        var numbers = SeededNumbers(seed: seed)
        for _ in 0..<500 {
            var bytes = Array("https://a.example:444/path?query".utf8)
            for _ in 0..<Int.random(in: 1...3, using: &numbers) {
                bytes[Int.random(in: bytes.indices, using: &numbers)] = UInt8.random(in: 0...255, using: &numbers)
            }
            guard let url = try? EndpointURL(String(decoding: bytes, as: UTF8.self)) else { continue }
            #expect(url.description.utf8.allSatisfy { (0x21...0x7E).contains($0) })
            #expect(!url.host.isEmpty && (1...65535).contains(url.port) && url.target.hasPrefix("/"))
        }
    }
}
