// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation
import LoginTokens
import TestSupport
import Testing

@testable import LoginKeys

@Suite(.rule("T-183")) struct KeyDirectoryEntryTests {
    private let issuer = "https://issuer.example/\"ä\\"
    private let now = Date(timeIntervalSince1970: 1_760_000_000)

    private func kept(keySet: [UInt8] = Array("{\"keys\": []}\n".utf8), lifetime: Duration? = .seconds(600))
        -> KeptKeySet
    {
        let url = "https://issuer.example/keys/?a=b&c"
        return KeptKeySet(issuer: issuer, url: url, fetchedAt: now, lifetime: lifetime, keySet: keySet)
    }

    @Test(arguments: [
        [], Array("{\"keys\":[]}".utf8), [0xFF, 0x00, 0x0A, 0x0A], Array(repeating: 0x20, count: 256 * 1024),
    ])
    func `a stored key set is loaded byte for byte`(keySet: [UInt8]) throws {
        for lifetime: Duration? in [nil, .zero, .seconds(1), .seconds(1 << 31)] {
            let kept = kept(keySet: keySet, lifetime: lifetime)
            let content = try KeyDirectoryEntry.encode(kept)
            #expect(try KeyDirectoryEntry.decode(content, issuer: issuer, now: now) == kept)
        }
    }

    @Test func `a file truncated at any position is refused`() throws {
        let content = try KeyDirectoryEntry.encode(kept())
        for length in content.indices {
            #expect(throws: KeyStoreError.self, "\(length) bytes") {
                try KeyDirectoryEntry.decode(Array(content[..<length]), issuer: issuer, now: now)
            }
        }
        #expect(throws: KeyStoreError.self) { try KeyDirectoryEntry.decode(content + [0x20], issuer: issuer, now: now) }
    }

    @Test func `a key set with one changed byte is refused`() throws {
        let content = try KeyDirectoryEntry.encode(kept())
        let start = try #require(content.firstIndex(of: 0x0A))
        for index in content.indices[(start + 1)...] {
            var changed = content
            changed[index] ^= 1
            #expect(throws: KeyStoreError.self) { try KeyDirectoryEntry.decode(changed, issuer: issuer, now: now) }
        }
    }

    @Test(arguments: [
        ("\"version\":1", "\"version\":2"), ("\"version\":1", "\"version\":\"1\""), ("\"version\":1", "\"versio\":1"),
        ("\"lifetime\":600", "\"lifetime\":-1"), ("\"lifetime\":600", "\"lifetime\":2147483649"),
        ("\"lifetime\":600", "\"lifetime\":null"), ("\"lifetime\":600", "\"lifetime\":0.5"),
        ("\"fetched_at\":1760000000", "\"fetched_at\":-1"), ("\"fetched_at\":1760000000", "\"fetched_at\":1e300"),
        ("\"fetched_at\":1760000000", "\"fetched_at\":\"1760000000\""), ("\"url\":", "\"ur\":"),
        ("\"url\":\"https://issuer.example/keys/?a=b&c\"", "\"url\":1"), ("\"issuer\":", "\"Issuer\":"),
        ("{", "["), ("{", "{\"url\":\"\","), ("\"key_set_sha256\":\"", "\"key_set_sha256\":\"0"),
    ])
    func `a file with another header line is refused`(old: String, new: String) throws {
        let content = String(decoding: try KeyDirectoryEntry.encode(kept()), as: UTF8.self)
        let range = try #require(content.range(of: old))
        let changed = content.replacingCharacters(in: range, with: new)
        #expect(throws: KeyStoreError.self) {
            try KeyDirectoryEntry.decode(Array(changed.utf8), issuer: issuer, now: now)
        }
    }

    @Test func `keys of another issuer are refused, also in another spelling`() throws {
        let content = try KeyDirectoryEntry.encode(kept())
        for other in ["https://issuer.example", issuer + "/", issuer.decomposedStringWithCanonicalMapping] {
            #expect(throws: KeyStoreError.self) { try KeyDirectoryEntry.decode(content, issuer: other, now: now) }
        }
    }

    @Test func `keys dated in the future are refused, and those of the current second are accepted`() throws {
        let content = try KeyDirectoryEntry.encode(kept())
        #expect(throws: KeyStoreError.self) {
            try KeyDirectoryEntry.decode(content, issuer: issuer, now: now.addingTimeInterval(-1))
        }
        #expect(try KeyDirectoryEntry.decode(content, issuer: issuer, now: now) == kept())
        #expect(try KeyDirectoryEntry.decode(content, issuer: issuer, now: now.addingTimeInterval(1e9)) == kept())
    }

    @Test func `an entry that is too long or out of range is not stored`() throws {
        var long = kept(keySet: Array(repeating: 0x20, count: Limits.largestKeySetBytes))
        #expect(throws: Never.self) { try KeyDirectoryEntry.encode(long) }
        long.keySet.append(0x20)
        #expect(throws: KeyStoreError.self) { try KeyDirectoryEntry.encode(long) }
        var wordy = kept()
        wordy.url = String(repeating: "u", count: 3000)
        #expect(try KeyDirectoryEntry.decode(KeyDirectoryEntry.encode(wordy), issuer: issuer, now: now) == wordy)
        wordy.url = String(repeating: "u", count: 4096)
        #expect(throws: KeyStoreError.self) { try KeyDirectoryEntry.encode(wordy) }
        for seconds in [-1, .infinity, .nan, 1e300] {
            var odd = kept()
            odd.fetchedAt = Date(timeIntervalSince1970: seconds)
            #expect(throws: KeyStoreError.self) { try KeyDirectoryEntry.encode(odd) }
        }
    }

    @Test func `lifetimes beyond the limits are stored as the limits`() throws {
        for (lifetime, expected) in [
            (Duration.seconds(-5), 0), (.seconds(Int64.max), 1 << 31), (.milliseconds(1999), 1),
        ] {
            let content = try KeyDirectoryEntry.encode(kept(lifetime: lifetime))
            #expect(try KeyDirectoryEntry.decode(content, issuer: issuer, now: now).lifetime == .seconds(expected))
        }
    }

    @Test func `each issuer has a file name of letters and digits`() {
        let name = KeyDirectoryEntry.fileName(of: "https://accounts.google.com")
        #expect(name.utf8.count == 69)
        #expect(name.hasSuffix(".json"))
        #expect(name != KeyDirectoryEntry.fileName(of: "https://accounts.google.com/"))
        #expect(
            KeyDirectoryEntry.fileName(of: "")
                == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855.json"
        )
    }
}
