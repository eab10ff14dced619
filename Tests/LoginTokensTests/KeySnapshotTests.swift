// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// Keys grouped by issuer.
@Suite struct KeySnapshotTests {
    private let first: JSONWebKeySet
    private let second: JSONWebKeySet

    init() throws {
        first = JSONWebKeySet([try TestKey.shared.publicKey()])
        second = JSONWebKeySet([try TestKey.another.publicKey()])
    }

    private func keyIDs(_ set: JSONWebKeySet?) -> [String?]? { set?.keys.map(\.keyID) }

    @Test(.rule("T-105"))
    func `each issuer has its own keys, and an unknown issuer has none`() {
        let snapshot = KeySnapshot([
            KeySnapshot(issuers: ["a"], keys: first), KeySnapshot(issuers: ["b"], keys: second),
        ])
        #expect(keyIDs(snapshot.keys(of: "a")) == [TestKey.shared.keyID])
        #expect(keyIDs(snapshot.keys(of: "b")) == [TestKey.another.keyID])
        for stranger in ["", "A", "a/", "c", "a\0"] { #expect(snapshot.keys(of: stranger) == nil, "\(stranger)") }
    }

    @Test(.rule("T-105"))
    func `the keys of a provider apply to each of its issuers`() {
        let snapshot = KeySnapshot(provider: .facebook, keys: first)
        for issuer in Provider.facebook.issuers { #expect(keyIDs(snapshot.keys(of: issuer)) == [TestKey.shared.keyID]) }
        #expect(snapshot.keys(of: "https://www.facebook.com/x") == nil)
    }

    @Test(.rule("T-105"))
    func `the first of two entries for one issuer is used, and they are not merged`() {
        let snapshot = KeySnapshot([
            KeySnapshot(issuers: ["a"], keys: first), KeySnapshot(issuers: ["a"], keys: second),
        ])
        #expect(keyIDs(snapshot.keys(of: "a")) == [TestKey.shared.keyID])
    }

    @Test(.rule("T-107"))
    func `issuers are compared byte for byte`() {
        let snapshot = KeySnapshot(issuers: ["caf\u{E9}"], keys: first)
        #expect(snapshot.keys(of: "caf\u{E9}") != nil)
        #expect(snapshot.keys(of: "cafe\u{301}") == nil)
    }

    @Test(.rule("T-105"))
    func `an issuer without keys is different from an unknown issuer`() {
        #expect(keyIDs(KeySnapshot(issuers: ["a"], keys: JSONWebKeySet([])).keys(of: "a")) == [])
        #expect(KeySnapshot([]).keys(of: "a") == nil)
        #expect(KeySnapshot(issuers: [], keys: first).keys(of: "") == nil)
    }

    @Test(.rule("T-040"))
    func `a snapshot as a key source returns itself, also on a refresh`() async throws {
        let snapshot = KeySnapshot(issuers: ["a"], keys: first)
        let atHand = try await snapshot.snapshot(for: "b")
        let again = try await snapshot.refreshed(for: "b", unknownKeyID: "k")
        #expect(keyIDs(atHand.keys(of: "a")) == [TestKey.shared.keyID] && atHand.keys(of: "b") == nil)
        #expect(keyIDs(again.keys(of: "a")) == [TestKey.shared.keyID] && again.keys(of: "b") == nil)
    }
}
