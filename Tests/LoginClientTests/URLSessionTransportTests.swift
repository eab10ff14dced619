// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginClient
import LoginClientURLSession
import Testing

@Suite struct URLSessionTransportTests {
    @Test(arguments: [
        "https://login.example.com", "https://login.example.com/auth/", "http://localhost:8080",
        "http://127.0.0.1:8080",
        "http://[::1]:8080", "HTTP://LOCALHOST",
    ])
    func `https is accepted, and http only for loopback hosts`(_ url: String) throws {
        _ = try URLSessionTransport(url)
    }

    @Test(arguments: [
        "http://login.example.com", "http://localhost.example.com", "ftp://login.example.com", "login.example.com", "",
        "https://", "https://user@login.example.com", "https://login.example.com?a=b", "https://login.example.com#a",
    ])
    func `http for other hosts, and URLs with other parts, are refused`(_ url: String) {
        #expect(throws: LoginClientError(.invalidURL)) { try URLSessionTransport(url) }
    }

    @Test func `a path without a slash cannot change the host`() async throws {
        let transport = try URLSessionTransport("https://login.example.com")
        await #expect(throws: LoginClientError(.invalidURL)) {
            try await transport.send(LoginClientRequest("GET", ".evil.example/"))
        }
    }
}
