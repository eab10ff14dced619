// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
package import HTTPTypes

/// What browsers are told about every answer of the pages, so that they refuse what no page needs.
struct SecurityHeaders: Sendable, Hashable {
    /// Whether people reach the service by `https`.
    let isSecure: Bool

    /// The origins of the providers that a form may lead on to, as in `https://www.facebook.com`.
    let providerOrigins: [String]

    /// The headers of a service.
    ///
    /// - Parameters:
    ///   - isSecure: Whether people reach it by `https`.
    ///   - providerOrigins: The origins of the providers; what is no origin is left out.
    init(isSecure: Bool, providerOrigins: [String] = []) {
        self.isSecure = isSecure
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
        var fields = everywhere
        fields[.contentType] = "text/html; charset=utf-8"
        fields[.contentSecurityPolicy] = contentPolicy(leadsToProviders: leadsToProviders)
        fields[.cacheControl] = "no-store"
        return fields
    }

    /// The headers of an answer without a page: a redirect, or a file with somebody's data.
    var answer: HTTPFields {
        var fields = everywhere
        fields[.contentSecurityPolicy] = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'"
        fields[.cacheControl] = "no-store"
        return fields
    }

    /// The headers of the style sheet.
    ///
    /// - Parameter isCurrent: Whether it was asked for by its hash. Only then may it be kept: another instance, of another version, may
    ///   have made the page, and what is kept under its hash must be what it meant.
    /// - Returns: The headers.
    func styleSheet(isCurrent: Bool) -> HTTPFields {
        var fields = everywhere
        fields[.contentType] = "text/css; charset=utf-8"
        fields[.cacheControl] = isCurrent ? "public, max-age=31536000, immutable" : "no-store"
        return fields
    }

    private var everywhere: HTTPFields {
        var fields = HTTPFields()
        fields[.xContentTypeOptions] = "nosniff"
        // With `no-referrer` browsers would send `Origin: null` with our own forms (Fetch, "append a request `Origin` header"), and the
        // check of where a form came from would have nothing to go by. With this, other sites learn nothing either.
        fields[.referrerPolicy] = "same-origin"
        fields[.crossOriginOpenerPolicy] = "same-origin"
        fields[.crossOriginResourcePolicy] = "same-origin"
        fields[.permissionsPolicy] = "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()"
        // For this host alone: of others of the domain we know nothing.
        if isSecure { fields[.strictTransportSecurity] = "max-age=63072000" }
        return fields
    }
}

extension HTTPField.Name {
    package static let referrerPolicy = known("Referrer-Policy")
    package static let crossOriginOpenerPolicy = known("Cross-Origin-Opener-Policy")
    static let permissionsPolicy = known("Permissions-Policy")

    /// The name of a field, of those that this package has.
    package static func known(_ name: String) -> Self {
        guard let name = Self(name) else { preconditionFailure("\(name) is no name of a field") }
        return name
    }
}
#endif
