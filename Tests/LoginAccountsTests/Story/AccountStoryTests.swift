// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LimitedLogin
import LoginAccounts
import LoginProviders
import LoginTesting
import Testing

/// The guide "One person, several logins", from an anonymous guest to the last login, which cannot be unlinked.
@Suite struct AccountStoryTests {
    // The in-memory store cannot hold the application's table of notes.
    @Test(arguments: StoreUnderTest.databases)
    func `a guest merges, with their notes, into the account whose login they linked, and keeps a login`(
        _ kind: StoreUnderTest
    ) async throws {
        let story = try await Story(kind.make())
        let notes = ["bread, milk"]
        let (owner, app) = try await story.prepareOwner()

        let guest = try await story.begin()
        try await story.write("bread, milk", of: guest.account.id)
        let pending = try await story.meet(guest)

        // The guest is unchanged, and the pending credential signs in to its account, once the second factor is
        // verified.
        #expect(try await story.auth.account(guest.account.id).isAnonymous)
        let current = try await story.signIn(pending) { _ in app.code(at: story.fixture.clock.now) }
        #expect(current.account.id == owner && current.session.level == 2)
        await expectError(.invalidCredential) { try await story.auth.signIn(with: .pending(pending)).get() }

        // An error in the application's code leaves both accounts and the notes unchanged.
        let failing = story.fixture.hooked { _, _ in throw Story.Failure() }
        let error = await expectError(.internalError) {
            try await failing.merge(from: guest.session, into: current.session)
        }
        #expect(error?.application is Story.Failure)
        #expect(try await story.auth.account(guest.account.id).isAnonymous)
        #expect(try await story.notes(of: guest.account.id) == notes)

        let merged = try await story.join(guest, current)
        #expect(merged.account.id == owner && merged.outcome == .merged)
        let resolved = try await story.auth.account(guest.account.id)
        #expect(resolved.id == owner && resolved.resolvedFrom == guest.account.id)
        #expect(try await story.notes(of: owner) == notes)
        await expectError(.invalidUserToken) { try await story.auth.session(guest.tokens.sessionToken) }

        let account = try await story.part(merged)
        #expect(account.providerData.map(\.providerID) == [.facebook])
        #expect(try await AccountInvariants.violations(in: story.fixture.store) == [])
    }
}

/// The parts of the story, as the guide shows them.
private struct Story {
    struct Failure: Error {}

    let fixture: AuthFixture
    var auth: Auth { fixture.auth }

    init(_ store: any AccountStore) async throws {
        fixture = try await AuthFixture(store)
        try await store.transaction { rows in
            let database = try #require(rows as? any SQLStoreTransaction)
            try database.execute("CREATE TABLE note (owner TEXT NOT NULL, text TEXT NOT NULL)", [])
        }
    }

    /// Creates a user who signed in with Google, linked Facebook, and has an authenticator app.
    func prepareOwner() async throws -> (AccountID, AuthenticatorApp) {
        let google = try await fixture.signIn(as: "ada", with: .google, email: "ada@example.com")
        let facebook = try await fixture.credential(as: "ada-fb", with: .facebook, for: .link(google.session))
        let linked = try await google.session.link(with: facebook)
        let enrollment = try await linked.session.multiFactor.beginEnrollment(.totp(issuer: "Example"))
        let app = try AuthenticatorApp(secret: enrollment.secret)
        _ = try await enrollment.confirm(app.code(at: fixture.clock.now))
        // A code can be used once, so the next one belongs to a later half minute.
        fixture.clock.advance(by: .seconds(60))
        return (google.account.id, app)
    }

    func begin() async throws -> AuthDataResult {
        let guest = try await auth.signInAnonymously()
        return guest
    }

    func meet(_ guest: AuthDataResult) async throws -> PendingCredential {
        let attempt = try await auth.begin(.link(guest.session), with: .facebook)
        let token = fixture.token(of: attempt, as: "ada-fb", with: .facebook)
        var met: PendingCredential?
        func signIn(_ pending: PendingCredential) async throws(AuthError) -> AuthDataResult {
            met = pending
            return guest
        }
        func link() async throws(AuthError) -> AuthDataResult {
            do throws(AuthError) {
                return try await guest.session.link(with: .idToken(token, attempt: attempt.token))
            } catch {
                guard case .credentialAlreadyInUse(let pending?, _) = error.reason else { throw error }
                return try await signIn(pending)
            }
        }
        _ = try await link()
        return try #require(met)
    }

    func signIn(
        _ pending: PendingCredential,
        askForCode: (MultiFactorInfo) -> String
    ) async throws(AuthError) -> AuthDataResult {
        let outcome = try await auth.signIn(with: .pending(pending))
        guard case .secondFactorRequired(let resolver) = outcome,
            let hint = resolver.hints.first(where: { $0.factorID == .totp })
        else { return try outcome.get() }
        return try await auth.resolveSignIn(resolver.token, with: .totp(hint.uid, code: askForCode(hint)))
    }

    func join(_ guest: AuthDataResult, _ current: AuthDataResult) async throws -> AuthDataResult {
        let hooks = AuthHooks<any SQLStoreTransaction>(
            onMerge: { merge, database in
                let accounts: [StoreValue] = [.text(merge.source.rawValue), .text(merge.target.rawValue)]
                try database.execute("UPDATE note SET owner = $2 WHERE owner = $1", accounts)
            }
        )
        let auth = fixture.hooked(hooks)
        let merged = try await auth.merge(from: guest.session, into: current.session)
        return merged
    }

    func part(_ merged: AuthDataResult) async throws -> Account {
        let parted = try await merged.session.unlink(fromProvider: .google)
        do throws(AuthError) {
            _ = try await parted.session.unlink(fromProvider: .facebook)
        } catch {
            print(error.code)  // "last-provider"
        }
        await expectError(.lastProvider) { try await parted.session.unlink(fromProvider: .facebook) }
        return parted.account
    }

    // MARK: - The application's data

    func write(_ text: String, of account: AccountID) async throws {
        try await fixture.store.transaction { rows in
            let database = try #require(rows as? any SQLStoreTransaction)
            try database.execute(
                "INSERT INTO note (owner, text) VALUES ($1, $2)",
                [.text(account.rawValue), .text(text)]
            )
        }
    }

    func notes(of account: AccountID) async throws -> [String] {
        let rows = try await fixture.store.transaction { rows -> [StoreRow] in
            let database = try #require(rows as? any SQLStoreTransaction)
            return try database.execute("SELECT text FROM note WHERE owner = $1", [.text(account.rawValue)])
        }
        return rows.compactMap { row in
            guard case .text(let text)? = row.values["text"] else { return nil }
            return text
        }
    }
}
