// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
package import HTTPTypes
package import Hummingbird

/// The reason why an operator's request is refused, as shown on the error page or in the problem.
package struct PageRefusal: Error {
    /// The status of the response.
    package let status: HTTPResponse.Status
    /// A sentence for the operator.
    package let reason: String

    /// Creates a refusal.
    package init(_ status: HTTPResponse.Status, _ reason: String) {
        self.status = status
        self.reason = reason
    }
}

/// The format of the response to a refused request, which the route chooses.
package enum RefusalFormat: Sendable {
    /// An error page, for browsers.
    case page
    /// A problem (RFC 9457), for programs.
    case problem
}

extension Request {
    /// Refuses a request that another site caused.
    ///
    /// Browsers name the initiator in `Sec-Fetch-Site` (W3C Fetch Metadata §2.3), and older browsers in `Origin`
    /// (RFC 6454 §7). A request with neither header passes: it comes from a program, or its form has a CSRF token.
    ///
    /// - Throws: ``PageRefusal`` with status 403.
    package func refuseOtherSites() throws(PageRefusal) {
        let refusal = PageRefusal(.forbidden, "The request comes from another site.")
        if let site = headers[.secFetchSite] {
            guard site == "same-origin" else { throw refusal }
            return
        }
        guard let origin = headers[.origin] else { return }
        let authority = head.authority ?? ""
        guard ["http://\(authority)", "https://\(authority)"].contains(where: { $0.utf8.elementsEqual(origin.utf8) })
        else { throw refusal }
    }
}

extension HTTPField.Name {
    fileprivate static let secFetchSite = known("Sec-Fetch-Site")

    /// Returns the field name for a name that is known to be valid.
    static func known(_ name: String) -> Self {
        guard let name = Self(name) else { preconditionFailure("\(name) is not a field name") }
        return name
    }
}
#endif
