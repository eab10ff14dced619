// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import HTTPTypes
package import Hummingbird

extension Response {
    /// Returns the response to a request: for HEAD without the body of the response to GET (RFC 9110 §9.3.2).
    package func answering(_ request: Request) -> Response { request.method == .head ? createHeadResponse() : self }
}
#endif
