// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Hummingbird

/// The context of an operator's request.
struct AdminContext: RequestContext {
    var coreContext: CoreRequestContextStorage

    /// The operator's name in the audit log; empty before authentication.
    var author = ""

    /// The CSRF token that the operator's forms must contain.
    var formToken = ""

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
    }
}

/// The reason why an operator's request is refused, as shown on the error page.
struct AdminRefusal: Error {
    let status: HTTPResponse.Status
    let reason: String

    init(_ status: HTTPResponse.Status, _ reason: String) {
        self.status = status
        self.reason = reason
    }
}
#endif
