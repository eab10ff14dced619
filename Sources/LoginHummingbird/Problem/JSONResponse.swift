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

/// An answer of JSON, which nobody keeps: most answers of this service are about somebody.
package func jsonResponse(_ body: some Encodable, status: HTTPResponse.Status = .ok) -> Response {
    jsonResponse(json: encodedJSON(body), status: status)
}

/// As above, of what is JSON already.
package func jsonResponse(json: some Sequence<UInt8>, status: HTTPResponse.Status = .ok) -> Response {
    Response(
        status: status,
        headers: [.contentType: "application/json", .cacheControl: "no-store", .xContentTypeOptions: "nosniff"],
        body: ResponseBody(byteBuffer: ByteBuffer(bytes: json))
    )
}

/// A value of ours as JSON.
func encodedJSON(_ value: some Encodable) -> Data {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(value) else {
        preconditionFailure("answers are made of text, numbers and dates, which JSON has")
    }
    return data
}
#endif
