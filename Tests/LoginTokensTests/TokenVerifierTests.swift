// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import LoginTesting
internal import LoginTokens
internal import Synchronization
internal import TestSupport
internal import Testing

/// The synchronous and the asynchronous method of a verifier, and how the latter requests keys.
@Suite struct TokenVerifierTests {
    private let bench: Bench
    private let issuer: TestIssuer
    private let empty: KeySnapshot

    init() throws {
        bench = try Bench()
        issuer = bench.issuer
        // Before a rotation the provider published another key.
        empty = TestIssuer(provider: bench.issuer.provider, key: .another).keys
    }

    private func verifier(_ keys: any KeySource) -> TokenVerifier {
        TokenVerifier(policy: bench.policy, keys: keys, clock: issuer.clock)
    }

    private static let asked = SpyKeySource.Call.snapshot(issuer: "https://issuer.example")

    private func lookedFor(_ keyID: String) -> SpyKeySource.Call {
        .refreshed(issuer: "https://issuer.example", unknownKeyID: keyID)
    }

    // MARK: Verdicts

    @Test func `each verdict is observed once, with the synchronous and the asynchronous method`() async throws {
        let told = Mutex<[String]>([])
        func observed(_ keys: any KeySource) -> TokenVerifier {
            var verifier = verifier(keys)
            verifier.onVerdict = { error in told.withLock { $0.append(error?.code.rawValue ?? "verified") } }
            return verifier
        }
        let (good, late) = (issuer.token(), issuer.token { $0.claims["exp"] = 1 })
        _ = try await observed(issuer.keys).verify(good, nonce: .mustBeAbsent)
        _ = try observed(issuer.keys).verify(good, nonce: .mustBeAbsent, with: issuer.keys)
        #expect(told.withLock(\.self) == ["verified", "verified"])
        _ = try? await observed(issuer.keys).verify(late, nonce: .mustBeAbsent)
        _ = try? observed(issuer.keys).verify(late, nonce: .mustBeAbsent, with: issuer.keys)
        #expect(told.withLock(\.self).dropFirst(2) == ["expired", "expired"])
        let nobody = Result<KeySnapshot, VerificationUnavailable>.failure(VerificationUnavailable(detail: "none"))
        _ = try? await observed(SpyKeySource(nobody, then: nobody)).verify(good, nonce: .mustBeAbsent)
        #expect(told.withLock(\.self).dropFirst(4) == ["keys-unavailable"])
    }

    // MARK: Keys

    @Test(.rule("T-040"))
    func `available keys are requested once, and not refreshed`() async throws {
        let spy = SpyKeySource(issuer.keys)
        _ = try await verifier(spy).verify(issuer.token(), nonce: .mustBeAbsent)
        #expect(spy.calls == [Self.asked])
    }

    @Test(.rule("T-040", "T-162"))
    func `a missing key causes one refresh, and is then used`() async throws {
        let spy = SpyKeySource(empty, then: issuer.keys)
        var reports: [CheckReport] = []
        _ = try await verifier(spy).verify(issuer.token(), nonce: .mustBeAbsent) { reports.append($0) }
        #expect(spy.calls == [Self.asked, lookedFor(issuer.key.keyID)])
        #expect(reports.map(\.check) == Check.inOrder)
    }

    @Test(.rule("T-040"))
    func `a token whose key is missing after one refresh is refused`() async {
        let spy = SpyKeySource(empty)
        await expectRefused(.keyNotFound) { () async throws(VerificationError) in
            try await verifier(spy).verify(issuer.token(), nonce: .mustBeAbsent)
        }
        #expect(spy.calls == [Self.asked, lookedFor(issuer.key.keyID)])
    }

    @Test
    func `a token is undecided if the key source does not know the issuer`() async throws {
        let spy = SpyKeySource(KeySnapshot([]), then: issuer.keys)
        await expectUndecided(.keysUnavailable) { () async throws(VerificationError) in
            try await verifier(spy).verify(issuer.token(), nonce: .mustBeAbsent)
        }
        #expect(spy.calls == [Self.asked])
    }

    @Test
    func `a token is undecided if the key source no longer knows the issuer after the refresh`() async throws {
        let spy = SpyKeySource(empty, then: KeySnapshot([]))
        await expectUndecided(.keysUnavailable) { () async throws(VerificationError) in
            try await verifier(spy).verify(issuer.token(), nonce: .mustBeAbsent)
        }
        #expect(spy.calls == [Self.asked, lookedFor(issuer.key.keyID)])
    }

    private func snapshot(_ keys: TestKey...) throws -> KeySnapshot {
        KeySnapshot(provider: issuer.provider, keys: JSONWebKeySet(try keys.map { try $0.publicKey() }))
    }

    @Test(.rule("T-162"))
    func `a token without a key ID is verified after one refresh if no available key verifies it`()
        async throws
    {
        let text = issuer.token { $0.header["kid"] = nil }
        for first in [try snapshot(), try snapshot(.another)] {
            let spy = SpyKeySource(first, then: issuer.keys)
            _ = try await verifier(spy).verify(text, nonce: .mustBeAbsent)
            #expect(spy.calls == [Self.asked, .refreshed(issuer: "https://issuer.example", unknownKeyID: nil)])
        }
        let spy = SpyKeySource(issuer.keys, then: try snapshot())
        _ = try await verifier(spy).verify(text, nonce: .mustBeAbsent)
        #expect(spy.calls == [Self.asked])
    }

    @Test(.rule("T-162"))
    func `a token without a key ID is refused if no key verifies it after one refresh`() async throws {
        let text = issuer.token { $0.header["kid"] = nil }
        for (keys, code) in [(try snapshot(), VerificationCode.keyNotFound), (try snapshot(.another), .signature)] {
            let spy = SpyKeySource(keys)
            await expectRefused(code) { () async throws(VerificationError) in
                try await verifier(spy).verify(text, nonce: .mustBeAbsent)
            }
            #expect(spy.calls.count == 2)
        }
    }

    /// Returns a snapshot with a key that has the ID of the issuer's key.
    private func namesakes(of key: TestKey) throws -> KeySnapshot {
        var namesake = key.json
        namesake["kid"] = .string(issuer.key.keyID)
        let keys = try JSONWebKeySet(json: (["keys": [namesake]] as TestJSON).text)
        return KeySnapshot(provider: issuer.provider, keys: keys)
    }

    private static let lookedForNewer = SpyKeySource.Call.refreshed(issuer: "https://issuer.example", unknownKeyID: nil)

    @Test(.rule("T-162"))
    func `a token is verified after one refresh if its key was replaced under the same key ID`() async throws {
        let spy = SpyKeySource(try namesakes(of: .another), then: issuer.keys)
        var reports: [CheckReport] = []
        _ = try await verifier(spy).verify(issuer.token(), nonce: .mustBeAbsent) { reports.append($0) }
        #expect(spy.calls == [Self.asked, Self.lookedForNewer])
        #expect(reports.map(\.check) == Check.inOrder)
    }

    @Test(.rule("T-162"))
    func `the synchronous method requests no refresh`() throws {
        let keys = try namesakes(of: .another)
        expectRefusal(.signature) { try verifier(keys).verify(issuer.token(), nonce: .mustBeAbsent, with: keys) }
    }

    @Test(.rule("T-168"))
    func `a token is refused for its missing key if the refresh shows that the key is gone`() async throws {
        let spy = SpyKeySource(try namesakes(of: .another), then: empty)
        await expectRefused(.keyNotFound) { () async throws(VerificationError) in
            try await verifier(spy).verify(issuer.token(), nonce: .mustBeAbsent)
        }
        #expect(spy.calls == [Self.asked, Self.lookedForNewer])
    }

    @Test(.rule("T-071"), arguments: [false, true])
    func `an invalid signature is refused even if newer keys are unavailable`(losesIssuer: Bool)
        async throws
    {
        let failure = Result<KeySnapshot, VerificationUnavailable>.failure(VerificationUnavailable(detail: "timeout"))
        let spy = SpyKeySource(.success(issuer.keys), then: losesIssuer ? .success(KeySnapshot([])) : failure)
        await expectRefused(.signature) { () async throws(VerificationError) in
            try await verifier(spy).verify(issuer.token { $0.signing = .key(.another) }, nonce: .mustBeAbsent)
        }
        #expect(spy.calls == [Self.asked, Self.lookedForNewer])
    }

    @Test(.rule("T-040"))
    func `an unusable key causes no refresh`() async throws {
        var weak = issuer.key.json
        weak["use"] = "enc"
        let keys = try JSONWebKeySet(json: (["keys": [weak]] as TestJSON).text)
        let spy = SpyKeySource(KeySnapshot(provider: issuer.provider, keys: keys), then: issuer.keys)
        await expectRefused(.keyUnusable) { () async throws(VerificationError) in
            try await verifier(spy).verify(issuer.token(), nonce: .mustBeAbsent)
        }
        #expect(spy.calls == [Self.asked])
    }

    @Test(.rule("T-038", "T-039"))
    func `an invalid key ID causes no refresh`() async {
        for keyID: TestJSON in ["", 1, .null, .string(String(repeating: "k", count: 257))] {
            let spy = SpyKeySource(empty, then: issuer.keys)
            await expectRefused(.keyID) { () async throws(VerificationError) in
                try await verifier(spy).verify(issuer.token { $0.header["kid"] = keyID }, nonce: .mustBeAbsent)
            }
            #expect(!spy.calls.contains { $0 != Self.asked })
        }
    }

    @Test(.rule("T-071"))
    func `an invalid signature is refused after one refresh`() async {
        let spy = SpyKeySource(issuer.keys)
        await expectRefused(.signature) { () async throws(VerificationError) in
            try await verifier(spy).verify(issuer.token { $0.signing = .key(.another) }, nonce: .mustBeAbsent)
        }
        #expect(spy.calls == [Self.asked, Self.lookedForNewer])
    }

    // MARK: No keys

    @Test(.rule("T-166"))
    func `a token is undecided without keys, and every completed check is reported`() async {
        let failure = VerificationUnavailable(detail: "connection refused")
        let spy = SpyKeySource(.failure(failure), then: .success(issuer.keys))
        var reports: [CheckReport] = []
        let unavailable = await expectUndecided(.keysUnavailable) { () async throws(VerificationError) in
            try await verifier(spy).verify(issuer.token(), nonce: .mustBeAbsent) { reports.append($0) }
        }
        #expect(unavailable?.description.contains("connection refused") == true)
        #expect(unavailable?.publicMessage.contains("connection refused") == false)
        #expect(spy.calls == [Self.asked])
        #expect(reports.map(\.check) == Check.inOrder)
        #expect(reports.filter { $0.outcome == .pass }.map(\.check) == Array(Check.inOrder.prefix { $0 != .key }))
        #expect(!reports.contains { $0.outcome == .fail })
    }

    @Test(.rule("T-166"))
    func `a token is undecided if the refresh for its key fails`() async {
        let spy = SpyKeySource(.success(empty), then: .failure(VerificationUnavailable(detail: "timeout")))
        await expectUndecided(.keysUnavailable) { () async throws(VerificationError) in
            try await verifier(spy).verify(issuer.token(), nonce: .mustBeAbsent)
        }
        #expect(spy.calls == [Self.asked, lookedFor(issuer.key.keyID)])
    }

    @Test(.rule("T-166"), arguments: [TokenFault.size, .algorithm, .issuer, .audience])
    func `a token that fails an earlier check is refused without keys`(fault: TokenFault) async throws {
        let bench = try FaultBench()
        let spy = SpyKeySource(
            .failure(VerificationUnavailable(detail: "")),
            then: .failure(VerificationUnavailable(detail: ""))
        )
        await expectRefused(fault.found.code) { () async throws(VerificationError) in
            try await bench.verifyWaiting(text: bench.token([fault]), nonce: bench.nonce([fault]), keys: spy)
        }
        #expect(spy.calls.isEmpty)
    }

    // MARK: Synchronous and asynchronous

    @Test(.rule("T-146"), arguments: [nil] + TokenFault.allCases.map { Optional($0) })
    func `the asynchronous and the synchronous method have the same results and reports`(fault: TokenFault?)
        async throws
    {
        let bench = try FaultBench()
        let faults = [fault].compactMap(\.self)
        let text = bench.token(faults)
        var reports: (sync: [CheckReport], async: [CheckReport]) = ([], [])
        var texts: (sync: String, async: String) = ("", "")
        do throws(TokenRefusal) {
            let token = try bench.verify(text: text, nonce: bench.nonce(faults)) { reports.sync.append($0) }
            texts.sync = token.description
        } catch {
            texts.sync = error.description
        }
        do throws(VerificationError) {
            let token = try await bench.verifyWaiting(text: text, nonce: bench.nonce(faults)) {
                reports.async.append($0)
            }
            texts.async = token.description
        } catch {
            texts.async = error.description
        }
        #expect(texts.sync == texts.async && texts.sync.hasPrefix("token refused: ") == (fault != nil))
        #expect(reports.sync == reports.async && reports.sync.count == Check.inOrder.count)
    }

    // MARK: What is verified

    @Test(.rule("T-076"))
    func `a verified token has the checked values and all claims`() throws {
        let token = try bench.verify { $0.claims["given_name"] = "Ada" }
        let now = issuer.clock.now
        #expect(token.issuer == "https://issuer.example" && token.audience == "client-1")
        #expect(token.subject == "1000000000000001")
        #expect(token.issuedAt == now - 60 && token.expiresAt == now + 3540)
        #expect(token.nonceCheck == .absent)
        #expect(token.claims["given_name"]?.string == "Ada")
        #expect(token.claims.names == ["iss", "aud", "sub", "iat", "exp", "given_name"])
        #expect(token.jws.algorithm == .rs256 && token.jws.header.keyID == issuer.key.keyID)
    }

    @Test(.rule("T-076"))
    func `claims can be decoded into a type, with times as seconds since 1970`() throws {
        struct Person: Decodable {
            let sub: String
            let exp: Date
            let picture: URL?
            let email: String?
        }
        let token = try bench.verify { $0.claims["picture"] = "https://issuer.example/p.png" }
        let person: Person = try token.decode()
        #expect(person.sub == token.subject && person.exp == token.expiresAt)
        #expect(person.picture == URL(string: "https://issuer.example/p.png") && person.email == nil)
        struct Other: Decodable { let missing: String }
        #expect(throws: DecodingError.self) { try token.decode(Other.self) }
    }

    @Test
    func `refusals and undecided verdicts have a code`() async throws {
        let refused = await #expect(throws: VerificationError.self) {
            try await verifier(SpyKeySource(issuer.keys)).verify("", nonce: .mustBeAbsent)
        }
        #expect(refused?.code == .segments)
        let undecided = await #expect(throws: VerificationError.self) {
            try await verifier(SpyKeySource(KeySnapshot([]))).verify(issuer.token(), nonce: .mustBeAbsent)
        }
        #expect(undecided?.code == .keysUnavailable)
    }

    @Test
    func `the detail of a key source's failure is one line of ASCII`() {
        let unavailable = VerificationUnavailable(
            detail: "body: \u{1B}[31m\r\nforged line é" + String(repeating: "x", count: 9999)
        )
        #expect(unavailable.description.unicodeScalars.allSatisfy { (0x20...0x7E).contains($0.value) })
        #expect(unavailable.description.utf8.count < 5 * Limits.quotedCharacters)
        #expect(unavailable.description.hasPrefix("undecided: keys-unavailable: body: "))
    }

    @Test
    func `a verified token names the same provider for each of its issuers`() throws {
        let names = try Provider.facebook.issuers.map { issuer in
            let bench = try Bench(issuer: TestIssuer.facebook())
            return try bench.verify { $0.claims["iss"] = .string(issuer) }.provider.name
        }
        #expect(names == ["facebook", "facebook", "facebook"])
        #expect(try Bench().verify().provider.name == "https://issuer.example")
    }
}
