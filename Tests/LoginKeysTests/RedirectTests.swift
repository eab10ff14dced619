// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginTesting
import LoginTokens
import TestSupport
import Testing

@testable import LoginKeys

/// Redirects of the key set and the discovery document, where they are followed.
@Suite struct RedirectTests {
    private static let origin = "https://issuer.example"
    private static let document = origin + "/.well-known/openid-configuration"
    private let transport = StubTransport()

    private func redirect(_ path: String, to location: String?, status: Int = 302) {
        var headers = [(name: "Content-Type", value: "application/json")]
        if let location { headers.append((name: "Location", value: location)) }
        let body = Array(TestIssuer().keySet.text.utf8)
        let response = TransportResponse(status: status, headers: headers, body: body)
        transport.answer(path.hasPrefix("/") ? Self.origin + path : path, with: .response(response))
    }

    private func fetch(
        _ documents: (inout Provider.Documents) -> Void = { $0.keySet = .url(Self.origin + "/keys") }
    ) async throws -> FetchedKeySet {
        var provider = Provider.openID(issuers: [Self.origin])
        documents(&provider.documents)
        provider.documents.followsRedirects = true
        let fetcher = KeySetFetcher(
            source: try KeySetSource(provider),
            configuration: KeyCacheConfiguration(),
            transport: transport,
            timekeeper: Timekeeper(ManualContinuousClock()),
            wallClock: ManualClock()
        )
        return try await fetcher.fetch(from: nil)
    }

    private var asked: [String] { transport.requests.map(\.url.description) }

    @Test(.rule("T-153"), arguments: [301, 302, 303, 307, 308])
    func `a redirect to the same host is followed with a request like the first`(status: Int) async throws {
        for location in [
            "/keys/", "https://issuer.example/keys/", "//issuer.example/keys/", "HTTPS://Issuer.Example:443/keys/",
        ] {
            redirect("/keys", to: location, status: status)
            transport.answer(Self.origin + "/keys/", with: .json(TestIssuer().keySet))
            #expect(try await fetch().keys.keys.count == 1)
            let requests = transport.requests.suffix(2)
            #expect(requests.map(\.url.target) == ["/keys", "/keys/"])
            #expect(requests.allSatisfy { $0.method == .get && $0.responseLimit == Limits.keySetBytes })
            #expect(requests.map { $0.headers.map(\.value) }.allSatisfy { $0 == requests.first?.headers.map(\.value) })
        }
    }

    @Test(.rule("T-153")) func `the discovery document may be redirected too, and names the keys`() async throws {
        redirect(Self.document, to: "/document")
        transport.answer(
            Self.origin + "/document",
            with: .json(["issuer": .string(Self.origin), "jwks_uri": .string(Self.origin + "/keys")])
        )
        transport.answer(Self.origin + "/keys", with: .json(TestIssuer().keySet))
        #expect(try await fetch { _ in }.keys.keys.count == 1)
        #expect(asked == [Self.document, Self.origin + "/document", Self.origin + "/keys"])
    }

    @Test(
        .rule("T-153"),
        arguments: [
            "https://other.example/keys", "http://issuer.example/keys", "https://issuer.example:8443/keys",
            "//other.example/keys", "https://issuer.example.other.example/keys",
            "https://issuer.example@other.example/",
            "http://169.254.169.254/latest", "http://127.0.0.1/keys", "file:///etc/passwd", "keys.json", "?x", "",
            "\\\\other.example/keys", "/\\other.example/keys", "https:/other.example", "/keys#fragment", " /keys/",
        ]
    )
    func `a redirect to another scheme, host or port, or to no URL, is not followed`(location: String) async throws {
        redirect("/keys", to: location)
        let error = await #expect(throws: KeyFetchFailure.self) { try await fetch() }
        #expect(error?.code == .redirect)
        #expect(transport.requests.count == 1)
    }

    @Test(.rule("T-153")) func `at most three redirects are followed`() async throws {
        for number in 0..<5 { redirect("/\(number)", to: "/\(number + 1)") }
        for (first, isFollowed) in [(2, true), (1, false)] {
            transport.answer(Self.origin + "/5", with: .json(TestIssuer().keySet))
            let documents = { (documents: inout Provider.Documents) in
                documents.keySet = .url(Self.origin + "/\(first)")
            }
            guard isFollowed else {
                let error = await #expect(throws: KeyFetchFailure.self) { try await fetch(documents) }
                #expect(error?.code == .redirect && error?.detail.contains("more than 3 times") == true)
                continue
            }
            #expect(try await fetch(documents).keys.keys.count == 1)
        }
        redirect("/keys", to: "/keys")
        await #expect(throws: KeyFetchFailure.self) { try await fetch() }
    }

    @Test(.rule("T-153"), arguments: [300, 304, 305, 306])
    func `a status that names no single target is not followed`(status: Int) async throws {
        redirect("/keys", to: "/keys/", status: status)
        let error = await #expect(throws: KeyFetchFailure.self) { try await fetch() }
        #expect(error?.code == .redirect)
        #expect(transport.requests.count == 1)
    }

    @Test(.rule("T-153")) func `a redirect with two targets or none is not followed`() async throws {
        for locations in [[], ["/a", "/b"]] {
            let response = TransportResponse(
                status: 302,
                headers: locations.map { (name: "Location", value: $0) },
                body: []
            )
            transport.answer(Self.origin + "/keys", with: .response(response))
            let error = await #expect(throws: KeyFetchFailure.self) { try await fetch() }
            #expect(error?.code == .redirect)
        }
    }

    @Test(.rule("T-151")) func `a discovered key set URL may be redirected within its own host only`() async throws {
        transport.answer(
            Self.document,
            with: .json(["issuer": .string(Self.origin), "jwks_uri": .string(Self.origin + "/keys")])
        )
        redirect("/keys", to: "https://other.example/keys")
        let error = await #expect(throws: KeyFetchFailure.self) { try await fetch { _ in } }
        #expect(error?.code == .redirect && error?.document == .keySet)
    }
}
