// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import LoginTokens
import Testing

@testable import LoginHTTP

/// The list of origins whose scripts may call an API.
@Suite struct AllowedOriginsTests {
    @Test(arguments: [
        "https://app.example.com", "https://app.example.com:8443", "https://xn--bcher-kva.example",
        "http://localhost:3000",
        "http://127.0.0.1", "http://[::1]:8080", "https://192.0.2.1", "capacitor://localhost",
        "chrome-extension://aapbdbdomjkkjkaonfhkkikfgjllcleb", "app://shop:8000",
    ])
    func `an origin as browsers send it is accepted`(origin: String) throws {
        #expect(try AllowedOrigins([origin]).all == [origin])
    }

    @Test(arguments: [
        "", "*", "null", "https://", "https://*", "https://*.example.com", "https://app.example.com/",
        "https://app.example.com/a",
        "https://app.example.com?a", "https://app.example.com#a", "https://app.example.com:443",
        "https://app.example.com:",
        "https://app.example.com:0", "https://App.example.com", "HTTPS://app.example.com",
        "https://user@app.example.com",
        "https://bücher.example", "http://app.example.com", "http://localhost:80", "app.example.com",
        "//app.example.com",
        "https:app.example.com", " https://app.example.com", "https://app.example.com ",
        "https://a.example,https://b.example",
        "https://a.example https://b.example", "capacitor://", "capacitor://localhost/", "Capacitor://localhost",
        "capacitor://localhost:", "capacitor://localhost:070", "capacitor://a:1:2", "1app://localhost", "://localhost",
    ])
    func `any other text is refused`(origin: String) {
        #expect(throws: PolicyError.self) { try AllowedOrigins([origin]) }
    }

    @Test func `an origin that is written in another way is named as browsers send it`() {
        let error = #expect(throws: PolicyError.self) { try AllowedOrigins(["https://App.example.com:443/"]) }
        #expect(error?.description.contains("https://app.example.com,") == true)
    }

    @Test func `an origin that is listed twice is listed once, and at most 100 are listed`() throws {
        #expect(try AllowedOrigins(["https://a.example", "https://a.example"]).all == ["https://a.example"])
        let many = (0..<101).map { "https://app\($0).example.com" }
        #expect(try AllowedOrigins(Array(many.dropLast())).all.count == 100)
        #expect(throws: PolicyError.self) { try AllowedOrigins(many) }
    }
}
#endif
