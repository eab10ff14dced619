// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation
import LoginAccounts
import LoginCrypto
import LoginProviders
import LoginStoreSQLite
import LoginTesting
import LoginText
import TestSupport
import Testing

/// Read access to a store, without a key of the service, reveals no usable secret.
@Suite struct SecretsAtRestTests {
    @Test(.rule("IDEMPOTENCY-3"), arguments: StoreUnderTest.all)
    func `no token, code, secret or password is readable in the store`(_ kind: StoreUnderTest) async throws {
        var secrets = UsedSecrets()
        let fixture = try await AuthFixture(kind.make())
        try await useEverything(fixture, &secrets)
        let dump = try await Dump(fixture.store)
        // Make sure that the dump is complete: it contains values that need not be hidden.
        #expect(dump.contains("ada@example.com") && dump.contains("session.opened"))
        #expect(secrets.all.count >= 20)
        for (name, secret) in secrets.all { #expect(!dump.contains(secret), "\(name) is readable") }
    }

    /// Signs in with every method and every factor, and records each secret.
    private func useEverything(_ fixture: AuthFixture, _ secrets: inout UsedSecrets) async throws {
        let auth = fixture.auth
        let attempt = try await auth.begin(.signIn, with: .google)
        let idToken = fixture.token(of: attempt, as: "ada", with: .google, email: "ada@example.com")
        secrets.add("attempt", attempt.token)
        secrets.add("nonce", attempt.nonce)
        secrets.add("ID token", idToken)
        secrets.add("signature of the ID token", String(idToken.split(separator: ".")[2]))
        let unused = try await auth.begin(.signIn, with: .google)
        secrets.add("attempt that nobody used", unused.token)
        secrets.add("nonce that nobody used", unused.nonce)

        let signedIn = try await auth.signIn(with: .idToken(idToken, attempt: attempt.token)).get()
        secrets.add("session", signedIn.tokens)
        let refreshed = try await auth.refresh(signedIn.tokens.refreshToken)
        secrets.add("refreshed session", refreshed.tokens)

        let withPassword = try await refreshed.session.setPassword("correct horse battery staple")
        secrets.add("password", "correct horse battery staple")
        secrets.add("session with a password", withPassword.tokens)
        try await auth.sendPasswordReset(to: "ada@example.com")
        secrets.add("reset token", try #require(fixture.mail.token(.resetPassword)))

        let words = ["link", "password", "ada@example.com", "correct horse battery staple"]
        let again = try await withPassword.session.link(
            with: .password(email: words[2], password: words[3]),
            idempotencyKey: "key"
        )
        #expect(again.outcome == .alreadyLinked)
        // Read access to the store must not allow a guessed password to be verified.
        for parts in [words, Array(words.dropFirst()), Array(words.dropFirst(2)), [words[3]]] {
            let joined = Digest.sha256.hash(parts.joined().utf8)
            let nested = Digest.sha256.hash(parts.flatMap { Digest.sha256.hash($0.utf8) })
            secrets.add("hash of a request", Base64URL.encode(joined))
            secrets.add("hash of the parts of a request", Base64URL.encode(nested))
        }

        let app = try await enroll(again.session, fixture, &secrets)
        try await meetSecondFactor(fixture, app, &secrets)
        try await meetConflict(fixture, &secrets)
    }

    private func enroll(
        _ session: Session,
        _ fixture: AuthFixture,
        _ secrets: inout UsedSecrets
    ) async throws -> AuthenticatorApp {
        let enrollment = try await session.multiFactor.beginEnrollment(.totp(issuer: "Example"))
        secrets.add("secret of the app", enrollment.secret)
        secrets.add("address of the app", enrollment.uri)
        let app = try AuthenticatorApp(secret: enrollment.secret)
        secrets.add("code of the app", app.code(at: fixture.clock.now))
        let enrolled = try await enrollment.confirm(app.code(at: fixture.clock.now))
        if let tokens = enrolled.tokens { secrets.add("session of level 2", tokens) }

        let phone = try await enrolled.session.multiFactor.beginEnrollment(.phone("+4915112345678"))
        secrets.add("phone number", "+4915112345678")
        secrets.add("digits of the phone number", "15112345678")
        secrets.add("challenge of the phone", phone.challenge.id)
        let code = try #require(fixture.codes.last(to: "+4915112345678")?.code)
        secrets.add("code of the phone", code)
        let second = try await phone.confirm(code)
        for code in try await second.session.multiFactor.generateRecoveryCodes() {
            secrets.add("recovery code", code)
            secrets.add("recovery code without hyphens", code.filter { $0 != "-" })
        }
        return app
    }

    private func meetSecondFactor(
        _ fixture: AuthFixture,
        _ app: AuthenticatorApp,
        _ secrets: inout UsedSecrets
    ) async throws {
        fixture.clock.advance(by: .seconds(60))
        let credential = AuthCredential.password(email: "ada@example.com", password: "correct horse battery staple")
        let resolver = try await expectSecondFactor { try await fixture.auth.signIn(with: credential) }
        secrets.add("resolver", resolver.token)
        let hint = try #require(resolver.hints.first { $0.factorID == .totp })
        let result = try await fixture.auth.resolveSignIn(
            resolver.token,
            with: .totp(hint.uid, code: app.code(at: fixture.clock.now))
        )
        secrets.add("session of two factors", result.tokens)
        let waiting = try await expectSecondFactor { try await fixture.auth.signIn(with: credential) }
        secrets.add("resolver that waits", waiting.token)
    }

    private func meetConflict(_ fixture: AuthFixture, _ secrets: inout UsedSecrets) async throws {
        let guest = try await fixture.auth.signInAnonymously()
        secrets.add("session of a guest", guest.tokens)
        let credential = try await fixture.credential(as: "ada", with: .google, for: .link(guest.session))
        let error = await expectError(.credentialAlreadyInUse) { try await guest.session.link(with: credential) }
        secrets.add("pending credential", try #require(error?.pendingCredential).token)
    }
}

/// The secrets, each with a name.
private struct UsedSecrets {
    private(set) var all: [(name: String, secret: String)] = []

    mutating func add(_ name: String, _ secret: String) { all.append((name, secret)) }

    mutating func add(_ name: String, _ tokens: SessionTokens) {
        add("session token of the \(name)", tokens.sessionToken)
        add("refresh token of the \(name)", tokens.refreshToken)
    }
}

/// The contents of a store: its rows and, where there is one, the bytes of its file.
private struct Dump {
    private var texts: [[UInt8]] = []

    init(_ store: any AccountStore) async throws {
        texts = try await store.transaction { rows in
            var texts: [[UInt8]] = []
            for table in StoreSchema.tables {
                for row in try rows.select(from: table, where: [], order: nil, limit: nil) {
                    for value in row.values.values {
                        switch value {
                        case .text(let text): texts.append(Array(text.utf8))
                        case .bytes(let bytes): texts.append(bytes)
                        case .integer, .null: break
                        }
                    }
                }
            }
            return texts
        }
        #if SQLite
        // Deleted data must not remain in the file or in the log beside it either.
        guard let path = ((store as? PassingStore)?.base as? SQLiteAccountStore)?.path else { return }
        for file in [path, path + "-wal"] { texts.append(Array(try Data(contentsOf: URL(filePath: file)))) }
        #endif
    }

    /// Whether the dump contains a secret, as text or as the bytes that its base64url encodes.
    func contains(_ secret: String) -> Bool {
        let encoded = secret.wholeMatch(of: /ll[a-z]_(.+)/).map { String($0.1) } ?? secret
        let decoded = encoded.utf8.count > 20 ? Base64URL.decode(encoded.utf8) : nil
        let needles = [Array(secret.utf8), decoded].compactMap { $0 }
        return texts.contains { text in
            needles.contains { needle in
                // A short code may occur within a number by chance, so the characters around it must not be digits.
                needle.count <= 8 ? stands(needle, in: text) : Data(text).range(of: Data(needle)) != nil
            }
        }
    }

    private func stands(_ code: [UInt8], in text: [UInt8]) -> Bool {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let data = Data(text)
        var rest = data.startIndex..<data.endIndex
        while let found = data.range(of: Data(code), in: rest) {
            let before = found.lowerBound > 0 ? text[found.lowerBound - 1] : 0
            let after = found.upperBound < text.count ? text[found.upperBound] : 0
            if !digits.contains(before) && !digits.contains(after) { return true }
            rest = (found.lowerBound + 1)..<data.endIndex
        }
        return false
    }
}
