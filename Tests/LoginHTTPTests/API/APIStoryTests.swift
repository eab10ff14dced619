// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import LimitedLogin
import LoginProviders
import LoginTokens
import Foundation
import HTTPTypes
import LoginAccounts
import LoginTesting
import TestSupport
import Testing

@testable import LoginHTTP

/// Complete stories of users, over HTTP.
@Suite struct APIStoryTests {
    @Test func `a sign-in opens a session that authenticates requests to the server's own routes`() async throws {
        try await LoginFixture().run { client in
            try await client.refused(.missingSession, .get, "/notes")
            let answer = try await client.signIn("ada")
            #expect(answer.status == .ok)
            #expect(try answer.text("outcome") == "created")
            let token = try answer.text("tokens.sessionToken")
            let notes = try await client.ask(.get, "/notes", bearer: token)
            #expect(notes.text == (try answer.text("account.id")))
            #expect(try await client.signIn("ada").text("outcome") == "signedIn")
        }
    }

    @Test func `a sign-in returns the identity from the provider, and none of its tokens`() async throws {
        let fixture = try await LoginFixture()
        try await fixture.run { client in
            let limited = try await client.signIn("ada", with: .facebook, email: "ada@example.com")
            let identity = try #require(try limited.json()["identity"])
            #expect(identity["provider"]?.string == "facebook")
            #expect(identity["permissions"]?["granted"]?.elements?.compactMap(\.string) == ["email"])
            #expect(identity["permissions"]?["declined"]?.elements?.isEmpty == true)
            #expect(identity["profile"]?["userID"]?.string == identity["uid"]?.string)
            #expect(identity["profile"]?["email"]?.string == "ada@example.com")

            let attempt = try await client.begin(.google)
            // The example of OpenID Connect Core, appendix A.3.
            let accessToken = "jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y"
            let token = fixture.google.token(nonce: try attempt.text("nonce")) {
                $0.claims["at_hash"] = "77QmUPtjPfzWtF2AnpK9RQ"
            }
            let members = #""type":"id-token","token":"\#(token)","attempt":"\#(try attempt.text("attempt"))""#
            let wrong = #"{"credential":{\#(members),"accessToken":"another"}}"#
            try await client.refused(.invalidCredential, .post, "/v1/sign-in", wrong)
            let body = #"{"credential":{\#(members),"accessToken":"\#(accessToken)"}}"#
            let google = try await client.ask(.post, "/v1/sign-in", body)
            #expect(try google.text("identity.provider") == "google")
            #expect(try google.json()["identity"]?["profile"] == nil)
            #expect(!google.text.contains(accessToken) && !google.text.contains(token))

            let password = #"{"email":"bob@example.com","password":"correct horse battery"}"#
            #expect(try await client.ask(.post, "/v1/sign-up", password).json()["identity"] == nil)
        }
    }

    @Test func `an attempt can be used once, and only with a token for its own nonce`() async throws {
        try await LoginFixture().run { client in
            let attempt = try await client.begin(.google)
            let shown = try client.credential("ada", of: .google, attempt: attempt)
            let body = #"{"credential":\#(shown)}"#
            #expect(try await client.ask(.post, "/v1/sign-in", body).status == .ok)
            try await client.refused(.missingOrInvalidNonce, .post, "/v1/sign-in", body)
            let (first, second) = (try await client.begin(.google), try await client.begin(.google))
            let token = try client.credential("ada", of: .google, attempt: first)
                .replacing(try first.text("attempt"), with: try second.text("attempt"))
            try await client.refused(.missingOrInvalidNonce, .post, "/v1/sign-in", #"{"credential":\#(token)}"#)
        }
    }

    @Test func `a second login is linked, signs in and is unlinked, and the last login cannot be unlinked`()
        async throws
    {
        try await LoginFixture().run { client in
            let first = try await client.signIn("ada")
            let linked = try await client.link("ada", of: .facebook, to: try first.text("tokens.sessionToken"))
            #expect(try linked.text("outcome") == "linked")
            let other = try await client.signIn("ada", with: .facebook)
            #expect(try other.text("account.id") == first.text("account.id"))
            let token = try linked.text("tokens.sessionToken")
            let unlinked = try await client.ask(.post, "/v1/unlink", #"{"provider":"facebook"}"#, bearer: token)
            #expect(try unlinked.text("outcome") == "unlinked")
            let left = try unlinked.text("tokens.sessionToken")
            try await client.refused(.lastProvider, .post, "/v1/unlink", #"{"provider":"google"}"#, bearer: left)
            try await client.refused(.noSuchProvider, .post, "/v1/unlink", #"{"provider":"facebook"}"#, bearer: left)
        }
    }

    @Test func `linking a login of another account is a conflict, after which the two are previewed and merged`()
        async throws
    {
        try await LoginFixture().run { client in
            let source = try await client.session(of: "ada", with: .facebook)
            let target = try await client.session(of: "ada")
            let attempt = try await client.begin(.facebook, "link", bearer: target)
            let shown = try client.credential("ada", of: .facebook, attempt: attempt)
            let conflict = try await client.refused(
                .credentialAlreadyInUse,
                .post,
                "/v1/link",
                #"{"credential":\#(shown)}"#,
                bearer: target
            )
            #expect(try conflict.json()["pendingCredential"]?["token"]?.string != nil)
            let body = #"{"source":"\#(source)"}"#
            let preview = try await client.ask(.post, "/v1/merge/preview", body, bearer: target)
            #expect(try preview.json()["moves"]?.elements?.count == 1)
            let merged = try await client.ask(.post, "/v1/merge", body, bearer: target)
            #expect(try merged.text("outcome") == "merged")
            try await client.refused(.invalidUserToken, .get, "/v1/session", bearer: source)
            let again = try await client.signIn("ada", with: .facebook)
            #expect(try again.text("account.id") == merged.text("account.id"))
        }
    }

    @Test(.rule("IDEMPOTENCY-1", "R-MRG-6"), arguments: [nil, "a-key"])
    func `a merge is repeated with the token of the source's session, which it has closed`(_ key: String?) async throws
    {
        try await LoginFixture().run { client in
            let source = try await client.session(of: "ada", with: .facebook)
            let target = try await client.session(of: "ada")
            let other = try await client.session(of: "bob")
            let body = #"{"source":"\#(source)"}"#
            let headers: HTTPFields = key.map { [.idempotencyKey: $0] } ?? [:]
            let first = try await client.ask(.post, "/v1/merge", body, bearer: target, headers: headers)
            for _ in 1...2 {
                let again = try await client.ask(.post, "/v1/merge", body, bearer: target, headers: headers)
                for name in ["outcome", "account.id", "tokens.sessionToken"] {
                    #expect(try again.text(name) == first.text(name), "\(name)")
                }
            }
            let preview = try await client.ask(.post, "/v1/merge/preview", body, bearer: target)
            #expect(try preview.json()["isDone"]?.boolean == true)
            // For another account, the token is one of a closed session.
            for path in ["/v1/merge", "/v1/merge/preview"] {
                try await client.refused(.invalidUserToken, .post, path, body, bearer: other, headers: headers)
            }
        }
    }

    @Test func `a session that was closed before the merge of its account is no source`() async throws {
        try await LoginFixture().run { client in
            let closed = try await client.session(of: "ada", with: .facebook)
            try await client.ask(.post, "/v1/sign-out", "{}", bearer: closed)
            let source = try await client.session(of: "ada", with: .facebook)
            let target = try await client.session(of: "ada")
            let merge = { (token: String) in #"{"source":"\#(token)"}"# }
            try await client.refused(.invalidUserToken, .post, "/v1/merge", merge(closed), bearer: target)
            try await client.ask(.post, "/v1/merge", merge(source), bearer: target)
            try await client.refused(.invalidUserToken, .post, "/v1/merge", merge(closed), bearer: target)
        }
    }

    @Test func `a verified address of another account is a conflict, which ends with a linked login`() async throws {
        let fixture = try await LoginFixture()
        try await fixture.run { client in
            let email = #""email":"ada@example.com""#
            let made = try await client.ask(
                .post,
                "/v1/sign-up",
                #"{\#(email),"password":"correct horse battery"}"#
            )
            let token = try made.text("tokens.sessionToken")
            #expect(
                try await client.ask(.post, "/v1/account/email-verification", bearer: token).status == .accepted
            )
            let proof = try #require(fixture.mail.token(.verifyEmail))
            let proven = try await client.ask(
                .post,
                "/v1/account/email-verification/confirm",
                #"{"token":"\#(proof)"}"#,
                bearer: token
            )
            #expect(proven.status == .ok)
            let attempt = try await client.begin(.google)
            let shown = try client.credential("ada", of: .google, attempt: attempt, email: "ada@example.com")
            let conflict = try await client.refused(
                .accountExistsWithDifferentCredential,
                .post,
                "/v1/sign-in",
                #"{"credential":\#(shown)}"#
            )
            let pending = try conflict.text("pendingCredential.token")
            let password = #"{"type":"password",\#(email),"password":"correct horse battery"}"#
            let session = try await client.ask(.post, "/v1/sign-in", #"{"credential":\#(password)}"#)
            let credential = #"{"type":"pending","token":"\#(pending)","provider":"google"}"#
            let linked = try await client.ask(
                .post,
                "/v1/link",
                #"{"credential":\#(credential)}"#,
                bearer: try session.text("tokens.sessionToken")
            )
            #expect(try linked.text("outcome") == "linked")
            #expect(try linked.text("account.id") == made.text("account.id"))
        }
    }

    @Test func `an unverified address of another account is no conflict, and is removed from that account`()
        async throws
    {
        try await LoginFixture().run { client in
            let named = try await client.signUp("ada@example.com")
            let token = try named.text("tokens.sessionToken")
            #expect(try await client.ask(.get, "/v1/account", bearer: token).text("email") == "ada@example.com")
            let owner = try await client.signIn("ada", email: "ada@example.com")
            #expect(try owner.text("outcome") == "created")
            #expect(try owner.text("account.email") == "ada@example.com")
            #expect(try owner.text("account.id") != named.text("account.id"))
            let left = try await client.ask(.get, "/v1/account", bearer: token)
            #expect(try left.text("id") == named.text("account.id"))
            #expect(try left.json()["email"] == nil)
        }
    }

    @Test func `a second factor is enrolled, required at sign-in and removed`() async throws {
        let fixture = try await LoginFixture()
        try await fixture.run { client in
            let token = try await client.signIn("ada", email: "ada@example.com").text("tokens.sessionToken")
            let begun = try await client.ask(
                .post,
                "/v1/second-factors/totp",
                #"{"issuer":"Notes"}"#,
                bearer: token
            )
            #expect(begun.status == .created)
            let app = try AuthenticatorApp(secret: try begun.text("secret"))
            let uid = try begun.text("uid")
            func assertion() -> String {
                #"{"type":"totp","uid":"\#(uid)","code":"\#(app.code(at: fixture.clock.now))"}"#
            }
            let enrolled = try await client.ask(
                .post,
                "/v1/second-factors/confirm",
                #"{"assertion":\#(assertion())}"#,
                bearer: token
            )
            #expect(try enrolled.text("factor.uid") == uid)
            let first = try enrolled.text("tokens.sessionToken")
            let codes = try await client.ask(.post, "/v1/second-factors/recovery-codes", bearer: first)
            #expect(try #require(try codes.json()["codes"]?.elements).count >= 8)

            fixture.clock.advance(by: .seconds(60))
            let shown = try client.credential("ada", of: .google, attempt: try await client.begin(.google))
            let held = try await client.refused(
                .secondFactorRequired,
                .post,
                "/v1/sign-in",
                #"{"credential":\#(shown)}"#
            )
            let resolver = try held.text("resolver.token")
            try await client.refused(
                .invalidVerificationCode,
                .post,
                "/v1/second-factors/resolve",
                #"{"resolver":"\#(resolver)","assertion":{"type":"totp","uid":"\#(uid)","code":"000000"}}"#
            )
            let signedIn = try await client.ask(
                .post,
                "/v1/second-factors/resolve",
                #"{"resolver":"\#(resolver)","assertion":\#(assertion())}"#
            )
            let second = try signedIn.text("tokens.sessionToken")
            #expect(try signedIn.json()["session"]?["level"]?.integer == 2)
            #expect(
                try await client.ask(.delete, "/v1/second-factors/\(uid)", bearer: second).status == .noContent
            )
            let left = try await client.ask(.get, "/v1/account", bearer: second)
            #expect(try left.json()["secondFactors"]?.elements?.isEmpty == true)
        }
    }

    @Test func `sessions are listed and closed, one or all others`() async throws {
        try await LoginFixture().run { client in
            let (mine, phone, tablet) = (
                try await client.session(of: "ada"), try await client.session(of: "ada"),
                try await client.session(of: "ada")
            )
            let list = try await client.ask(.get, "/v1/sessions", bearer: mine)
            #expect(try list.json()["items"]?.elements?.count == 3)
            let id = try await client.ask(.get, "/v1/session", bearer: phone).text("id")
            #expect(try await client.ask(.delete, "/v1/sessions/\(id)", bearer: mine).status == .noContent)
            try await client.refused(.invalidUserToken, .get, "/v1/session", bearer: phone)
            try await client.refused(.notFound, .delete, "/v1/sessions/\(id)", bearer: mine)
            let closed = try await client.ask(.delete, "/v1/sessions", bearer: mine)
            #expect(try closed.json()["closed"]?.integer == 1)
            try await client.refused(.invalidUserToken, .get, "/v1/session", bearer: tablet)
            // The session of another user is not found.
            let other = try await client.session(of: "grace")
            let own = try await client.ask(.get, "/v1/session", bearer: mine).text("id")
            try await client.refused(.notFound, .delete, "/v1/sessions/\(own)", bearer: other)
        }
    }

    @Test func `tokens are refreshed, and later use of the old refresh token closes the session`() async throws {
        let fixture = try await LoginFixture()
        try await fixture.run { client in
            let old = try await client.signIn("ada").text("tokens.refreshToken")
            let body = #"{"refreshToken":"\#(old)"}"#
            let new = try await client.ask(.post, "/v1/refresh", body)
            #expect(try new.text("outcome") == "refreshed")
            let token = try new.text("tokens.sessionToken")
            #expect(try await client.ask(.get, "/v1/session", bearer: token).status == .ok)
            fixture.clock.advance(by: .seconds(3600))
            try await client.refused(.invalidUserToken, .post, "/v1/refresh", body)
            try await client.refused(.invalidUserToken, .get, "/v1/session", bearer: token)
        }
    }

    @Test func `an anonymous account is upgraded by linking its first login`() async throws {
        try await LoginFixture().run { client in
            let guest = try await client.ask(.post, "/v1/sign-in/anonymous", "{}")
            #expect(try guest.json()["account"]?["isAnonymous"]?.boolean == true)
            let token = try guest.text("tokens.sessionToken")
            let upgraded = try await client.link("ada", of: .google, to: token)
            #expect(try upgraded.text("outcome") == "upgraded")
            #expect(try upgraded.text("account.id") == guest.text("account.id"))
            let stale = try await client.refused(.invalidUserToken, .get, "/v1/account", bearer: token)
            #expect(stale.status == .unauthorized)
        }
    }

    @Test func `sensitive operations require a recent login, which reauthentication provides`() async throws {
        let fixture = try await LoginFixture()
        try await fixture.run { client in
            let token = try await client.session(of: "ada")
            fixture.clock.advance(by: .seconds(3600))
            try await client.refused(.requiresRecentLogin, .get, "/v1/account/data", bearer: token)
            try await client.refused(.requiresRecentLogin, .delete, "/v1/account", bearer: token)
            let attempt = try await client.begin(.google, "reauthenticate", bearer: token)
            let shown = try client.credential("ada", of: .google, attempt: attempt)
            let proven = try await client.ask(
                .post,
                "/v1/reauthenticate",
                #"{"credential":\#(shown)}"#,
                bearer: token
            )
            let recent = try proven.text("tokens.sessionToken")
            #expect(try await client.ask(.get, "/v1/account/data", bearer: recent).status == .ok)
            #expect(try await client.ask(.delete, "/v1/account", bearer: recent).status == .noContent)
            try await client.refused(.invalidUserToken, .get, "/v1/session", bearer: recent)
        }
    }

    @Test func `the sixth export of an account's data in an hour is refused with 429 and Retry-After`() async throws {
        let fixture = try await LoginFixture()
        try await fixture.run { client in
            let token = try await client.session(of: "ada")
            for _ in 1...5 {
                #expect(try await client.ask(.get, "/v1/account/data", bearer: token).status == .ok)
            }
            fixture.clock.advance(by: .seconds(60))
            let refused = try await client.refused(.tooManyRequests, .get, "/v1/account/data", bearer: token)
            #expect(refused.status == .tooManyRequests)
            #expect(refused.headers[.retryAfter] == "3540")
        }
    }

    @Test func `a phone number signs in with the code that was sent, and not with a wrong one`() async throws {
        let fixture = try await LoginFixture()
        try await fixture.run { client in
            try await client.refused(.invalidPhoneNumber, .post, "/v1/phone-codes", #"{"number":"12"}"#)
            let sent = try await client.ask(.post, "/v1/phone-codes", #"{"number":"+1 415 555 0100"}"#)
            #expect(sent.status == .created)
            let message = try #require(fixture.codes.last(to: "+14155550100"))
            func body(_ code: String) throws -> String {
                let id = try sent.text("id")
                return #"{"credential":{"type":"phone","verificationID":"\#(id)","code":"\#(code)"}}"#
            }
            let wrong = message.code == "000000" ? "000001" : "000000"
            try await client.refused(.invalidVerificationCode, .post, "/v1/sign-in", body(wrong))
            #expect(try await client.ask(.post, "/v1/sign-in", body(message.code)).status == .ok)
        }
    }

    @Test func `a forgotten password is reset, and the response is the same for an unknown address`() async throws {
        let fixture = try await LoginFixture()
        try await fixture.run { client in
            let email = #""email":"ada@example.com""#
            try await client.ask(.post, "/v1/sign-up", #"{\#(email),"password":"correct horse battery"}"#)
            let known = try await client.ask(.post, "/v1/password-resets", #"{\#(email)}"#)
            let unknown = try await client.ask(.post, "/v1/password-resets", #"{"email":"eve@example.com"}"#)
            #expect(known.status == .accepted && unknown.status == .accepted && known.text == unknown.text)
            let token = try #require(fixture.mail.token(.resetPassword))
            let body = #"{"token":"\#(token)","password":"another horse battery"}"#
            #expect(try await client.ask(.post, "/v1/password-resets/confirm", body).status == .noContent)
            try await client.refused(.invalidCredential, .post, "/v1/password-resets/confirm", body)
            func signIn(_ password: String) -> String {
                #"{"credential":{"type":"password",\#(email),"password":"\#(password)"}}"#
            }
            try await client.refused(.wrongPassword, .post, "/v1/sign-in", signIn("correct horse battery"))
            let answer = try await client.ask(.post, "/v1/sign-in", signIn("another horse battery"))
            #expect(answer.status == .ok)
        }
    }

    @Test func `a profile is changed, and an invalid photo URL is refused`() async throws {
        try await LoginFixture().run { client in
            let token = try await client.session(of: "ada")
            let answer = try await client.ask(.patch, "/v1/account", #"{"displayName":"Ada"}"#, bearer: token)
            #expect(try answer.text("displayName") == "Ada")
            try await client.refused(
                .invalidProfile,
                .patch,
                "/v1/account",
                #"{"photoURL":"javascript:alert(1)"}"#,
                bearer: token
            )
            #expect(try await client.ask(.get, "/v1/account", bearer: token).text("displayName") == "Ada")
        }
    }
}
#endif
