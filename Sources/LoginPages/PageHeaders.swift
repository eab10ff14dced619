// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import HTTPTypes
internal import LoginHTTP

/// The security headers of the pages.
struct PageHeaders: Sendable, Hashable {
    private let security: SecurityHeaders

    /// The origins of providers that a form may redirect to, for example `https://www.facebook.com`.
    let providerOrigins: [String]

    /// Creates the headers of a service.
    ///
    /// - Parameters:
    ///   - publicURL: The public URL of the service.
    ///   - providerOrigins: The origins of the providers. Invalid ones are dropped.
    init(publicURL: String, providerOrigins: [String] = []) {
        security = SecurityHeaders(publicURL: publicURL)
        self.providerOrigins = providerOrigins.filter(Self.isOrigin).sorted()
    }

    /// Returns whether a text is an origin, without characters that could end the directive.
    private static func isOrigin(_ text: String) -> Bool {
        for scheme in ["https://", "http://"] where text.utf8.starts(with: scheme.utf8) {
            let host = text.utf8.dropFirst(scheme.utf8.count)
            return !host.isEmpty
                && host.allSatisfy { byte in
                    switch byte {
                    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                    default: "-.:[]".utf8.contains(byte)
                    }
                }
        }
        return false
    }

    /// Returns the content security policy of a page.
    ///
    /// Pages have neither inline scripts nor inline styles, and only ``FragmentPage`` has a script, so that injected
    /// ones are blocked. Chromium applies `form-action` to redirects as well, so that a page with buttons of providers
    /// must list their origins.
    ///
    /// - Parameters:
    ///   - leadsToProviders: Whether the page has buttons of providers.
    ///   - hasScript: Whether the page has a script of this service.
    /// - Returns: The policy.
    func contentPolicy(leadsToProviders: Bool, hasScript: Bool = false) -> String {
        let targets = ["'self'"] + (leadsToProviders ? providerOrigins : [])
        let scripts = hasScript ? ["script-src 'self'"] : []
        return [
            ["default-src 'none'", "style-src 'self'"], scripts, ["form-action \(targets.joined(separator: " "))"],
            ["img-src 'self' data:", "base-uri 'none'", "frame-ancestors 'none'"],
        ].joined().joined(separator: "; ")
    }

    /// Returns the headers of a page.
    ///
    /// - Parameters:
    ///   - leadsToProviders: Whether the page has buttons of providers.
    ///   - hasScript: Whether the page has a script of this service.
    /// - Returns: The headers.
    func page(leadsToProviders: Bool, hasScript: Bool = false) -> HTTPFields {
        var fields = security.everywhere
        fields[.contentType] = "text/html; charset=utf-8"
        fields[.contentSecurityPolicy] = contentPolicy(leadsToProviders: leadsToProviders, hasScript: hasScript)
        fields[.cacheControl] = "no-store"
        return fields
    }

    /// The headers of a response without a page.
    var answer: HTTPFields { security.answer }

    /// Returns the headers of a file that pages load.
    ///
    /// - Parameters:
    ///   - asset: The file.
    ///   - isCurrent: Whether the request has the current hash. Only then may the response be cached. During an update,
    ///     the page may come from an instance of another version, under whose hash this content must not be cached.
    /// - Returns: The headers.
    func file(_ asset: PageAsset, isCurrent: Bool) -> HTTPFields {
        var fields = security.everywhere
        fields[.contentType] = asset.type
        // An SVG image that is opened by itself is a document, whose scripts would have the origin of the service. In a
        // sandbox it has no scripts, no forms, and an origin of its own.
        fields[.contentSecurityPolicy] =
            "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"
        fields[.cacheControl] = isCurrent ? "public, max-age=31536000, immutable" : "no-store"
        return fields
    }
}
#endif
