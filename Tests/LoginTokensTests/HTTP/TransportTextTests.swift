// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTokens
internal import Testing

/// The texts that a custom transport would write to a log.
@Suite struct TransportTextTests {
    @Test func `the description of a request shows the host but no headers and no body`() throws {
        let request = TransportRequest(
            method: .post,
            url: try EndpointURL("https://graph.example/debug_token?input_token=secret-1"),
            headers: [("Authorization", "Bearer secret-2")],
            body: Array("secret-3".utf8),
            responseLimit: 1,
            deadline: .seconds(1)
        )
        #expect("\(request)" == "POST to https://graph.example")
        for text in ["\(request)", String(reflecting: request), dumped(request)] {
            #expect(!text.contains("secret") && !text.contains("115, 101"))
        }
    }

    @Test func `the description of a response shows its status and length only`() {
        let response = TransportResponse(
            status: 200,
            headers: [("Set-Cookie", "secret-1")],
            body: Array("secret-2".utf8)
        )
        #expect("\(response)" == "response with status 200, 8 bytes")
        for text in [String(reflecting: response), dumped(response)] {
            #expect(!text.contains("secret") && !text.contains("115, 101"))
        }
    }

    private func dumped(_ value: some Any) -> String {
        var text = ""
        dump(value, to: &text)
        return text
    }
}
