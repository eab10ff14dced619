// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LimitedLogin
internal import LoginTokens
internal import TestSupport
internal import Testing

/// The response of the data deletion callback.
@Suite struct DataDeletionResponseTests {
    let url: EndpointURL

    init() throws {
        url = try EndpointURL("https://app.example/deletion?id=1&lang=fr")
    }

    @Test(.rule("F10.4", "F10.5"))
    func `the response is JSON with the URL and the code`() throws {
        let response = try DataDeletionResponse(url: url, confirmationCode: "abc123")
        let json = String(decoding: response.json, as: UTF8.self)
        #expect(json == #"{"confirmation_code":"abc123","url":"https://app.example/deletion?id=1&lang=fr"}"#)
        // A URL with a character that JSON would have to escape is refused as a URL.
        #expect(throws: TransportFailure.self) { try EndpointURL("https://app.example/\"") }
    }

    @Test func `a generated code has 26 characters and is unique`() throws {
        let codes = try (1...100).map { _ in try DataDeletionResponse(url: url).confirmationCode }
        #expect(Set(codes).count == 100)
        #expect(
            codes.allSatisfy { $0.utf8.count == 26 && $0.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) } }
        )
        #expect(Set(codes.joined()).count == 32)
    }

    @Test func `the status URL must use https`() throws {
        let loopback = try EndpointURL("http://127.0.0.1/deletion", allowsLoopbackHTTP: true)
        let error = #expect(throws: DataDeletionResponseError.self) { try DataDeletionResponse(url: loopback) }
        #expect(error == .url && error?.description.contains("https") == true)
    }

    @Test(arguments: ["", "a b", "a-b", "é", "a\"", "a\n", String(repeating: "a", count: 65)])
    func `a code that is empty, too long or has other characters is refused`(code: String) {
        let error = #expect(throws: DataDeletionResponseError.self) {
            try DataDeletionResponse(url: url, confirmationCode: code)
        }
        #expect(error == .confirmationCode && error?.description.contains("letters and digits") == true)
    }

    @Test(arguments: ["a", "Z9", String(repeating: "a", count: 64)])
    func `a code of letters and digits is accepted`(code: String) throws {
        let response = try DataDeletionResponse(url: url, confirmationCode: code)
        #expect(response.confirmationCode == code)
        #expect(!"\(response)".contains(code + "\"") && Mirror(reflecting: response).children.isEmpty)
    }
}
