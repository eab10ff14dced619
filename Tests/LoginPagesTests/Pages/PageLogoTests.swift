// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import HTTPTypes
import LimitedLogin
import LoginProviders
import Testing

@testable import LoginPages

/// The logos of the service and of providers.
@Suite struct PageLogoTests {
    private static let svg = Array(#"<svg xmlns="http://www.w3.org/2000/svg"/>"#.utf8)
    private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    @Test func `the sign-in page shows the logos, which are served without permission to run scripts`() async throws {
        var options = SignInPagesOptions()
        options.logo = try PageImage(Self.svg)
        options.providerLogos[.facebook] = try PageImage(Self.png)
        let bench = try await PageBench(options: options)
        try await bench.run { browser in
            try await browser.get("/login")
            let images = try browser.page().all("img")
            #expect(images.map { $0["alt"] } == [PageText.english.frame.service, ""])
            for (image, type) in zip(images, ["image/svg+xml", "image/png"]) {
                try await browser.get(try #require(image["src"]))
                #expect(browser.status == 200 && browser.headers[.contentType] == type)
                #expect(browser.headers[.cacheControl] == "public, max-age=31536000, immutable")
                #expect(browser.headers[.contentSecurityPolicy]?.hasPrefix("default-src 'none'; ") == true)
                #expect(browser.headers[.contentSecurityPolicy]?.contains("script-src") == false)
                #expect(browser.headers[.xContentTypeOptions] == "nosniff")
            }
        }
    }

    @Test func `without logos the pages have no images, and the header shows the service name`() async throws {
        let bench = try await PageBench()
        try await bench.run { browser in
            try await browser.get("/login")
            #expect(try browser.page().all("img").isEmpty)
            #expect(try browser.page().all("header").first?.text == PageText.english.frame.service)
            try await browser.get("/assets/logo")
            #expect(browser.status == 404)
        }
    }

    @Test func `an image must be PNG, WebP or SVG`() throws {
        let others = ["RIFF\0\0\0\0WEBPVP8 ", "<?xml version=\"1.0\"?>\n<svg/>", "\n<svg/>"].map { Array($0.utf8) }
        let types = try ([Self.svg, Self.png] + others).map { try PageImage($0).type }
        #expect(types == ["image/svg+xml", "image/png", "image/webp", "image/svg+xml", "image/svg+xml"])
        for text in ["", "GIF89a", "RIFF\0\0\0\0WAVE", "<html><svg/></html>", "<?xml version=\"1.0\"?><html/>"] {
            #expect(throws: PageImageError.unsupportedFormat) { try PageImage(Array(text.utf8)) }
        }
        #expect(throws: PageImageError.unsupportedFormat) { try PageImage(Self.svg + [0xFF]) }
    }

    @Test func `an image has at most 64 KiB`() throws {
        let rest = [UInt8](repeating: 0, count: PageImage.byteLimit - Self.png.count)
        #expect(try PageImage(Self.png + rest).bytes.count == 65_536)
        #expect(throws: PageImageError.tooLarge) { try PageImage(Self.png + rest + [0]) }
    }
}
#endif
