// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import LimitedLogin
internal import LimitedLoginTesting
import LoginProviders
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// The callbacks that a browser may bring, and those that are valid responses.
@Suite struct LoginCallbackTests {
    private let bench: LoginBench
    private let limited: LoginRequest
    private let tracked: LoginRequest

    init() throws {
        bench = try LoginBench()
        limited = try .facebook(tracking: .limited)
        tracked = try .facebook(tracking: .enabled)
    }

    /// Finishes the latest login of the browser.
    private func finish(_ callback: LoginCallback) async throws -> LoginResult {
        try await bench.finish(callback, state: nil)
    }

    private func redirect(_ request: LoginRequest) async throws -> String {
        try #require(bench.facebook.open(try await bench.begin(request)))
    }

    @Test(.rule("F5.10"))
    func `a callback can be a URL, its parts, a form, or parsed parameters`() async throws {
        for number in 0..<6 {
            let url = try await redirect(limited)
            let answer = Answer(url: url)
            let fragment = String(url.drop { $0 != "#" })
            #expect(fragment.hasPrefix("#id_token="))
            let callback =
                switch number {
                case 0: LoginCallback(url: url)
                case 1: LoginCallback(query: "", fragment: fragment)
                case 2: LoginCallback(query: "?", fragment: String(fragment.dropFirst()))
                case 3: LoginCallback(form: Array(fragment.utf8.dropFirst()))
                case 4: LoginCallback(parameters: answer.fragment)
                default: LoginCallback(url: "/login/callback?a=b\(fragment)")
                }
            _ = try success(try await finish(callback))
            #expect("\(callback)" == "login callback")
            #expect(Mirror(reflecting: callback).children.isEmpty)
        }
    }

    @Test(.rule("F5.10"))
    func `equal parameters in query and fragment are accepted and different ones refused`() async throws {
        let same = Answer(url: try await redirect(limited))
        _ = try success(
            try await finish(
                LoginCallback(query: FormFields(same.fragment).encoded, fragment: FormFields(same.fragment).encoded)
            )
        )
        let url = try await redirect(limited)
        for other in ["state=A", "id_token=", "granted_scopes=email"] {
            expectFailure(
                .callback,
                try await finish(LoginCallback(query: other, fragment: FormFields(Answer(url: url).fragment).encoded))
            )
        }
        // The attempt was not consumed, because the callback could not be assigned to it.
        _ = try success(try await finish(LoginCallback(url: url)))
    }

    @Test func `the suffix that Facebook appends to URLs is ignored`() async throws {
        _ = try success(try await finish(LoginCallback(url: try await redirect(tracked) + "#_=_")))
    }

    @Test(.rule("F5.11"))
    func `a response must contain the requested credential and no other`() async throws {
        for (request, asked) in [(limited, "id_token"), (tracked, "code")] {
            for other in ["code", "id_token", "access_token"] where other != asked {
                var answer = Answer(url: try await redirect(request))
                answer[other] = "EAAsomething"
                expectFailure(.callback, try await bench.finish(answer), hiding: ["EAAsomething"])
                var instead = Answer(url: try await redirect(request))
                instead[other] = instead[asked]
                instead[asked] = nil
                expectFailure(.callback, try await bench.finish(instead))
            }
            for missing in [nil, ""] {
                var answer = Answer(url: try await redirect(request))
                answer[asked] = missing
                expectFailure(.callback, try await bench.finish(answer))
            }
        }
    }

    @Test(.rule("F5.12"))
    func `a response with both an error and a success is refused`() async throws {
        for request in [limited, tracked] {
            var answer = Answer(url: try await redirect(request))
            answer["error"] = "access_denied"
            expectFailure(.callback, try await bench.finish(answer))
        }
    }

    @Test(.rule("F5.13", "F5.20"))
    func `a nonce parameter of the callback is ignored`() async throws {
        for request in [limited, tracked] {
            let url = try await bench.begin(request)
            var answer = try bench.answer(to: url)
            answer["nonce"] = "a one-time code"
            answer["graph_domain"] = "gaming"
            let login = try success(try await bench.finish(answer))
            #expect(login.identity.claims?.nonce == (try parameters(of: url)["nonce"]))
        }
        #expect(!bench.facebook.requests.contains { $0["grant_type"] == "fb_exchange_nonce" })
        // It does not replace the nonce of the token, which must still match.
        bench.facebook.settings.changeIDToken = { $0.claims["nonce"] = "a one-time code" }
        var answer = Answer(url: try await redirect(limited))
        answer["nonce"] = "a one-time code"
        #expect(expectFailure(.token, try await bench.finish(answer))?.refusal?.code == .nonce)
    }

    @Test(.rule("F5.18"))
    func `expiry parameters of the callback are ignored`() async throws {
        var answer = Answer(url: try await redirect(tracked))
        for name in ["expires", "expires_at", "expires_in", "data_access_expiration_time"] {
            answer[name] = "99999999999"
        }
        let token = try success(try await bench.finish(answer)).identity.accessToken
        #expect(token?.isExpired(at: bench.facebook.clock.now.addingTimeInterval(5_184_001)) == true)
    }

    @Test(
        arguments: [
            "state=a&state=a", "state=a&state=b", "%", "%4", "%zz", "state=%ff", "state=%ED%A0%80", "=%", "%00%ff=1",
            "a=1&a=", String(repeating: "&", count: 20) + "x=%g0",
        ]
    )
    func `a malformed form or a duplicate parameter is refused`(query: String) async throws {
        expectFailure(.callback, try await finish(LoginCallback(query: query)))
        expectFailure(.callback, try await finish(LoginCallback(query: "", fragment: query)))
        expectFailure(.callback, try await finish(LoginCallback(form: Array(query.utf8))))
        expectFailure(.callback, try await finish(LoginCallback(url: "https://example.com/?\(query)")))
    }

    @Test func `a duplicate parameter is refused, also after parsing by a framework`() async throws {
        let fields = Answer(url: try await redirect(limited)).fragment
        let state = try #require(fields.first { $0.name == "state" })
        expectFailure(.callback, try await finish(LoginCallback(parameters: fields + [state])))
        _ = try success(try await finish(LoginCallback(parameters: fields)))
    }

    @Test func `at most 64 parameters and 32 KiB are read`() async throws {
        for (count, isRead) in [(64, true), (65, false)] {
            var fields = Answer(url: try await redirect(limited)).fragment
            fields += (fields.count..<count).map { (name: "p\($0)", value: "") }
            let result = try await finish(LoginCallback(query: FormFields(fields).encoded))
            if isRead { _ = try success(result) } else { expectFailure(.callback, result) }
            if !isRead { expectFailure(.callback, try await finish(LoginCallback(parameters: fields))) }
        }
        for (bytes, isRead) in [(32 * 1024, true), (32 * 1024 + 1, false)] {
            let query = FormFields(Answer(url: try await redirect(limited)).fragment).encoded + "&p="
            let full = query + String(repeating: "x", count: bytes - query.utf8.count)
            if isRead {
                _ = try success(try await finish(LoginCallback(query: full)))
            } else {
                expectFailure(.callback, try await finish(LoginCallback(query: full)))
                expectFailure(.callback, try await finish(LoginCallback(form: Array(full.utf8))))
                expectFailure(.callback, try await finish(LoginCallback(query: "a=b", fragment: full)))
            }
        }
    }

    @Test func `random bytes and mutated responses cause no trap`() async throws {
        var numbers = SeededNumbers(seed: 6)
        let good = Array(FormFields(Answer(url: try await redirect(limited)).fragment).encoded.utf8)
        for round in 0..<400 {
            var bytes =
                round.isMultiple(of: 2) ? good : (0..<Int.random(in: 0...200, using: &numbers)).map { _ in UInt8(0) }
            for _ in 0..<Int.random(in: 1...20, using: &numbers) where !bytes.isEmpty {
                bytes[Int.random(in: bytes.indices, using: &numbers)] = UInt8.random(in: 0...255, using: &numbers)
            }
            let text = String(decoding: bytes, as: UTF8.self)
            for callback in [
                LoginCallback(form: bytes), LoginCallback(url: text), LoginCallback(query: text, fragment: text),
                LoginCallback(parameters: [(text, text), ("state", text)]),
            ] {
                if case .cancelled = try await finish(callback) { Issue.record("nobody cancelled") }
            }
        }
        let huge = String(repeating: "a=%41&", count: 1 << 20)
        expectFailure(.callback, try await finish(LoginCallback(url: huge)))
        expectFailure(.callback, try await finish(LoginCallback(query: huge, fragment: huge)))
    }

    @Test(.rule("F5.32"))
    func `each failure has a message for the user and a unique name`() {
        let codes = LoginFailure.Code.all
        #expect(Set(codes.map(\.rawValue)).count == codes.count)
        #expect(codes.allSatisfy { $0.explanation.hasSuffix(".") && "\($0)" == $0.rawValue })
        #expect(Set(LoginManagerError.Code.all.map(\.rawValue)).count == LoginManagerError.Code.all.count)
    }
}
