// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import HTTPTypes
import LimitedLogin
import LoginAccounts
import LoginProviders
import LoginTesting
import LoginTokens
import TestSupport
import Testing

@testable import LoginHTTP

@Suite struct VerifyTests {
    private func body(_ token: String, policy: String = "app", _ more: String) -> String {
        #"{"token":"\#(token)","policy":"\#(policy)",\#(more)}"#
    }

    @Test func `a valid token is verified and returned with its claims`() async throws {
        let fixture = try await LoginFixture()
        try await fixture.run { client in
            let answer = try await client.ask(
                .post,
                "/v1/verify",
                body(fixture.google.token(nonce: "n-1"), #""nonce":"n-1""#)
            )
            #expect(answer.status == .ok)
            #expect(try answer.text("verdict") == "verified")
            #expect(try answer.text("subject") == "1000000000000001")
            #expect(try answer.text("claims.nonce") == "n-1")
            #expect(answer.headers[.cacheControl] == "no-store")
        }
    }

    @Test func `an invalid token is a successful response with the reason of the refusal`() async throws {
        let fixture = try await LoginFixture()
        try await fixture.run { client in
            let token = fixture.google.token(nonce: "n-1")
            let other = try await client.ask(.post, "/v1/verify", body(token, #""nonce":"n-2""#))
            #expect(other.status == .ok)
            #expect(try other.text("verdict") == "refused")
            #expect(try other.text("code") == "nonce")
            fixture.clock.advance(by: .seconds(7200))
            let late = try await client.ask(.post, "/v1/verify", body(token, #""nonce":"n-1""#))
            #expect(try late.text("code") == "expired")
            let pasted = try await client.ask(.post, "/v1/verify", body("EAAB", #""nonce":"n-1""#))
            #expect(try pasted.text("code") == "segments")
            #expect(!late.text.contains("1000000000000001"), "a refusal says nothing of the person")
        }
    }

    @Test func `an attempt verifies only one of several concurrent requests`() async throws {
        let fixture = try await LoginFixture()
        try await fixture.run { client in
            let attempt = try await client.begin(.google)
            let token = fixture.google.token(nonce: try attempt.text("nonce"))
            let body = body(token, #""attempt":"\#(try attempt.text("attempt"))""#)
            let verdicts = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<8 {
                    group.addTask { try await client.ask(.post, "/v1/verify", body).text("verdict") }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(verdicts.count { $0 == "verified" } == 1)
            #expect(verdicts.count { $0 == "refused" } == 7)
        }
    }

    @Test func `an attempt for another provider, or for linking, verifies no token`() async throws {
        let fixture = try await LoginFixture()
        try await fixture.run { client in
            let session = try await client.session(of: "ada")
            for attempt in [
                try await client.begin(.facebook), try await client.begin(.google, "link", bearer: session),
            ] {
                let token = fixture.google.token(nonce: try attempt.text("nonce"))
                let answer = try await client.ask(
                    .post,
                    "/v1/verify",
                    body(token, #""attempt":"\#(try attempt.text("attempt"))""#)
                )
                #expect(try answer.text("code") == "nonce")
            }
        }
    }

    @Test func `a client can only choose a policy by its name`() async throws {
        let fixture = try await LoginFixture()
        try await fixture.run { client in
            let token = fixture.google.token(nonce: "n-1")
            try await client.refused(
                .unknownPolicy,
                .post,
                "/v1/verify",
                body(token, policy: "other", #""nonce":"n-1""#)
            )
            for more in [
                #""nonce":"n-1","issuer":"https://evil.example""#, #""nonce":"n-1","keys":"https://evil.example""#,
                #""nonce":"n-1","algorithm":"none""#,
            ] {
                try await client.refused(.invalidRequest, .post, "/v1/verify", body(token, more))
            }
        }
    }

    @Test func `the policy decides how the nonce is verified, not the client`() async throws {
        let fixture = try await LoginFixture(policies: [
            VerificationPolicy("app", provider: .google),
            VerificationPolicy("absent", provider: .google, nonce: .absent),
            VerificationPolicy("unchecked", provider: .google, nonce: .unchecked),
        ])
        let (with, without) = (fixture.google.token(nonce: "n-1"), fixture.google.token())
        try await fixture.run { client in
            func verdict(_ token: String, _ policy: String, _ more: String) async throws -> String {
                try await client.ask(.post, "/v1/verify", #"{"token":"\#(token)","policy":"\#(policy)"\#(more)}"#)
                    .text("verdict")
            }
            #expect(try await verdict(without, "absent", "") == "verified")
            #expect(try await verdict(with, "absent", "") == "refused")
            #expect(try await verdict(with, "unchecked", "") == "verified")
            for (policy, more) in [
                ("app", ""), ("app", #","nonce":"n","attempt":"a""#), ("absent", #","nonce":"n-1""#),
                ("unchecked", #","attempt":"a""#),
            ] {
                try await client.refused(
                    .invalidRequest,
                    .post,
                    "/v1/verify",
                    #"{"token":"\#(with)","policy":"\#(policy)"\#(more)}"#
                )
            }
        }
    }

    @Test func `without keys the verification is refused with keys-unavailable, and can be retried`() async throws {
        let fixture = try await LoginFixture()
        fixture.keys.areUnavailable.change { $0 = true }
        let token = fixture.google.token(nonce: "n-1")
        try await fixture.run { client in
            let answer = try await client.refused(
                .keysUnavailable,
                .post,
                "/v1/verify",
                body(token, #""nonce":"n-1""#)
            )
            #expect(answer.headers[.retryAfter] == "1")
        }
    }
}
#endif
