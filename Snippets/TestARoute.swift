// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

// The section about tests in the guide "Pages for people, and routes of your own".

#if Hummingbird
import Hummingbird
import LoginAccounts
import LoginHummingbird
import LoginTesting

// snippet.bench
func signedIn() async throws -> (Router<BasicLoginRequestContext>, token: String) {
    let bench = try LoginTestBench()  // one clock, one provider that signs real tokens, a store in memory
    let alice = try await bench.signIn("alice@example.com")
    let router = Router(context: BasicLoginRequestContext.self)
    router.add(middleware: ProblemMiddleware())
    router.group().add(middleware: SessionAuthenticator(bench.auth, clock: bench.clock)).get("notes") { _, context in
        "the notes of \(try context.session.accountID)"
    }
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
