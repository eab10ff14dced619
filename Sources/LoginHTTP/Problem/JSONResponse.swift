// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
package import HTTPTypes

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Returns a JSON response that must not be cached, because most responses of this service contain personal data.
///
/// - Parameters:
///   - body: The value of the body.
///   - status: The status.
///   - isReused: Whether the same response is sent many times.
/// - Returns: The response.
package func jsonResponse(
    _ body: some Encodable,
    status: HTTPResponse.Status = .ok,
    isReused: Bool = false
) -> ServerResponse {
    ServerResponse(
        status: status,
        headers: jsonHeaders,
        body: ServerResponse.Body(encodedJSON(body), isReused: isReused)
    )
}

/// Returns a response with encoded JSON that must not be cached.
package func jsonResponse(json: some Sequence<UInt8>, status: HTTPResponse.Status = .ok) -> ServerResponse {
    ServerResponse(status: status, headers: jsonHeaders, body: ServerResponse.Body(json))
}

private let jsonHeaders: HTTPFields = [
    .contentType: "application/json", .cacheControl: "no-store", .xContentTypeOptions: "nosniff",
]

private let jsonEncoder: JSONEncoder = {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
}()

/// Returns a value encoded as JSON.
func encodedJSON(_ value: some Encodable) -> Data {
    guard let data = try? jsonEncoder.encode(value) else {
        preconditionFailure("answers are made of text, numbers and dates, which JSON has")
    }
    return data
}
#endif
