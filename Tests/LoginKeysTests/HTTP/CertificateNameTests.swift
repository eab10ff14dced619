// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import TestSupport
internal import Testing

@testable internal import LoginKeys

@Suite(.rule("T-158"))
struct CertificateNameTests {
    @Test(arguments: [
        ("keys.example.com", "keys.example.com"), ("KEYS.Example.COM", "keys.example.com"),
        ("*.example.com", "keys.example.com"), ("localhost", "localhost"),
    ])
    func `a certificate name matches the host`(name: String, host: String) {
        #expect(CertificateName(name.utf8).matches(host))
    }

    @Test(arguments: [
        ("", "keys.example.com"), ("*", "keys.example.com"), ("*.", "keys."), ("*.com", "example.com"),
        ("*.example.com", "example.com"), ("*.example.com", ".example.com"), ("*.example.com", "a.keys.example.com"),
        ("k*.example.com", "keys.example.com"), ("keys.*.com", "keys.example.com"), ("*.*.com", "keys.example.com"),
        ("keys.example.com.", "keys.example.com"), ("keys.example.com\0.other.com", "keys.example.com"),
        ("other.com", "keys.example.com"), ("*", "localhost"), ("*.localhost", "localhost"),
    ])
    func `a certificate name does not match another host`(name: String, host: String) {
        #expect(!CertificateName(name.utf8).matches(host))
    }
}
