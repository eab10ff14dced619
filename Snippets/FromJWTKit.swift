// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

// The code of the guide "From jwt-kit".

import LoginTesting
import LoginTokens

#if Hummingbird
import Hummingbird
import LoginHTTP
import LoginHummingbird
import LoginKeys
#endif

struct Person: Decodable {
    var name: String?
    var email: String?
}

func signIn(json: String, text: String, expectedNonce: String) async throws -> Person {
    let keySet = try JSONWebKeySet(json: json)
    let policy = try TokenPolicy(provider: .google, audiences: ["client-1"])
    let verifier = TokenVerifier(policy: policy, keys: KeySnapshot(provider: .google, keys: keySet))

    let token = try await verifier.verify(text, nonce: .exactly(expectedNonce))
    let person: Person = try token.decode()
    return person
}

func readClaims(_ token: VerifiedToken) {
    let name = token.claims["name"]?.string
    let groups = token.claims["groups"]?.elements?.compactMap(\.string) ?? []
    let authenticated = token.claims.authenticatedAt
    print(name == nil, groups.count, authenticated == nil)
}

func tryExpired() async throws {
    let google = TestIssuer(provider: .google, audience: "client-1")
    let policy = try TokenPolicy(provider: .google, audiences: ["client-1"])
    let verifier = TokenVerifier(policy: policy, keys: google.keys, clock: google.clock)

    let text = google.token(nonce: "n-1")
    google.clock.advance(by: .seconds(2 * 60 * 60))
    do throws(VerificationError) {
        _ = try await verifier.verify(text, nonce: .exactly("n-1"))
    } catch {
        assert(error.code == .expired)
    }
}

#if Hummingbird
// snippet.bearer
func addOrders(to router: Router<BasicLoginRequestContext>, keys: KeyCache) throws {
    let policy = try AccessTokenPolicy(issuers: ["https://login.example"], audiences: ["https://api.example"])
    let verifier = AccessTokenVerifier(policy: policy, keys: keys, cache: VerifiedTokenCache())
    let orders = try ProtectedResource("https://api.example", verifier: verifier)
    router.group().add(middleware: orders.requireScopes("orders:read")).get("orders") { _, context in
        let token = try context.token
        let person: Person = try token.decode()
        return "the orders of \(person.name ?? token.subject)\n"
    }
}
// snippet.end
#endif
