// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Hummingbird

/// A request of an operator, and who that is.
struct AdminContext: RequestContext {
    var coreContext: CoreRequestContextStorage

    /// Who it is, for the audit; empty where that is not known yet.
    var author = ""

    /// What a form of this operator must carry.
    var formToken = ""

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
    }
}

/// Why an operator's request is refused, for the page that says so.
struct AdminRefusal: Error {
    let status: HTTPResponse.Status
    let reason: String

    init(_ status: HTTPResponse.Status, _ reason: String) {
        self.status = status
        self.reason = reason
    }
}
#endif
