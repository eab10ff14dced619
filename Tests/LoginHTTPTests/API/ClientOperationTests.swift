// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import Foundation
import HTTPTypes
import LimitedLogin
import LimitedLoginHTTP
import LoginAccounts
import LoginTokens
import Synchronization
import Testing

@testable import LoginClient
@testable import LoginHTTP

/// The methods of the module `LoginClient`, compared with the table of operations.
@Suite struct ClientOperationTests {
    /// Records the requests of a client, and refuses each of them.
    private final class Recorder: LoginClientTransport {
        let service = "https://login.example.com"
        private let sent = Mutex<[LoginClientRequest]>([])

        var requests: [LoginClientRequest] { sent.withLock { $0 } }

        func send(_ request: LoginClientRequest) async throws -> LoginClientResponse {
            sent.withLock { $0.append(request) }
            return LoginClientResponse(status: 400, body: Array(#"{"code":"invalid-request","status":400}"#.utf8))
        }
    }

    /// The sessions of a test: the clients of two users, and one that is not signed in.
    private struct Bench {
        let transport = Recorder()
        let opened, other, new: ClientSession

        init() async throws {
            (opened, other) = (try await Self.open(transport, "a1"), try await Self.open(transport, "a2"))
            new = ClientSession(transport: transport)
        }

        var user: ClientUser { opened.user }
        var multiFactor: ClientMultiFactor { opened.multiFactor }

        private static func open(_ transport: Recorder, _ account: String) async throws -> ClientSession {
            let cache = InMemoryTokenCache()
            await cache.cache(
                CachedTokens(
                    sessionToken: "lls_\(account)",
                    refreshToken: "llr_\(account)",
                    service: transport.service,
                    accountID: account,
                    expiresAt: .distantFuture,
                    provider: "google"
                )
            )
            let session = ClientSession(transport: transport, caching: cache)
            try await session.load()
            try await session.open()
            return session
        }
    }

    private typealias Call = @Sendable (Bench) async throws -> Void

    private static let attempt = ClientAttempt(
        nonce: "n1",
        expiresAt: .distantFuture,
        provider: "google",
        configuration: nil,
        secret: "lla_1"
    )

    private static let pending = ClientPendingCredential(
        token: "llp_1",
        providerID: "club",
        email: nil,
        expiresAt: .distantFuture
    )

    private static let resolver = ClientResolver(
        hints: [],
        attemptsLeft: 5,
        expiresAt: .distantFuture,
        token: "llm_1"
    )

    private static let hint = ClientResolver.Hint(
        uid: "f1",
        factorID: "phone",
        displayName: nil,
        phoneNumberSuffix: nil
    )

    private static let factors: [ClientSecondFactor] = [
        .totp(uid: "f1", code: "492039"), .phone(challengeID: "llc_1", code: "492039"), .recoveryCode("01234-56789"),
    ]

    private static let credentials: [ClientCredential] = [
        .idToken("eyJ", attempt: attempt), .idToken("eyJ", attempt: attempt, accessToken: "a"),
        .accessToken("EAA", attempt: attempt), .password(email: "ada@corp.example", password: "correct horse"),
        .phone(verificationID: "llv_1", code: "492039"), .pending(pending),
    ]

    /// The calls for each operation, one for each form of its body.
    private static let calls: [String: [Call]] = [
        "begin": [{ _ = try await $0.new.begin(provider: "google") }]
            + ClientPurpose.allCases.map { purpose in { _ = try await $0.user.begin(purpose, with: "google") } },
        "signIn": credentials.map { credential in
            { bench in
                // A token needs a sign-in that has begun.
                if credential.attempt != nil { try await bench.new.advance(by: .openingBegan) }
                _ = try await bench.new.signIn(with: credential)
            }
        },
        "signInAnonymously": [{ _ = try await $0.new.signInAnonymously() }],
        "signUp": [{ _ = try await $0.new.signUp(email: "ada@corp.example", password: "correct horse") }],
        "sendPhoneCode": [{ _ = try await $0.new.sendPhoneCode(to: "+49 30 123456") }]
            + ClientPurpose.allCases.map { purpose in
                { _ = try await $0.user.sendPhoneCode(to: "+49 30 123456", for: purpose) }
            },
        "sendPasswordReset": [{ try await $0.new.sendPasswordReset(to: "ada@corp.example") }],
        "resetPassword": [{ try await $0.new.resetPassword(token: "llr_1", to: "correct horse") }],
        "beginChallenge": [
            { bench in
                try await bench.new.advance(by: .openingBegan)
                _ = try await bench.new.sendCode(to: hint, for: resolver)
            }
        ],
        "resolveSignIn": factors.map { factor in
            { bench in
                try await bench.new.advance(by: .openingBegan)
                _ = try await bench.new.complete(resolver, with: factor)
            }
        },
        "account": [{ _ = try await $0.opened.account() }],
        "updateProfile": [
            { _ = try await $0.user.updateProfile(displayName: "Ada") },
            { _ = try await $0.user.updateProfile(photoURL: "https://corp.example/ada.png") },
        ],
        "deleteAccount": [{ try await $0.user.deleteAccount() }],
        "personalData": [{ _ = try await $0.user.personalData() }],
        "setPassword": [
            { _ = try await $0.user.setPassword("correct horse") },
            { _ = try await $0.user.setPassword("correct horse", email: "ada@corp.example") },
        ],
        "sendEmailVerification": [{ try await $0.user.sendEmailVerification() }],
        "verifyEmail": [{ _ = try await $0.user.verifyEmail(token: "lle_1") }],
        "revokePermissions": [
            { _ = try await $0.user.revoke("user_birthday", at: "facebook", accessToken: "EAA") },
            { _ = try await $0.user.revokeLogin(at: "facebook", accessToken: "EAA") },
        ],
        "link": credentials.map { credential in { _ = try await $0.user.link(with: credential) } },
        "unlink": [
            { _ = try await $0.user.unlink(provider: "google") },
            { _ = try await $0.user.unlink(provider: "google", uid: "1", closingOtherSessions: true) },
        ],
        "reauthenticate": [
            { _ = try await $0.user.reauthenticate(with: credentials[0]) },
            { _ = try await $0.user.reauthenticate(with: credentials[2], requesting: ["user_birthday"]) },
        ],
        "previewMerge": ClientMergeConflicts.allCases.map { conflicts in
            { _ = try await $0.user.previewMerge(from: $0.other, conflicts: conflicts) }
        },
        "merge": ClientMergeConflicts.allCases.map { conflicts in
            { _ = try await $0.user.merge(from: $0.other, conflicts: conflicts, idempotencyKey: "7f9c2a41d0e8b35c") }
        },
        "enrollTOTP": [
            { _ = try await $0.multiFactor.enrollTOTP(issuer: "Example") },
            { _ = try await $0.multiFactor.enrollTOTP(issuer: "Example", displayName: "Phone", accountName: "ada") },
        ],
        "enrollPhone": [
            { _ = try await $0.multiFactor.enrollPhone("+49 30 123456") },
            { _ = try await $0.multiFactor.enrollPhone("+49 30 123456", displayName: "Phone") },
        ],
        "confirmEnrollment": factors.map { factor in { _ = try await $0.multiFactor.confirm(factor) } },
        "unenroll": [{ try await $0.multiFactor.unenroll("f1") }],
        "generateRecoveryCodes": [{ _ = try await $0.multiFactor.generateRecoveryCodes() }],
        "stepUp": factors.map { factor in { _ = try await $0.multiFactor.stepUp(with: factor) } },
        "beginStepUpChallenge": [{ _ = try await $0.multiFactor.sendCode(to: "f1") }],
        "session": [{ _ = try await $0.user.currentSession() }],
        "sessions": [{ _ = try await $0.user.sessions() }],
        "closeSession": [{ try await $0.user.closeSession("a/b") }],
        "closeOtherSessions": [{ try await $0.user.closeOtherSessions() }],
        "resume": [
            { bench in
                let tokens = try await bench.opened.validTokens()
                _ = try await bench.opened.renew(tokens)
            }
        ],
        "signOut": [{ try await $0.opened.signOut() }],
    ]

    /// The operations that the client does not have, with the reason.
    private static let reasons = [
        "refresh": "The client calls `resume`, which also continues after the service has closed the session.",
        "verify": "A server asks for a verdict on a token that a client has sent to it.",
        "forwardAuth": "A proxy asks about a request of a client.",
        "forwardAuthAPI": "A proxy asks about a request of a client.",
        "protectedResourceMetadata": "It describes an API of another server, to the clients of that API.",
        "health": "Operators ask whether the process runs.",
        "readiness": "Operators ask whether the service can handle requests.",
        "deauthorize": "Facebook calls it, with a signed request.",
        "deleteData": "Facebook calls it, with a signed request.",
        "deletionStatus": "A browser opens its URL, which Facebook shows to the user.",
    ]

    private static func operations() async throws -> [LoginHTTP.Operation] {
        var fixture = try await LoginFixture()
        fixture.options.facebookApp = try FacebookApp(id: "1234567890", secret: "s3cret-of-a-test")
        return try fixture.service().operations
    }

    @Test func `each operation has a method of the Swift client, or a reason why it has none`() async throws {
        let names = Set(try await Self.operations().map(\.name))
        #expect(names.isSubset(of: Set(Self.calls.keys).union(Self.reasons.keys)))
        #expect(Set(Self.calls.keys).isSubset(of: names))
        #expect(Set(Self.calls.keys).isDisjoint(with: Self.reasons.keys))
    }

    @Test func `each method of the Swift client sends a request that its operation accepts`() async throws {
        for operation in try await Self.operations() {
            for call in Self.calls[operation.name] ?? [] {
                let bench = try await Bench()
                await #expect(throws: LoginClientError.self, "\(operation.name)") { try await call(bench) }
                let request = try #require(bench.transport.requests.first, "\(operation.name)")
                #expect(request.method == operation.method.rawValue, "\(operation.name)")
                let (parts, template) = (request.path.split(separator: "/"), operation.path.split(separator: "/"))
                let isPath =
                    parts.count == template.count && zip(parts, template).allSatisfy { $0 == $1 || $1.first == "{" }
                #expect(isPath, "\(operation.name): \(request.path)")
                let bearer = request.headers["Authorization"]
                if operation.session == .required { #expect(bearer == "Bearer lls_a1", "\(operation.name)") }
                if operation.session == .none { #expect(bearer == nil, "\(operation.name)") }
                try Self.check(request, of: operation)
            }
        }
    }

    private static func check(_ request: LoginClientRequest, of operation: LoginHTTP.Operation) throws {
        switch operation.body {
        case .none: #expect(request.body == nil, "\(operation.name)")
        case .json(let schema):
            let body = try #require(request.body, "\(operation.name)")
            #expect(request.headers["Content-Type"] == "application/json", "\(operation.name)")
            let fault = schema.fault(in: try JSONDocument.read(body).root)
            #expect(fault == nil, "\(operation.name): \(String(decoding: body, as: UTF8.self))")
        case .form: Issue.record("\(operation.name) takes a form")
        }
        let known = operation.headers.map(\.name) + ["Authorization", "Content-Type"]
        #expect(request.headers.keys.allSatisfy(known.contains), "\(operation.name)")
    }
}
#endif
