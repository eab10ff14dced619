// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
package import HTTPTypes

/// The security headers of every answer, whatever its body.
package struct SecurityHeaders: Sendable, Hashable {
    /// Whether people reach the service by `https`.
    package let isSecure: Bool

    /// Creates the headers of a service.
    ///
    /// - Parameter isSecure: Whether people reach it by `https`.
    package init(isSecure: Bool) { self.isSecure = isSecure }

    /// The headers of an answer without a page: a redirect, or a file with somebody's data.
    package var answer: HTTPFields {
        var fields = everywhere
        fields[.contentSecurityPolicy] = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'"
        fields[.cacheControl] = "no-store"
        return fields
    }

    /// The headers that do not depend on the kind of the answer.
    package var everywhere: HTTPFields {
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
    package static let permissionsPolicy = known("Permissions-Policy")

    /// The name of a field, of those that this package has.
    package static func known(_ name: String) -> Self {
        guard let name = Self(name) else { preconditionFailure("\(name) is no name of a field") }
        return name
    }
}
#endif
