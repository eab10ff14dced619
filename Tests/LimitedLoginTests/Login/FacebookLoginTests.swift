// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LimitedLogin
internal import LimitedLoginTesting
import LoginProviders
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// Logins with Facebook, from the dialog to the verified identity.
@Suite struct FacebookLoginTests {
    private static let limited = Result { try LoginRequest.facebook(permissions: [.email], tracking: .limited) }
    private static let tracked = Result { try LoginRequest.facebook(permissions: [.email], tracking: .enabled) }

    @Test(.rule("F5.21", "F5.25"))
    func `a Limited Login returns a token and a profile, and no access token`() async throws {
        let bench = try LoginBench()
        let url = try await bench.begin(Self.limited.get(), returnTo: "/orders?page=2")
        let answer = try bench.answer(to: url)
        let login = try success(try await bench.finish(answer))
        #expect(login.identity.subject == bench.facebook.person.id)
        #expect(login.authenticationToken?.tokenString == answer["id_token"])
        #expect(login.profile?.email == "ada@example.com")
        #expect(login.identity.accessToken == nil)
        #expect(login.identity.providerTokens == nil)
        #expect(login.identity.permissions?.granted == [.email, .publicProfile])
        #expect(login.identity.permissions?.declined == [])
        #expect(login.identity.permissionSource == .callback)
        #expect(login.returnTo == "/orders?page=2")
        #expect(!"\(login) \(String(reflecting: login))".contains("ada"))
        #expect(Mirror(reflecting: login).children.isEmpty)
        // Everything came through the browser: the only request opened the dialog.
        #expect(bench.facebook.requestCount() == 1)
    }

    @Test(.rule("F5.14", "F5.21"), arguments: [true, false])
    func `a login with tracking also returns an access token, and the permissions that Facebook reports`(
        withSecret: Bool
    ) async throws {
        let bench = try LoginBench(withSecret: withSecret)
        bench.facebook.person.declines = ["email"]
        let login = try success(try await bench.logIn(Self.tracked.get()))
        #expect(login.identity.subject == bench.facebook.person.id)
        #expect(login.profile?.firstName == "Ada")
        #expect(login.profile?.email == nil)
        #expect(login.identity.accessToken?.userID == bench.facebook.person.id)
        #expect(login.identity.accessToken?.permissions.contains(.publicProfile) == true)
        #expect(login.identity.accessToken?.expirationDate != nil)
        #expect(login.identity.permissions?.hasGranted(.publicProfile) == true)
        #expect(login.identity.permissions?.hasGranted(.email) == false)
        #expect(login.identity.permissions?.declined == [.email])
        #expect(login.identity.permissionSource == .provider)
        #expect(bench.facebook.requestCount(of: "oauth/access_token") == 1)
        #expect(bench.facebook.requestCount(of: "debug_token") == (withSecret ? 1 : 0))
    }

    @Test(.rule("F5.12", "F5.22"), arguments: [LoginTracking.enabled, .limited])
    func `closing the dialog is a cancellation`(tracking: LoginTracking) async throws {
        let bench = try LoginBench()
        bench.facebook.person.cancels = true
        let url = try await bench.begin(try .facebook(tracking: tracking), returnTo: "/login")
        guard case .cancelled(let cancellation) = try await bench.finish(try bench.answer(to: url)) else {
            Issue.record("not cancelled")
            return
        }
        #expect(cancellation.returnTo == "/login")
    }

    @Test(
        .rule("F5.12", "F5.22"),
        arguments: [
            [("error", "access_denied"), ("error_reason", "policy")], [("error", "server_error")],
            [("error", "temporarily_unavailable"), ("error_description", "what <b>anybody</b> writes")],
            [("error_code", "1349048"), ("error_message", "something went wrong")], [("error_message", "x")],
            [("error", "no name of an error")],
        ]
    )
    func `another error of the provider is a failure, with or without a message`(
        error: [(String, String)]
    ) async throws {
        let bench = try LoginBench()
        let state = try parameters(of: try await bench.begin(Self.limited.get()))["state"] ?? ""
        let answer = Answer(query: [("state", state)] + error.map { (name: $0.0, value: $0.1) })
        let failure = expectFailure(.providerError, try await bench.finish(answer), hiding: [state])
        // Values that may be anything are not shown.
        #expect(failure?.description.contains("<b>") == false)
        #expect(failure?.description.contains("no name") == false)
        #expect(failure?.isRetryable == false)
    }

    @Test(.rule("F5.16", "F5.24"))
    func `a login without granted permissions succeeds`() async throws {
        let login = try success(
            try await LoginBench().logIn(try .facebook(tracking: .limited)) { answer in
                answer["granted_scopes"] = ""
                answer["denied_scopes"] = ""
            }
        )
        #expect(login.identity.permissions?.granted == [])
        #expect(login.identity.permissions?.declined == [])
    }

    @Test(.rule("F5.16", "F5.23"))
    func `of the permissions that the browser reports only requested ones count`() async throws {
        let bench = try LoginBench()
        bench.facebook.person.declines = ["user_birthday"]
        let request = try LoginRequest.facebook(permissions: [.email, .userBirthday], tracking: .limited)
        let login = try success(
            try await bench.logIn(request) { answer in
                answer["granted_scopes"] = "email,user_friends,openid,public_profile,ads_read"
                answer["denied_scopes"] = "user_birthday,user_likes"
            }
        )
        #expect(login.identity.permissions?.granted == [.email, .publicProfile])
        #expect(login.identity.permissions?.declined == [.userBirthday])
    }

    @Test(.rule("F5.16"))
    func `the claims of the token determine the permissions if the browser reports none`() async throws {
        let login = try success(
            try await LoginBench().logIn(Self.limited.get()) { answer in
                answer["granted_scopes"] = nil
                answer["denied_scopes"] = nil
            }
        )
        #expect(login.identity.permissions?.granted == [.email, .publicProfile])
        #expect(login.identity.permissionSource == .token)
    }

    @Test(.rule("F5.27", "F5.28"), arguments: [LoginTracking.enabled, .limited])
    func `a repeated login must be by the same user`(tracking: LoginTracking) async throws {
        let bench = try LoginBench()
        let first = try success(try await bench.logIn(try .facebook(tracking: tracking)))
        let again = try LoginRequest.facebook(tracking: tracking, authType: .reauthorize)
        let second = try success(try await bench.logIn(again, expecting: first.identity.subject))
        // All values are those of the second login: nothing is left of the first.
        #expect(second.identity.claims?.tokenID != first.identity.claims?.tokenID)
        bench.facebook.person.id = "1000000000000009"
        let other = try await bench.logIn(again, expecting: first.identity.subject)
        expectFailure(.userMismatch, other, hiding: [first.identity.subject, "1000000000000009"])
    }

    @Test(.rule("F5.14"))
    func `a login fails if Facebook refuses the code, which is sent once`() async throws {
        let bench = try LoginBench()
        let code = "AQ-a-code-of-nobody"
        let result = try await bench.logIn(Self.tracked.get()) { $0["code"] = code }
        let failure = expectFailure(.exchangeRefused, result, hiding: [code])
        #expect(failure?.isRetryable == false)
        #expect(bench.facebook.requestCount(of: "oauth/access_token") == 1)
    }

    @Test(.rule("F5.15"))
    func `a code without an ID token authenticates no user`() async throws {
        let bench = try LoginBench()
        let body = Array(#"{"access_token":"EAAtoken","token_type":"bearer","expires_in":60}"#.utf8)
        let answer = StandInFault.answer(headers: ["Content-Type": "application/json"], body: body)
        bench.facebook.failNext(path: "oauth/access_token", with: answer)
        expectFailure(.exchangeResponse, try await bench.logIn(Self.tracked.get()), hiding: ["EAAtoken"])
    }

    @Test(.rule("F5.18"), arguments: [#""60""#, "null", "-1", "1.5", "1e300", "true"])
    func `a lifetime that is not a number of seconds does not mean never`(lifetime: String) async throws {
        let bench = try LoginBench()
        let json =
            #"{"access_token":"EAAtoken","token_type":"bearer","id_token":"e30.e30.e30","expires_in":\#(lifetime)}"#
        let answer = StandInFault.answer(headers: ["Content-Type": "application/json"], body: Array(json.utf8))
        bench.facebook.failNext(path: "oauth/access_token", with: answer)
        let failure = expectFailure(
            .exchangeResponse,
            try await bench.logIn(Self.tracked.get()),
            hiding: ["EAAtoken"]
        )
        #expect(failure?.isRetryable == false)
    }

    @Test(.rule("F5.18"))
    func `an unreadable token response and a missing one are different failures`() async throws {
        let json: KeyValuePairs = ["Content-Type": "application/json"]
        let compressed: KeyValuePairs = ["Content-Type": "application/json", "Content-Encoding": "gzip"]
        let cases: [(StandInFault, LoginFailure.Code)] = [
            (.answer(headers: json, body: Array("{".utf8)), .exchangeResponse),
            (.answer(headers: json, body: Array("{}".utf8)), .exchangeResponse),
            (.answer(headers: compressed, body: Array("{}".utf8)), .exchangeResponse),
            (.answer(status: 500, headers: json, body: Array("{".utf8)), .unavailable),
            (.answer(status: 302, headers: json, body: []), .unavailable),
            (.unreachable(), .unavailable),
        ]
        for (fault, code) in cases {
            let bench = try LoginBench()
            bench.facebook.failNext(path: "oauth/access_token", with: fault)
            let failure = expectFailure(code, try await bench.logIn(Self.tracked.get()))
            #expect(failure?.isRetryable == (code == .unavailable))
            #expect(failure?.description.contains("unavailable: unavailable") == false)
        }
        // After the exchange of the code, an unreadable response says nothing about the login.
        let bench = try LoginBench()
        bench.facebook.failNext(path: "debug_token", with: .answer(headers: json, body: Array("{".utf8)))
        expectFailure(.unavailable, try await bench.logIn(Self.tracked.get()))
    }

    @Test func `a failure has Facebook's error, without the advice for Graph API calls`() async throws {
        let bench = try LoginBench()
        let refused = expectFailure(.exchangeRefused, try await bench.logIn(Self.tracked.get()) { $0["code"] = "AQ-x" })
        #expect(refused?.description.hasPrefix("login failed: exchange-refused: ") == true)
        #expect(refused?.description.contains("code 100") == true)
        #expect(refused?.description.contains("Discard the token") == false)
        #expect(refused?.description.contains("relogin") == false)
        bench.facebook.failNext(path: "oauth/access_token", with: .unreachable())
        let failure = expectFailure(.unavailable, try await bench.logIn(Self.tracked.get()))
        #expect(failure?.description.hasPrefix("login failed: unavailable: no response: ") == true)
    }

    @Test(.rule("F5.23"), arguments: [LoginTracking.enabled, .limited])
    func `openid is not listed as a permission`(tracking: LoginTracking) async throws {
        let request = try LoginRequest.facebook(permissions: [.email], tracking: tracking)
        let login = try success(try await LoginBench().logIn(request))
        #expect(login.identity.permissions?.granted == [.email, .publicProfile])
        #expect(login.identity.permissions?.declined == [])
    }

    @Test(.rule("F5.18"))
    func `an access token without an expiry is refused if no app secret is available to inspect it`() async throws {
        for (withSecret, isTaken) in [(true, true), (false, false)] {
            let bench = try LoginBench(withSecret: withSecret)
            bench.facebook.settings.accessTokenLifetime = nil
            let result = try await bench.logIn(Self.tracked.get())
            if isTaken {
                #expect(try success(result).identity.accessToken?.expirationDate == nil)
            } else {
                expectFailure(.exchangeResponse, result)
            }
        }
    }

    @Test(.rule("F5.19"), arguments: ["debug_token", "me/permissions"])
    func `a login fails if Facebook refuses its access token`(path: String) async throws {
        let bench = try LoginBench()
        bench.facebook.failNext(9, path: path, with: .graphError(code: 190, message: "Cannot parse access token"))
        expectFailure(.accessToken, try await bench.logIn(Self.tracked.get()))
    }

    @Test func `a login fails if the access token is of another user than the ID token`() async throws {
        let bench = try LoginBench()
        bench.facebook.settings.changeIDToken = { $0.claims["sub"] = "1000000000000009" }
        expectFailure(.userMismatch, try await bench.logIn(Self.tracked.get()))
    }

    @Test(arguments: ["oauth/access_token", "debug_token", "me/permissions"])
    func `a login can succeed after Facebook was unavailable`(path: String) async throws {
        let bench = try LoginBench()
        bench.facebook.failNext(9, path: path, with: .unreachable())
        let failure = expectFailure(.unavailable, try await bench.logIn(Self.tracked.get()))
        #expect(failure?.isRetryable == true)
        bench.facebook.clearFaults()
        _ = try success(try await bench.logIn(Self.tracked.get()))
    }

    @Test func `a login is undecided if keys are unavailable`() async throws {
        let facebook = FacebookStandIn()
        let logins = try LoginManager(
            provider: .facebook(try facebook.app(), tracking: .limited),
            metadata: nil,
            redirectURL: LoginBench.redirectURL,
            attempts: InMemoryAttemptStore(clock: facebook.clock),
            verification: LoginManager.Verification(keys: TestIssuer().keys, clock: facebook.clock),
            transport: facebook
        )
        let started = try await logins.begin(purpose: .signIn)
        let callback = LoginCallback(url: try #require(facebook.open(started.url)))
        let result = try await logins.finish(callback, purpose: .signIn, secret: started.secret)
        expectFailure(.unavailable, result)
    }

    @Test(arguments: [LoginTracking.enabled, .limited])
    func `a login at Facebook verifies its token exactly once`(tracking: LoginTracking) async throws {
        let verdicts = Verdicts()
        let bench = try LoginBench { verdicts.add($0) }
        _ = try success(try await bench.logIn(try .facebook(tracking: tracking)))
        #expect(verdicts.refusals == [nil])
    }

    @Test(arguments: [LoginTracking.enabled, .limited])
    func `the token of a login passes every check, and a failure has the code`(tracking: LoginTracking) async throws {
        let bench = try LoginBench()
        bench.facebook.settings.changeIDToken = { $0.claims["aud"] = "999" }
        let failure = expectFailure(.token, try await bench.logIn(try .facebook(tracking: tracking)))
        #expect(failure?.refusal?.code == .audience)
        bench.facebook.settings.changeIDToken = { $0.claims["iat"] = 1 }
        let old = expectFailure(.token, try await bench.logIn(try .facebook(tracking: tracking)))
        #expect(old?.refusal?.code == .tooOld)
    }

    @Test func `a replaced access token is detected by at_hash`() async throws {
        let bench = try LoginBench()
        bench.facebook.settings.changeIDToken = { $0.claims["at_hash"] = "AAAAAAAAAAAAAAAAAAAAAA" }
        let failure = expectFailure(.token, try await bench.logIn(Self.tracked.get()))
        #expect(failure?.refusal?.code == .accessTokenHash)
    }

    @Test func `a replaced code is detected by c_hash`() async throws {
        let bench = try LoginBench()
        bench.facebook.settings.changeIDToken = { $0.claims["c_hash"] = "AAAAAAAAAAAAAAAAAAAAAA" }
        let failure = expectFailure(.token, try await bench.logIn(Self.tracked.get()))
        #expect(failure?.refusal?.code == .codeHash)
    }
}
