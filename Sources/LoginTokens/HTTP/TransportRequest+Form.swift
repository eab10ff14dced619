// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

extension TransportRequest {
    /// A request that posts a form.
    ///
    /// - Parameters:
    ///   - body: The form, encoded.
    ///   - url: Whom to ask.
    ///   - headers: The fields of the head, besides the type of the body.
    ///   - responseLimit: How much of an answer's body is read, in bytes.
    ///   - deadline: How long everything may take.
    /// - Returns: The request.
    package static func form(
        _ body: String,
        to url: EndpointURL,
        headers: [(name: String, value: String)],
        responseLimit: Int,
        deadline: Duration
    ) -> TransportRequest {
        TransportRequest(
            method: .post,
            url: url,
            headers: headers + [("Content-Type", "application/x-www-form-urlencoded")],
            body: Array(body.utf8),
            responseLimit: responseLimit,
            deadline: deadline
        )
    }
}
