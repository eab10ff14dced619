// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import HTTPTypes
package import Hummingbird

extension Response {
    /// The answer to this request: to HEAD it has all that it has to GET, but for the body (RFC 9110 §9.3.2).
    package func answering(_ request: Request) -> Response { request.method == .head ? createHeadResponse() : self }
}
#endif
