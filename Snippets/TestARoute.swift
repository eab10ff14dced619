// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

// The section about tests in the guide "Pages for people, and routes of your own".

#if Hummingbird
import Hummingbird
import LoginAccounts
import LoginHTTP
import LoginHummingbird
import LoginTesting

// snippet.bench
func addNotes(to router: Router<BasicLoginRequestContext>, _ login: LoginService) {  // the server calls it too
    router.group().add(middleware: login.requireSession).get("notes") { _, context in
        "the notes of \(try context.session.accountID)"
    }
}

func signedIn() async throws -> (Router<BasicLoginRequestContext>, token: String) {
    let bench = try LoginTestBench()  // one clock, one provider that signs real tokens, a store in memory
    let alice = try await bench.signIn("alice@example.com")
    let login = try LoginService(
        publicURL: "https://example.com",
        providers: [],  // users sign in at the provider of the bench
        store: bench.store,
        secrets: bench.secrets,
        clock: bench.clock
    )
    let router = Router(context: BasicLoginRequestContext.self)
    addNotes(to: router, login)
    return (router, alice.tokens.sessionToken)  // send it as a bearer
}
// snippet.end

// snippet.mail
func signedUp() async throws -> AuthDataResult {
    let bench = try LoginTestBench()
    let bob = try await bench.auth.createAccount(email: "bob@example.com", password: "correct horse battery staple")
    let token = bench.mail.token(.verifyEmail) ?? ""  // the link in the message contains it
    return try await bob.session.verifyEmail(token: token)
}
// snippet.end
#endif
