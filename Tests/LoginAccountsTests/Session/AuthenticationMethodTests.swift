// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginProviders
import LoginTesting
import TestSupport
import Testing

@testable import LoginAccounts

/// The methods by which a user was authenticated, and their times.
@Suite struct AuthenticationMethodTests {
    @Test(.rule("R-MFA-6"), arguments: StoreUnderTest.all)
    func `a session with two factors lists both methods, each with its time`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let (app, _) = try await fixture.enrolApp(fixture.ada().session)
        let resolver = try await fixture.resolver()
        let first = fixture.clock.now
        fixture.clock.advance(by: .seconds(40))
        let result = try await resolver.resolveSignIn(with: .totp(app.uid, code: app.code(fixture.clock)))
        let second = fixture.clock.now
        let expected = [AuthenticationMethod(name: "fed", at: first), AuthenticationMethod(name: "otp", at: second)]
        #expect(result.session.methods == expected)
        #expect(result.session.authenticatedAt == second)
        let read = try await fixture.auth.session(result.tokens.sessionToken)
        #expect(read.methods == expected && read.authenticatedAt == second)
    }

    @Test(.rule("R-MFA-6"), arguments: StoreUnderTest.all)
    func `a repeated method gets a new time, and a step-up alone does not renew the authentication`(
        _ store: StoreUnderTest
    )
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.ada()
        let begin = fixture.clock.now
        let (app, enrolled) = try await fixture.enrolApp(ada.session)
        #expect(enrolled.session.methods.map(\.name) == ["fed", "otp"])
        fixture.clock.advance(by: .seconds(30))
        let stepped = try await enrolled.session.stepUp(with: .totp(app.uid, code: app.code(fixture.clock)))
        let later = fixture.clock.now
        #expect(
            stepped.session.methods == [
                AuthenticationMethod(name: "fed", at: begin), AuthenticationMethod(name: "otp", at: later),
            ]
        )
        #expect(stepped.session.authenticatedAt == begin)
        fixture.clock.advance(by: .seconds(30))
        let proven = try await fixture.reauthenticate("ada", in: stepped.session)
        #expect(
            proven.session.methods == [
                AuthenticationMethod(name: "otp", at: later), AuthenticationMethod(name: "fed", at: fixture.clock.now),
            ]
        )
        #expect(proven.session.authenticatedAt == fixture.clock.now)
    }

    @Test(.rule("R-MFA-6"), arguments: StoreUnderTest.all)
    func `an anonymous session lists no method until it gets a login`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let begun = try await fixture.auth.signInAnonymously()
        #expect(begun.session.methods.isEmpty)
        let linked = try await fixture.link("ada", with: .google, in: begun.session)
        let now = StoreTime(fixture.clock.now).date
        #expect(linked.session.methods == [AuthenticationMethod(name: "fed", at: now)])
        #expect(linked.session.authenticatedAt == now)
    }

    @Test func `authentication methods round-trip as text`() throws {
        let methods = [
            ProvenMethod("fed", at: StoreTime(milliseconds: 1)), ProvenMethod("otp", at: StoreTime(milliseconds: -2)),
        ]
        #expect(methods.text == #"[{"at":1,"method":"fed"},{"at":-2,"method":"otp"}]"#)
        #expect(try [ProvenMethod](text: methods.text) == methods)
        #expect(try [ProvenMethod](text: [ProvenMethod]().text) == [])
    }

    @Test(arguments: ["", "pwd otp", "{}", #"[{"method":"pwd"}]"#, #"[{"method":"p\"","at":1}]"#, #"[{"at":1}]"#])
    func `an invalid text of authentication methods is a store error`(text: String) {
        #expect(throws: StoreError.self) { try [ProvenMethod](text: text) }
    }
}
