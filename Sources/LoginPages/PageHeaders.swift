// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import HTTPTypes
internal import LoginHummingbird

/// The headers of the pages, by which browsers refuse what no page needs.
struct PageHeaders: Sendable, Hashable {
    private let security: SecurityHeaders

    /// The origins of the providers that a form may lead on to, as in `https://www.facebook.com`.
    let providerOrigins: [String]

    /// The headers of a service.
    ///
    /// - Parameters:
    ///   - isSecure: Whether people reach it by `https`.
    ///   - providerOrigins: The origins of the providers; what is no origin is left out.
    init(isSecure: Bool, providerOrigins: [String] = []) {
        security = SecurityHeaders(isSecure: isSecure)
        self.providerOrigins = providerOrigins.filter(Self.isOrigin).sorted()
    }

    /// Whether a text is an origin: nothing in it can end the directive it stands in.
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

    /// What a page may load, and where it may lead.
    ///
    /// There is no script and no style in a page, so none that somebody brings in is run or shown. Chromium looks at the whole way of a
    /// form, redirects included: where a page has buttons of providers, their origins are named.
    ///
    /// - Parameter leadsToProviders: Whether the page has buttons of providers.
    /// - Returns: The policy.
    func contentPolicy(leadsToProviders: Bool) -> String {
        let targets = ["'self'"] + (leadsToProviders ? providerOrigins : [])
        return [
            "default-src 'none'", "style-src 'self'", "form-action \(targets.joined(separator: " "))",
            "img-src 'self' data:", "base-uri 'none'", "frame-ancestors 'none'",
        ].joined(separator: "; ")
    }

    /// The headers of a page.
    ///
    /// - Parameter leadsToProviders: Whether the page has buttons of providers.
    /// - Returns: The headers.
    func page(leadsToProviders: Bool) -> HTTPFields {
        var fields = security.everywhere
        fields[.contentType] = "text/html; charset=utf-8"
        fields[.contentSecurityPolicy] = contentPolicy(leadsToProviders: leadsToProviders)
        fields[.cacheControl] = "no-store"
        return fields
    }

    /// The headers of an answer without a page.
    var answer: HTTPFields { security.answer }

    /// The headers of the style sheet.
    ///
    /// - Parameter isCurrent: Whether it was asked for by its hash. Only then may it be kept: another instance, of another version, may
    ///   have made the page, and what is kept under its hash must be what it meant.
    /// - Returns: The headers.
    func styleSheet(isCurrent: Bool) -> HTTPFields {
        var fields = security.everywhere
        fields[.contentType] = "text/css; charset=utf-8"
        fields[.cacheControl] = isCurrent ? "public, max-age=31536000, immutable" : "no-store"
        return fields
    }
}
#endif
