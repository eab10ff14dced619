// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
package import HTTPTypes

/// The security headers of responses.
package struct SecurityHeaders: Sendable, Hashable {
    /// Whether the public URL of the service is `https`.
    package let isSecure: Bool

    /// Creates the headers of a service.
    ///
    /// - Parameter publicURL: Its public URL. If it is `https`, browsers are told to use only `https` (HSTS).
    package init(publicURL: String) { isSecure = publicURL.lowercased().hasPrefix("https://") }

    /// Adds the headers that a response lacks: browsers must not run it, frame it, or guess its media type.
    func complete(_ headers: inout HTTPFields) {
        for field in answer where !headers.contains(field.name) { headers.append(field) }
    }

    /// The headers of a response that is not a page, such as a redirect or a file with personal data.
    package var answer: HTTPFields {
        var fields = everywhere
        fields[.contentSecurityPolicy] = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'"
        fields[.cacheControl] = "no-store"
        return fields
    }

    /// The headers of every response, whatever its content.
    package var everywhere: HTTPFields {
        var fields = HTTPFields()
        fields[.xContentTypeOptions] = "nosniff"
        // With `no-referrer`, browsers would send `Origin: null` with forms of this site (Fetch, "append a request
        // `Origin` header"), and the same-origin check would reject them. `same-origin` sends no referrer to other
        // sites either.
        fields[.referrerPolicy] = "same-origin"
        fields[.crossOriginOpenerPolicy] = "same-origin"
        fields[.crossOriginResourcePolicy] = "same-origin"
        fields[.permissionsPolicy] = "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()"
        // Without `includeSubDomains`: other hosts of the domain are unknown to this service.
        if isSecure { fields[.strictTransportSecurity] = "max-age=63072000" }
        return fields
    }
}

extension HTTPField.Name {
    package static let referrerPolicy = known("Referrer-Policy")
    package static let crossOriginOpenerPolicy = known("Cross-Origin-Opener-Policy")
    package static let permissionsPolicy = known("Permissions-Policy")

    /// Returns the field name for a name that is known to be valid.
    package static func known(_ name: String) -> Self {
        guard let name = Self(name) else { preconditionFailure("\(name) is no name of a field") }
        return name
    }
}
#endif
