// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import HTTPTypes
import LoginHTTP
import Testing

@testable import LoginPages

@Suite struct SecurityHeadersTests {
    private let headers = PageHeaders(publicURL: PageBench.publicURL, providerOrigins: ["https://www.facebook.com"])

    @Test func `the content policy of a page allows only its style sheet, its images and its forms`() {
        #expect(
            headers.contentPolicy(leadsToProviders: false)
                == "default-src 'none'; style-src 'self'; form-action 'self'; img-src 'self' data:; base-uri 'none'; "
                + "frame-ancestors 'none'"
        )
    }

    @Test func `only the page that posts a fragment may run a script, and only one from the service`() {
        for (name, page) in PageSamples.plain.all {
            #expect((page.script != nil) == (name == "fragment"), "\(name)")
        }
        #expect(
            headers.contentPolicy(leadsToProviders: false, hasScript: true)
                == "default-src 'none'; style-src 'self'; script-src 'self'; form-action 'self'; img-src 'self' data:; "
                + "base-uri 'none'; frame-ancestors 'none'"
        )
    }

    @Test func `only a page with a provider's button allows its forms to lead to the provider`() {
        #expect(headers.contentPolicy(leadsToProviders: true).contains("form-action 'self' https://www.facebook.com;"))
        for (name, page) in PageSamples.plain.all {
            let leads =
                page.html.markup.contains("action=\"/login/facebook\"")
                || page.html.markup.contains("action=\"/link/facebook\"")
                || page.html.markup.contains("action=\"/reauthenticate/facebook\"")
            #expect(!leads || page.leadsToProviders, "\(name)")
        }
        #expect(!SignedOutPage(frame: PageFrame(csrf: "t")).leadsToProviders)
    }

    @Test(arguments: [
        "*", "https:", "https://", "https://a.example; script-src *", "https://a.example 'unsafe-inline'",
        "https://a.example/path", "javascript://x", "https://a.example,b", "https://*.example", "https://é.example",
    ])
    func `text that is not an origin is not added to the content policy`(_ text: String) {
        #expect(PageHeaders(publicURL: PageBench.publicURL, providerOrigins: [text]).providerOrigins == [])
    }

    @Test(arguments: ["https://a.example", "https://a.example:8443", "http://127.0.0.1:9400", "http://[::1]:9400"])
    func `an origin is added to the content policy`(_ text: String) {
        #expect(PageHeaders(publicURL: PageBench.publicURL, providerOrigins: [text]).providerOrigins == [text])
    }

    @Test func `pages are not cached, and every response has the security headers`() {
        let fields = headers.page(leadsToProviders: false)
        #expect(fields[.cacheControl] == "no-store")
        #expect(fields[.contentType] == "text/html; charset=utf-8")
        for fields in [fields, headers.answer, headers.file(StyleSheet.asset, isCurrent: true)] {
            #expect(fields[.xContentTypeOptions] == "nosniff")
            #expect(fields[.referrerPolicy] == "same-origin")
            #expect(fields[.crossOriginOpenerPolicy] == "same-origin")
            #expect(fields[.crossOriginResourcePolicy] == "same-origin")
            #expect(fields[.permissionsPolicy]?.contains("camera=()") == true)
            #expect(fields[.strictTransportSecurity] == "max-age=63072000")
        }
        #expect(headers.answer[.cacheControl] == "no-store")
    }

    @Test func `Strict-Transport-Security is sent only if the service uses https`() {
        #expect(
            PageHeaders(publicURL: "http://localhost:8080").page(leadsToProviders: false)[.strictTransportSecurity]
                == nil
        )
    }

    @Test func `an asset that is opened by itself runs no scripts`() {
        let policy = headers.file(StyleSheet.asset, isCurrent: true)[.contentSecurityPolicy]
        #expect(policy == "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox")
    }

    @Test func `the style sheet is cached only under its own hash`() {
        let asset = StyleSheet.asset
        #expect(headers.file(asset, isCurrent: true)[.cacheControl] == "public, max-age=31536000, immutable")
        #expect(headers.file(asset, isCurrent: false)[.cacheControl] == "no-store")
    }
}
#endif
