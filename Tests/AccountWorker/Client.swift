// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation
import LoginAccounts
import LoginProviders
import LoginTesting

/// One client: its users sign in, link, refresh, recover, unlink and merge, one after the other.
struct Client: Sendable {
    private let place: Workplace
    private let journal: Journal?
    private let times: Times?
    private let name: String
    private var people = 0

    init(_ place: Workplace, _ journal: Journal? = nil, times: Times? = nil, name: String) {
        self.place = place
        self.journal = journal
        self.times = times
        self.name = name
    }

    /// Runs all operations on one user.
    mutating func liveOnce() async throws {
        people += 1
        let person = "\(name)-\(people)"
        let created = try await signIn(person, Workplace.alpha)
        let linked = try await act(.link, person, Workplace.beta, ["account": created.account.id.rawValue]) {
            let credential = try await place.credential(person, Workplace.beta, for: .link(created.session))
            return try await timed("link") { try await created.session.link(with: credential) }
        }
        try await refreshTwice(linked.tokens.refreshToken, of: linked.account.id)
        let current = try await signIn(person, Workplace.alpha)
        let recovered = try await recover(person, current)
        let parted = try await act(.unlink, person, Workplace.beta, ["account": recovered.account.id.rawValue]) {
            try await timed("unlink") { try await recovered.session.unlink(fromProvider: Workplace.beta) }
        }
        let other = try await signIn(person + "-other", Workplace.beta)
        let values = ["account": parted.account.id.rawValue, "source": other.account.id.rawValue]
        _ = try await act(.merge, person + "-other", Workplace.beta, values) {
            try await timed("merge") { try await place.auth.merge(from: other.session, into: parted.session) }
        }
    }

    private func signIn(_ person: String, _ provider: ProviderID) async throws -> AuthDataResult {
        try await act(.create, person, provider, [:]) {
            let credential = try await place.credential(person, provider)
            let clock = ContinuousClock()
            let began = clock.now
            let result = try await place.auth.signIn(with: credential).get()
            times?.add(result.isNewUser ? "sign-in, new" : "sign-in, known", clock.now - began)
            return result
        }
    }

    private func refreshTwice(_ token: String, of account: AccountID) async throws {
        var token = token
        for _ in 0..<2 {
            try write(false, .refresh, ["account": account.rawValue])
            let refreshed = try await timed("refresh") { try await place.auth.refresh(token) }
            token = refreshed.tokens.refreshToken
            try write(true, .refresh, ["account": account.rawValue, "token": token])
            // The first request with new tokens records that they have arrived.
            for operation in ["first request", "request"] {
                _ = try await timed(operation) { try await place.auth.session(refreshed.tokens.sessionToken) }
            }
        }
    }

    /// Enrols a second factor, generates recovery codes, and signs in with one of them.
    private func recover(_ person: String, _ current: AuthDataResult) async throws -> AuthDataResult {
        // Enrolling the first factor closes the other sessions, so the line is written before.
        var values = ["account": current.account.id.rawValue, "subject": person, "provider": Workplace.alpha.rawValue]
        try write(false, .recover, values)
        let enrollment = try await current.session.multiFactor.beginEnrollment(.totp(issuer: "worker"))
        let app = try AuthenticatorApp(secret: enrollment.secret)
        let enrolled = try await enrollment.confirm(app.code(at: Date()))
        let codes = try await enrolled.session.multiFactor.generateRecoveryCodes()
        let resolver = try await place.resolver(of: place.credential(person, Workplace.alpha))
        let result = try await timed("recovery code") {
            try await resolver.resolveSignIn(with: .recoveryCode(codes[0]))
        }
        values["code"] = codes[0]
        try write(true, .recover, values)
        return result
    }

    /// Runs an operation, with a line in the journal before and after it.
    private func act(
        _ work: JournalEntry.Work,
        _ person: String,
        _ provider: ProviderID,
        _ values: [String: String],
        _ body: () async throws -> AuthDataResult
    ) async throws -> AuthDataResult {
        var values = values
        values["subject"] = person
        values["provider"] = provider.rawValue
        try write(false, work, values)
        let result = try await body()
        values["account"] = result.account.id.rawValue
        values["token"] = result.tokens.refreshToken
        try write(true, work, values)
        return result
    }

    private func write(_ isDone: Bool, _ work: JournalEntry.Work, _ values: [String: String]) throws {
        try journal?.write(JournalEntry(isDone: isDone, client: name, work: work, values: values))
    }

    private func timed<Value>(_ operation: String, _ body: () async throws -> Value) async throws -> Value {
        guard let times else { return try await body() }
        return try await times.measure(operation, body)
    }
}
