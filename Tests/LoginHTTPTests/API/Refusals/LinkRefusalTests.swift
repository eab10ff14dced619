// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import Foundation
import HTTPTypes
import LimitedLogin
import LoginAccounts
import LoginProviders
import LoginTesting
import LoginTokens
import TestSupport
import Testing

@testable import LoginHTTP

/// Logins that cannot be linked or unlinked, accounts that cannot be merged, and repeated requests.
@Suite struct LinkRefusalTests {
    private func link(_ credential: String, _ bearer: String, key: String? = nil) -> TableRequest {
        TableRequest(
            path: "/v1/link",
            body: #"{"credential":\#(credential)}"#,
            bearer: bearer,
            headers: key.map { [.idempotencyKey: $0] } ?? [:]
        )
    }

    private func merge(_ source: String, _ bearer: String, _ more: String = "", key: String? = nil) -> TableRequest {
        TableRequest(
            path: "/v1/merge",
            body: #"{"source":"\#(source)"\#(more)}"#,
            bearer: bearer,
            headers: key.map { [.idempotencyKey: $0] } ?? [:]
        )
    }

    @Test func `a login is not linked if its address is another account's or its provider is already linked`()
        async throws
    {
        try await LoginFixture().run { client in
            _ = try await client.proven("grace")
            let token = try await client.session(of: "ada", with: .facebook)
            let taken = try await client.good("ada", for: "link", bearer: token, email: "grace@example.com")
            let conflict = try await client.refused(.emailAlreadyInUse, link(taken, token))
            #expect(try conflict.json()["pendingCredential"]?["token"]?.string != nil)
            let free = try await client.good("ada", for: "link", bearer: token, email: "ada@example.com")
            let linked = try await client.accepted(link(free, token))
            let next = try linked.text("tokens.sessionToken")
            let second = try await client.good("another", for: "link", bearer: next)
            try await client.refused(.providerAlreadyLinked, link(second, next))
        }
    }

    @Test func `unlinking one of several logins of a provider requires its user ID`() async throws {
        let policy = AuthPolicy(linking: LinkPolicy(identitiesPerProvider: .many))
        try await LoginFixture(policy: policy).run { client in
            let first = try await client.session(of: "ada")
            let token = try await client.link("another", of: .google, to: first).text("tokens.sessionToken")
            let path = "/v1/unlink"
            try await client.refused(.ambiguousProvider, .post, path, #"{"provider":"google"}"#, bearer: token)
            let named = #"{"provider":"google","uid":"another"}"#
            try await client.accepted(TableRequest(path: path, body: named, bearer: token))
        }
    }

    @Test func `an idempotency key cannot be used for a different request`() async throws {
        try await LoginFixture().run { client in
            let first = try await client.session(of: "ada")
            let shown = try await client.good("ada", of: .facebook, for: "link", bearer: first)
            let linked = try await client.accepted(link(shown, first, key: "once"))
            #expect(try linked.text("outcome") == "linked")
            let token = try linked.text("tokens.sessionToken")
            let source = try await client.session(of: "grace")
            let other = try await client.good("another", of: .facebook, for: "link", bearer: token)
            let key: HTTPFields = [.idempotencyKey: "once"]
            for request in [
                link(other, token, key: "once"), merge(source, token, key: "once"),
                TableRequest(path: "/v1/unlink", body: #"{"provider":"facebook"}"#, bearer: token, headers: key),
            ] {
                try await client.refused(.idempotencyMismatch, request)
            }
            // The same request is answered as before.
            let again = try await client.accepted(link(shown, token, key: "once"))
            #expect(try again.text("outcome") == "linked")
            let unlinked = TableRequest(
                path: "/v1/unlink",
                body: #"{"provider":"facebook"}"#,
                bearer: token,
                headers: [.idempotencyKey: "twice"]
            )
            try await client.accepted(unlinked)
        }
    }

    @Test func `merging accounts with logins of the same provider requires a choice of the login to keep`() async throws
    {
        try await LoginFixture().run { client in
            let (source, target) = (try await client.session(of: "ada"), try await client.session(of: "grace"))
            let refused = try await client.refused(.mergeConflict, merge(source, target))
            #expect(try refused.json()["providers"]?.elements?.compactMap(\.string) == ["google"])
            let preview = try await client.ask(
                .post,
                "/v1/merge/preview",
                #"{"source":"\#(source)"}"#,
                bearer: target
            )
            #expect(try preview.json()["conflicts"]?.elements?.compactMap(\.string) == ["google"])
            try await client.accepted(merge(source, target, #","conflicts":"keepTarget""#))
        }
    }

    @Test func `accounts are not merged if a phone would be both factors`() async throws {
        try await LoginFixture().run { client in
            let phone = try await client.enrolPhone(try await client.proven())
            let app = try await client.enrolApp(try await client.proven("grace"))
            let shown = try await client.phoneCredential("+14155550101")
            let signedIn = try await client.ask(.post, "/v1/sign-in", #"{"credential":\#(shown)}"#)
            let source = try signedIn.text("tokens.sessionToken")
            try await client.refused(.unsupportedFirstFactor, merge(source, phone.sessionToken))
            let preview = try await client.ask(
                .post,
                "/v1/merge/preview",
                #"{"source":"\#(source)"}"#,
                bearer: phone.sessionToken
            )
            #expect(try preview.json()["obstacles"]?.elements?.compactMap(\.string) == ["unsupported-first-factor"])
            try await client.accepted(merge(source, app.sessionToken))
        }
    }
}
#endif
