// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

extension TransportRequest {
    /// Creates a POST request with a form body.
    ///
    /// - Parameters:
    ///   - body: The encoded form.
    ///   - url: The URL.
    ///   - headers: The header fields, in addition to `Content-Type`.
    ///   - responseLimit: The maximum size of the response body, in bytes.
    ///   - deadline: The deadline for the whole exchange.
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
