// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
package import HTTPTypes
package import Hummingbird
internal import NIOCore

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Returns a JSON response that must not be cached, because most responses of this service contain personal data.
package func jsonResponse(_ body: some Encodable, status: HTTPResponse.Status = .ok) -> Response {
    jsonResponse(json: encodedJSON(body), status: status)
}

/// Returns a response with encoded JSON that must not be cached.
package func jsonResponse(json: some Sequence<UInt8>, status: HTTPResponse.Status = .ok) -> Response {
    Response(status: status, headers: jsonHeaders, body: ResponseBody(byteBuffer: ByteBuffer(bytes: json)))
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

extension Response {
    /// Returns the response to a request: for HEAD without the body of the response to GET (RFC 9110 §9.3.2).
    package func answering(_ request: Request) -> Response { request.method == .head ? createHeadResponse() : self }
}
#endif
